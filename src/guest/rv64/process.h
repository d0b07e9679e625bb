// A program of a host's core that others fill with data, run, and read: trace::HostProcess on the interpreter.
#pragma once

#include <memory>
#include <string>

#include "pimento/guest/rv64/machine.h"
#include "pimento/trace/host_tools.h"

namespace pimento::guest::rv64 {

class Process final : public trace::HostProcess {
 public:
  /// Diagnostics: those of elfImageOf and Machine::make.
  static Result<std::unique_ptr<trace::HostProcess>> make(const std::string &elf);

  bool write(std::uint64_t address, std::span<const std::byte> bytes) override;
  bool read(std::uint64_t address, std::span<std::byte> bytes) const override;
  Status run(const std::string &function, trace::Consumer *consumer) override;

 private:
  Process(ElfImage image, std::unique_ptr<Machine> machine) : image_(std::move(image)), machine_(std::move(machine)) {}
  Status record(std::uint64_t end, trace::Consumer &consumer);

  ElfImage image_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace pimento::guest::rv64
