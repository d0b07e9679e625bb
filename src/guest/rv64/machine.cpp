#include "pimento/guest/rv64/machine.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

namespace pimento::guest::rv64 {

namespace {

constexpr std::size_t kReturnAddress = 1, kStackPointer = 2;

int signalOf(Stop why) {
  switch (why) {
    case Stop::kBreak:
      return SIGTRAP;
    case Stop::kIllegal:
      return SIGILL;
    case Stop::kMisaligned:
      return SIGBUS;
    default:
      return SIGSEGV;
  }
}

std::string wordsOf(Stop why, std::uint64_t address) {
  switch (why) {
    case Stop::kBreak:
      return "it runs a breakpoint";
    case Stop::kIllegal:
      return "it runs an instruction that RV64GC does not have";
    case Stop::kMisaligned:
      return fmt::format("an atomic instruction goes to {:#x}, which is not aligned", address);
    case Stop::kFetch:
      return fmt::format("it runs code at {:#x}, where there is none", address);
    case Stop::kStore:
      return fmt::format("it stores to {:#x}, which cannot be written", address);
    default:
      return fmt::format("it loads from {:#x}, which cannot be read", address);
  }
}

}  // namespace

Result<std::unique_ptr<Machine>> Machine::make(const ElfImage &image, std::string_view bytes,
                                               const MachineSetup &setup) {
  Result<std::unique_ptr<Memory>> memory = Memory::make();
  if (!memory) return memory.diagnostics();
  const Result<LoadedProgram> program = loadProgram(bytes, image.file, **memory);
  if (!program) return program.diagnostics();
  std::vector<std::string> arguments{image.file};
  arguments.insert(arguments.end(), setup.arguments.begin(), setup.arguments.end());
  const Result<std::uint64_t> stack = makeStack(*program, image.file, arguments, **memory);
  if (!stack) return stack.diagnostics();
  return std::unique_ptr<Machine>(new Machine(image, setup, std::move(*memory), *program, *stack));
}

Machine::Machine(const ElfImage &image, const MachineSetup &setup, std::unique_ptr<Memory> memory,
                 LoadedProgram program, std::uint64_t stackPointer)
    : file_(image.file),
      functions_(image.functions),
      hasValues_(setup.hasValues),
      witness_(setup.witness),
      memory_(std::move(memory)),
      program_(program),
      code_(*memory_),
      hart_(*memory_),
      linux_(*memory_, {image.file, program.breakAt, setup.output, setup.reachesHost}) {
  hart_.pc = program.entry;
  hart_.x[kStackPointer] = stackPointer;
  if (witness_ != nullptr) witness_->memory = memory_.get();
}

void Machine::intercept(std::uint64_t address, Interception by) {
  code_.cutAt(address);
  last_ = nullptr;
  interceptions_[address] = std::move(by);
}

CodeBlock *Machine::nextBlock() {
  CodeBlock *next = last_ != nullptr ? code_.after(*last_, hart_.pc) : code_.at(hart_.pc);
  if (next != nullptr) return last_ = next;
  fault(Stop::kFetch);
  return nullptr;
}

bool Machine::isIntercepted(const CodeBlock &block) {
  if (!block.isCut) return false;
  const auto it = interceptions_.find(block.address);
  if (it == interceptions_.end() || !it->second(*this)) return false;
  last_ = nullptr;
  return true;
}

Result<Step> Machine::step() {
  PIMENTO_CHECK(!hasEnded());
  CodeBlock *block = nextBlock();
  if (block == nullptr || isIntercepted(*block)) return Step{};
  const Stop why = hart_.runRecorded(*block, hasValues_);
  const Step out{block, hart_.executed(), hart_.accesses()};
  if (why != Stop::kNone)
    if (Status s = handle(why); !s) return s.diagnostics();
  return out;
}

Status Machine::run(std::int64_t blocks) {
  while (blocks > 0 && !end_) {
    const CodeBlock *block = nextBlock();
    if (block == nullptr || isIntercepted(*block)) {
      --blocks;
      continue;
    }
    const Stop why = hart_.run(last_, blocks);
    if (why == Stop::kNone) continue;
    if (Status s = handle(why); !s) return s;
  }
  return okStatus();
}

Status Machine::handle(Stop why) {
  if (why == Stop::kFenceI) {
    code_.flush();
    return okStatus();
  }
  if (why != Stop::kCall) {
    const std::string cause = fmt::format("{}, at {}", wordsOf(why, hart_.faultAddress()), place(hart_.pc));
    return take(linux_.raise(signalOf(why), true), cause);
  }
  const CallOutcome outcome =
      witness_ == nullptr ? linux_.call(hart_) : recordCall(linux_, hart_, *memory_, witness_->calls.emplace_back());
  if (linux_.flushesCode()) code_.flush();
  return take(outcome, "");
}

/// Of code that is not there: nobody has a handler for it that would help.
void Machine::fault(Stop why) {
  std::uint16_t low = 0;
  const std::uint64_t address = memory_->fetch(hart_.pc, low) ? hart_.pc + sizeof low : hart_.pc;
  const std::string from = place(hart_.x[kReturnAddress]);
  end_ = MachineEnd{0, signalOf(why), fmt::format("{}; ra is {}", wordsOf(why, address), from)};
}

Status Machine::take(const CallOutcome &outcome, std::string cause) {
  using Kind = CallOutcome::Kind;
  switch (outcome.kind) {
    case Kind::kReturned:
      break;
    case Kind::kExited:
      end_ = MachineEnd{static_cast<int>(outcome.number), 0, ""};
      break;
    case Kind::kSignalled:
      end_ = MachineEnd{0, static_cast<int>(outcome.number), std::move(cause)};
      break;
    case Kind::kUnknown:
      return unknownCall(static_cast<std::uint64_t>(outcome.number));
    case Kind::kBlocks:
      return error(DiagnosticKind::kFault, "guest-blocks", {file_},
                   fmt::format("the program waits for another thread for ever, at {}", place(hart_.pc)),
                   "the interpreter has one thread; --engine qemu runs programs with several");
    case Kind::kHandler:
      return unsupported("signal-handler", {file_},
                         fmt::format("signal {} would run a handler of the program, at {}{}", outcome.number,
                                     place(hart_.pc), cause.empty() ? "" : ": " + cause),
                         "the interpreter runs no handlers; --engine qemu does");
  }
  return okStatus();
}

/// "main + 0x10", or the address where no function is known.
std::string Machine::place(std::uint64_t address) const {
  const std::uint64_t inFile = address - program_.loadedAt;
  const Function *f = trace::functionAt(functions_, inFile);
  if (f == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{} + {:#x} ({:#x})", f->name, inFile - f->address, address);
}

Diagnostic Machine::unknownCall(std::uint64_t number) const {
  const std::string_view known = callName(number);
  return unsupported("unknown-call", {file_},
                     fmt::format("the program makes system call {}{}, which the interpreter does not serve, at {}",
                                 number, known.empty() ? "" : fmt::format(" ({})", known), place(hart_.pc)),
                     "run it with --engine qemu, which passes all calls to the system");
}

}  // namespace pimento::guest::rv64
