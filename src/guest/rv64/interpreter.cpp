#include "pimento/guest/rv64/interpreter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/guest/rv64/machine.h"

namespace pimento::guest::rv64 {

namespace {

/// Where the guest's standard output goes; closed at the end.
class Output {
 public:
  explicit Output(const std::string &file)
      : number_(file.empty() ? STDERR_FILENO : open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
  ~Output() {
    if (number_ >= 0 && number_ != STDERR_FILENO) close(number_);
  }
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// Blocks between two questions: whether to stop, whether more is wanted.
constexpr int kBlocksAtOnce = 1024;

Status handOn(Machine &machine, trace::Consumer &consumer) {
  for (int i = 0; i < kBlocksAtOnce && !machine.hasEnded(); ++i) {
    const Result<Step> step = machine.step();
    if (!step) return step.diagnostics();
    if (step->count == 0) continue;
    const Result<const trace::Block *> block = machine.record(*step->block);
    if (!block) return block.diagnostics();
    consumer.onBlock(**block, step->count, step->accesses);
  }
  return okStatus();
}

}  // namespace

bool runs(const ElfImage &image) {
  return image.isa == trace::Isa::kRv64 && image.loader.empty();
}

Result<GuestEnd> run(const ElfImage &image, const GuestOptions &options, trace::Consumer &consumer) {
  const Result<std::string> bytes = readFile(options.program);
  if (!bytes) return bytes.diagnostics();
  const Output output(options.stdoutFile);
  if (output.number() < 0)
    return error("unwritable-file", {options.stdoutFile},
                 fmt::format("cannot write '{}': {}", options.stdoutFile, std::strerror(errno)),
                 "check that the folder exists and is writable");
  const Result<std::unique_ptr<Machine>> made =
      Machine::make(image, *bytes, {options.arguments, output.number(), true, options.recordsValues, options.witness});
  if (!made) return made.diagnostics();
  Machine &machine = **made;
  const trace::Program program{std::filesystem::path(options.program).filename().string(),
                               image.isa,
                               static_cast<std::int64_t>(options.arguments.size()),
                               image.functions,
                               machine.loadedAt(),
                               image.codeEnd,
                               {}};
  consumer.onStart(program, options.recordsValues);
  bool isWanted = true, isKilled = false;
  while (!machine.hasEnded() && !isKilled) {
    isWanted = isWanted && consumer.wantsMore();
    if (Status s = isWanted ? handOn(machine, consumer) : machine.run(kBlocksAtOnce); !s) return s.diagnostics();
    isKilled = !machine.hasEnded() && options.isStopped != nullptr && *options.isStopped;
  }
  if (options.witness != nullptr) options.witness->signal = isKilled ? 0 : machine.end().signal;
  consumer.onEnd();
  if (options.witness != nullptr) options.witness->memory = nullptr;
  GuestEnd end;
  end.signal = isKilled ? SIGKILL : machine.end().signal;
  end.exitStatus = isKilled ? 0 : machine.end().exitStatus;
  end.cause = isKilled ? "" : machine.end().cause;
  end.instructions = machine.hart().instructions();
  end.undecodable = machine.undecodable();
  if (end.instructions == 0)
    return error("guest-failed", {image.file}, fmt::format("'{}' runs no instruction: {}", image.file, end.cause),
                 "its entry point, or its first instruction, is none; build it again");
  return end;
}

}  // namespace pimento::guest::rv64
