// Any bytes as a program of RV64, and any bytes as its instructions: a bounded number of them runs, or the program is
// refused, or it ends. The guest reaches no files.
//
// The first byte says which: even, the rest is a file; odd, the rest is code with data behind it that may be written.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "pimento/guest/rv64/machine.h"
#include "test/support/rv64_program.h"

namespace {

using namespace pimento;
using guest::rv64::Machine;

constexpr int kSteps = 300;
constexpr std::int64_t kBlocks = 3000;

void checkStep(const guest::rv64::Step &step) {
  if (step.block == nullptr) return;
  PIMENTO_CHECK(step.count >= 0 && step.count <= step.block->count);
  std::uint16_t last = 0;
  for (const trace::Access &a : step.accesses) {
    PIMENTO_CHECK(a.instruction < step.count && a.instruction >= last && a.bytes > 0);
    last = a.instruction;
  }
}

void checkRefusal(const Diagnostics &diagnostics) {
  PIMENTO_CHECK(!diagnostics.empty());
  for (const Diagnostic &d : diagnostics) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
}

/// Some blocks with their accesses, then some without.
void run(Machine &machine) {
  for (int i = 0; i < kSteps && !machine.hasEnded(); ++i) {
    const Result<guest::rv64::Step> step = machine.step();
    if (!step) return checkRefusal(step.diagnostics());
    checkStep(*step);
  }
  if (const Status s = machine.run(kBlocks); !s) return checkRefusal(s.diagnostics());
  if (!machine.hasEnded()) return;
  PIMENTO_CHECK(machine.end().signal == 0 || machine.end().exitStatus == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size < 2) return 0;
  std::string bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  if ((data[0] & 1) != 0) {
    constexpr std::size_t kData = 8192;
    bytes.resize((bytes.size() + 3) / 4 * 4);
    bytes = test::rv64::elfOf(bytes, std::string(kData, '\x11'), PF_R | PF_W | PF_X);
  }
  guest::ElfImage image;
  image.file = "program";
  image.isa = trace::Isa::kRv64;
  image.functions = {{"f", test::rv64::kCodeAt, 64}};
  const Result<std::unique_ptr<Machine>> machine = Machine::make(image, bytes, {{"argument"}, 2, false, true});
  if (!machine) {
    checkRefusal(machine.diagnostics());
    return 0;
  }
  // Registers point at data, so that accesses have somewhere to go.
  for (unsigned r = 8; r < 16; ++r) (*machine)->hart().x[r] = test::rv64::kDataAt + 4096 + 64 * r;
  run(**machine);
  return 0;
}
