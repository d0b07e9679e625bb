#include "program.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "pimento/base/thread_pool.h"
#include "pimento/dpu/load.h"
#include "pimento/program/program.h"
#include "pimento/targets/upmem/counts.h"

namespace pimento::upmem {

namespace {

/// The program, decoded and known to fit the machine.
Outcome read(const Setup &setup, std::string_view contents, const std::string &file,
             std::shared_ptr<const sim::dpu::Image> &image) {
  const machine::Dpu &machine = *setup.machine.dpu;
  dpu::LinkOptions link;
  link.tasklets = setup.tasklets;
  link.instructions = machine.instructions;
  link.wramBytes = machine.wram.value;
  link.mramBytes = machine.mram.value;
  Result<program::Code> code = dpu::loadProgram(contents, file, link);
  if (!code) return failure(DPU_ERR_ELF_INVALID_FILE, code.diagnostics());
  if (code->tasklets > setup.tasklets)
    return failure(DPU_ERR_TOO_MANY_TASKLETS,
                   fmt::format("{}: the program was linked for {} tasklets; machine '{}' has "
                               "{}",
                               file, code->tasklets, setup.machine.name, setup.tasklets));
  program::Process process;
  process.name = file;
  const program::MachineCode body{std::make_shared<const program::Code>(std::move(*code))};
  process.body = body;
  const program::Program whole{setup.machine.name, {}, {process}};
  if (const Status s = program::verify(whole, setup.machine); !s)
    return failure(DPU_ERR_ELF_INVALID_FILE, s.diagnostics());
  Result<std::shared_ptr<const sim::dpu::Image>> made = sim::dpu::Image::make(*body.code);
  if (!made) return failure(DPU_ERR_ELF_INVALID_FILE, made.diagnostics());
  image = std::move(*made);
  return {};
}

/// The run-time library tells programs the clock in a variable of this name.
void tellClock(dpu_t &dpu, double clockGHz) {
  const program::Code::Symbol *s = dpu.program->code().symbolNamed("CLOCKS_PER_SEC");
  if (s == nullptr || s->isAbsolute || s->address >= program::kMramBase || s->size != 4) return;
  const auto hertz = static_cast<std::uint32_t>(clockGHz * 1e9 + 0.5);
  std::array<std::byte, 4> bytes{};
  std::memcpy(bytes.data(), &hertz, bytes.size());
  dpu.engine->writeWram(s->address, bytes);
}

/// What a launch came to on one DPU.
struct Run {
  Cycles cycles;
  sim::dpu::Counts counts;
  std::vector<sim::dpu::Misaligned> misaligned;
  std::optional<Diagnostic> fault;
  bool isCutOff = false;  ///< after too many instructions
  Outcome outcome;        ///< a failure of ours
};

/// `isOpen`: the host may reach WRAM meanwhile.
Run runOnce(dpu_t &dpu, const Setup &setup, bool isOpen) {
  Run run;
  run.outcome = attempt([&]() -> Outcome {
    const Door::Running running(dpu.door, isOpen);
    sim::dpu::RunOptions options;
    if (isOpen) options.observer = &dpu.door;
    options.maxInstructions = setup.maxInstructions;
    options.isTimed = setup.isTimed || isOpen;  // the host comes in between instructions in their order
    sim::dpu::RunResult r = dpu.engine->simulate(options);
    if (setup.isTimed) run.cycles = r.cycles;
    run.counts = r.counts;
    run.misaligned = std::move(r.misaligned);
    run.fault = std::move(r.fault);
    run.isCutOff = r.isCutOff;
    return {};
  });
  return run;
}

Outcome checkReady(const Selection &s) {
  for (const dpu_t *d : s.dpus) {
    if (d->program == nullptr)
      return failure(DPU_ERR_NO_PROGRAM_LOADED,
                     fmt::format("{} has no program\n  hint: call dpu_load first", s.system->nameOf(*d)));
    if (d->isInFault)
      return failure(DPU_ERR_DPU_FAULT,
                     fmt::format("{}\n  hint: after this fault the DPU needs a new dpu_load", d->fault));
  }
  return {};
}

/// Says once per program and instruction where transfers are not aligned: on stderr, as the C program has no other
/// place for what is not a failure.
void warn(const Selection &s, const std::vector<Run> &runs) {
  const machine::Dpu &machine = *s.system->setup.machine.dpu;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const sim::dpu::Misaligned &m : runs[i].misaligned) {
      const dpu_program_t &program = *s.dpus[i]->program;
      if (!program.warned.add(m.pc)) continue;
      const std::string text = warningOf(m, program.code(), machine).str();
      std::fprintf(stderr, "%s\n", text.c_str());
    }
}

/// Marks DPUs in fault, and says what happened to the first of them.
Outcome takeFaults(const Selection &s, std::vector<Run> &runs, std::int64_t &faults) {
  Outcome first;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].fault) {
      if (first && !runs[i].outcome) first = std::move(runs[i].outcome);
      continue;
    }
    dpu_t &d = *s.dpus[i];
    Diagnostic &what = *runs[i].fault;
    what.message = fmt::format("{}, {}", s.system->nameOf(d), what.message);
    d.fault = what.str();
    d.isInFault = true;
    ++faults;
    if (first) first = failure(runs[i].isCutOff ? DPU_ERR_TIMEOUT : DPU_ERR_DPU_FAULT, d.fault);
  }
  if (faults > 1) first.reason += fmt::format("\n  {} DPUs faulted", faults);
  return first;
}

}  // namespace

Outcome load(const Selection &s, std::string_view contents, const std::string &file, dpu_program_t **program) {
  System &system = *s.system;
  auto made = std::make_unique<dpu_program_t>();
  if (Outcome o = read(system.setup, contents, file, made->image); !o) return o;
  made->mram = system.setup.machine.dpu->mram;
  const machine::Machine &machine = system.setup.machine;
  for (dpu_t *d : s.dpus) {
    if (d->engine)
      d->engine->load(made->image);
    else
      d->engine = std::make_unique<sim::dpu::Dpu>(made->image, *machine.dpu);
    d->program = made.get();
    d->isInFault = false;
    d->fault.clear();
    tellClock(*d, machine.clockGHz);
  }
  system.account.addLoad(static_cast<std::int64_t>(s.dpus.size()), static_cast<std::int64_t>(contents.size()),
                         dpu::compilerOf(made->image->code));
  if (program != nullptr) *program = made.get();
  system.keep(std::move(made));
  return {};
}

Outcome launch(const Selection &s, const Account::Place &place, bool isOpen) {
  if (Outcome o = checkReady(s); !o) return o;
  std::vector<Run> runs(s.dpus.size());
  // Programs that wait for the host must all run at the same time.
  const int jobs = isOpen ? static_cast<int>(runs.size()) : s.system->setup.jobs;
  parallelFor(jobs, static_cast<std::int64_t>(runs.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    runs[at] = runOnce(*s.dpus[at], s.system->setup, isOpen);
  });
  Cycles slowest;
  sim::dpu::Counts counts;
  for (const Run &r : runs) {
    slowest = std::max(slowest, r.cycles);
    targets::upmem::addCounts(counts, r.counts, 1);
  }
  warn(s, runs);
  std::int64_t faults = 0;
  Outcome outcome = takeFaults(s, runs, faults);
  s.system->account.addLaunch(place, static_cast<std::int64_t>(runs.size()), counts, slowest, faults);
  return outcome;
}

}  // namespace pimento::upmem
