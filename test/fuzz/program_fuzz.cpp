// Any bytes are read as a program and as HBM-PIM assembly; what is accepted must print and read back unchanged. Short
// programs of virtual instructions that a machine takes are run: both evaluators give one time.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/base/integer.h"
#include "pimento/program/hbm_pim_isa.h"
#include "pimento/program/text.h"
#include "pimento/sim/cnm/execute.h"
#include "pimento/sim/cnm/unit.h"
#include "test/support/random_unit_program.h"

namespace {

void tryUnits(const pimento::program::Program &program) {
  namespace cnm = pimento::sim::cnm;
  using Mode = pimento::machine::Compute::Mode;
  for (const Mode mode : {Mode::kPipeline, Mode::kVector}) {
    const pimento::machine::Machine machine = pimento::test::unitMachine(mode, 24);
    if (!pimento::program::verify(program, machine)) continue;
    for (const pimento::program::Process &p : program.processes) {
      const cnm::UnitCode code(std::get<pimento::program::UnitLoops>(p.body), machine);
      constexpr std::int64_t kShort = 2000;
      std::int64_t iterations = 1;  // also of loops that cost nothing
      for (const cnm::UnitCode::Loop &l : code.loops()) iterations = pimento::multiplySaturated(iterations, l.trip);
      if (code.total().slots > kShort || iterations > kShort) continue;
      const cnm::RunResult full = cnm::simulate(code, machine), fast = cnm::estimate(code, machine);
      PIMENTO_CHECK(full.cycles == fast.cycles && full.counts == fast.counts);
      PIMENTO_CHECK(cnm::lowerBound(code, machine) <= full.cycles);
      const auto &loops = std::get<pimento::program::UnitLoops>(p.body);
      std::vector<std::vector<std::int64_t>> parameters;
      for (const pimento::program::Parameter &x : loops.unit.parameters)
        parameters.emplace_back(static_cast<std::size_t>(loops.unit.threads), x.limit - 1);
      cnm::UnitMemory memory(loops.unit);
      static_cast<void>(cnm::execute(loops, memory, parameters));  // data may decide of an index
    }
  }
}

void tryProgram(std::string_view text) {
  const pimento::Result<pimento::program::Program> program = pimento::program::parse(text, "fuzz");
  if (!program) {
    for (const pimento::Diagnostic &d : program.diagnostics()) PIMENTO_CHECK(d.where.line > 0 && !d.hint.empty());
    return;
  }
  const std::string printed = pimento::program::print(*program);
  const pimento::Result<pimento::program::Program> back = pimento::program::parse(printed);
  PIMENTO_CHECK(back.ok());
  PIMENTO_CHECK(*back == *program);
  if (pimento::program::has<pimento::program::UnitLoops>(*program)) tryUnits(*program);
}

void tryAssembly(std::string_view text) {
  namespace isa = pimento::program::hbm_pim;
  const auto code = isa::parse(text, "fuzz");
  if (!code) {
    for (const pimento::Diagnostic &d : code.diagnostics()) PIMENTO_CHECK(d.where.line > 0 && !d.hint.empty());
    return;
  }
  PIMENTO_CHECK(isa::check(*code).ok());
  const auto back = isa::parse(isa::print(*code));
  PIMENTO_CHECK(back.ok() && *back == *code);
  for (const isa::Instruction &i : *code) {
    const auto decoded = isa::decode(isa::encode(i));
    PIMENTO_CHECK(decoded.ok() && *decoded == i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  tryProgram(text);
  tryAssembly(text);
  return 0;
}
