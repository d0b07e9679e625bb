#include "pimento/guest/rv64/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "pimento/trace/stream.h"

namespace pimento::guest::rv64 {

namespace {

constexpr std::size_t kReturnAddress = 1;
constexpr std::int64_t kBlocksAtOnce = 1 << 20;

Diagnostic failure(const std::string &what) {
  return error(DiagnosticKind::kFault, "host-program", {}, fmt::format("the kernel's program fails: {}", what),
               "compile --emit c shows it");
}

}  // namespace

Result<std::unique_ptr<trace::HostProcess>> Process::make(const std::string &elf) {
  Result<ElfImage> image = elfImageOf(elf, "kernel");
  if (!image) return image.diagnostics();
  Result<std::unique_ptr<Machine>> machine = Machine::make(*image, elf, {{}, STDERR_FILENO, false, false});
  if (!machine) return machine.diagnostics();
  return std::unique_ptr<trace::HostProcess>(new Process(std::move(*image), std::move(*machine)));
}

bool Process::write(std::uint64_t address, std::span<const std::byte> bytes) {
  std::byte *to = machine_->memory().at(address, bytes.size(), kWrite);
  if (to == nullptr) return false;
  std::ranges::copy(bytes, to);
  return true;
}

bool Process::read(std::uint64_t address, std::span<std::byte> bytes) const {
  const std::byte *from = machine_->memory().at(address, bytes.size(), kRead);
  if (from == nullptr) return false;
  std::copy_n(from, bytes.size(), bytes.begin());
  return true;
}

/// From where the machine stands up to where the function returns to.
Status Process::record(std::uint64_t end, trace::Consumer &consumer) {
  while (!machine_->hasEnded() && machine_->hart().pc != end) {
    const Result<Step> step = machine_->step();
    if (!step) return step.diagnostics();
    if (step->count == 0) continue;
    const Result<const trace::Block *> block = machine_->record(*step->block);
    if (!block) return block.diagnostics();
    consumer.onBlock(**block, step->count, step->accesses);
  }
  consumer.onEnd();
  return okStatus();
}

Status Process::run(const std::string &function, trace::Consumer *consumer) {
  const auto found = std::ranges::find(image_.functions, function, &Function::name);
  if (found == image_.functions.end()) return failure(fmt::format("it has no function '{}'", function));
  if (consumer != nullptr) {
    const std::uint64_t begin = found->address + machine_->loadedAt();
    machine_->intercept(begin, [](Machine &) { return false; });
    while (!machine_->hasEnded() && machine_->hart().pc != begin)
      if (const Result<Step> step = machine_->step(); !step) return step.diagnostics();
    if (machine_->hasEnded()) return failure(fmt::format("it never comes to '{}'", function));
    trace::Program program;
    program.name = "kernel";
    program.isa = image_.isa;
    program.functions = image_.functions;
    program.loadedAt = machine_->loadedAt();
    consumer->onStart(program, false);
    if (Status s = record(machine_->hart().x[kReturnAddress], *consumer); !s) return s;
  }
  while (!machine_->hasEnded())
    if (Status s = machine_->run(kBlocksAtOnce); !s) return s;
  const MachineEnd &end = machine_->end();
  if (end.signal != 0) return failure(end.cause);
  return okStatus();
}

}  // namespace pimento::guest::rv64
