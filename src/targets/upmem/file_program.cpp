#include "pimento/targets/upmem/file_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "pimento/base/text.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/source_lines.h"
#include "pimento/evaluate/slices.h"
#include "pimento/targets/upmem/attribution.h"
#include "pimento/targets/upmem/data.h"
#include "pimento/targets/upmem/log.h"

namespace pimento::targets::upmem {

namespace {

/// The sums of all launches.
struct Total {
  Cycles cycles, simulated;
  sim::dpu::Counts counts;
  std::vector<std::int64_t> executed, waited;
  std::vector<sim::dpu::Misaligned> misaligned;
  std::optional<Diagnostic> fault;

  void add(const RunResult &r) {
    cycles += r.cycles;
    simulated += r.cyclesSimulated;
    addCounts(counts, r.counts, 1);
    addTo(executed, r.executed);
    addTo(waited, r.waited);
    merge(misaligned, r.misaligned);
    fault = r.fault;
  }

 private:
  static void addTo(std::vector<std::int64_t> &sum, const std::vector<std::int64_t> &more) {
    if (sum.size() < more.size()) sum.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
  }
};

class FileProgram final : public DpuCode {
 public:
  FileProgram(const program::Program &program, const machine::Machine &machine, const evaluate::ProgramRequest &request,
              std::shared_ptr<const sim::dpu::Image> image)
      : program_(program),
        machine_(machine),
        request_(request),
        code_(*std::get<program::MachineCode>(program.processes.front().body).code),
        image_(std::move(image)) {}

  Status parseData() {
    Result<std::vector<DpuInput>> inputs = parseDpuInputs(request_.ins, code_, *machine_.dpu);
    if (!inputs) return inputs.diagnostics();
    inputs_ = std::move(*inputs);
    if (!request_.isSimulation) return okStatus();
    Result<std::vector<DpuOutput>> outputs = parseDpuOutputs(request_.outs, code_, *machine_.dpu);
    if (!outputs) return outputs.diagnostics();
    outputs_ = std::move(*outputs);
    return okStatus();
  }

  const program::Program &program() const override { return program_; }
  evaluate::HostWork hostWork() const override { return workOf(request_.launches); }
  Result<std::unique_ptr<evaluate::Slices>> slices(const RunMode & /*mode*/) const override {
    return evaluate::noSlices(fmt::format("program '{}'", program_.processes.front().name), machine_.name);
  }

  Result<DeviceRun> run(const RunMode &mode) const override {
    Dpu dpu(image_, *machine_.dpu);
    for (const DpuInput &in : inputs_) upmem::write(in, dpu);
    DpuLog log(code_);
    std::int64_t launched = 0;
    const Total total = launch(dpu, mode, log, launched);
    DeviceRun out;
    out.cycles = total.cycles;
    out.cyclesSimulated = total.simulated;
    out.units = program_.processes.front().instances;
    out.hostWork = workOf(launched);
    setCounts(out, total.counts, machine_, 1);
    warn(out, total.misaligned, code_, *machine_.dpu);
    out.outcome.log = log.text();
    if (const std::string_view compiler = dpu::compilerOf(code_); !compiler.empty())
      out.warnings.push_back(fmt::format("times are of code that `{}` made{}", compiler,
                                         compiler.find("--like") == std::string_view::npos
                                             ? ", not UPMEM's compiler (--like=vendor comes near its times)"
                                             : ""));
    if (log.lost() > 0)
      out.warnings.push_back(fmt::format("{} bytes of the log did not fit into its {}", log.lost(), log.size()));
    out.outcome.profile = attributionOf(code_, total.executed, total.waited, machine_.dpu->issueInterval);
    dpu::SourceLines source(std::filesystem::path(request_.file).parent_path());
    for (evaluate::AttributionRow &row : out.outcome.profile->lines)
      if (const std::string *line = source.line(row.file, row.line)) row.text = trim(*line);
    if (total.fault) {
      out.outcome.fault = total.fault;
      out.outcome.fault->message = "DPU 0, " + out.outcome.fault->message;
    }
    if (const Status s = takeOutputs(dpu, out.outcome); !s) return s.diagnostics();
    return out;
  }

 private:
  evaluate::HostWork workOf(std::int64_t launches) const {
    evaluate::HostWork work;
    work.dpus = program_.processes.front().instances;
    work.ranks = 1;
    work.launches = launches;
    for (const DpuInput &in : inputs_) work.place(in.size().value, 0);
    for (const DpuOutput &out : outputs_) work.read(out.bytes.value, 0);
    return work;
  }

  Total launch(Dpu &dpu, const RunMode &mode, DpuLog &log, std::int64_t &launched) const {
    sim::dpu::RunOptions options;
    options.observer = dynamic_cast<sim::dpu::Observer *>(mode.observer);
    options.maxInstructions = request_.maxInstructions;
    Total total;
    for (; launched < request_.launches && !total.fault; ++launched) {
      // A second launch needs the memories that the first one left.
      if (mode.isFastForward && request_.launches == 1) {
        options.mustPay = true;
        if (const auto skipped = Dpu(dpu).estimate(options)) {  // an estimate leaves memories undefined
          total.add(*skipped);
          continue;
        }
      }
      total.add(dpu.simulate(options));
      log.take(dpu);
    }
    return total;
  }

  Status takeOutputs(const Dpu &dpu, evaluate::ProgramOutcome &outcome) const {
    for (const DpuOutput &out : outputs_) {
      std::vector<std::byte> bytes = read(out, dpu);
      if (out.file.empty()) {
        outcome.readouts.push_back({out.text, *out.type, std::move(bytes)});
      } else if (const Status s = save(out, std::move(bytes)); !s) {
        return s;
      }
    }
    return okStatus();
  }

  const program::Program &program_;
  const machine::Machine &machine_;
  evaluate::ProgramRequest request_;
  const program::Code &code_;
  std::shared_ptr<const sim::dpu::Image> image_;
  std::vector<DpuInput> inputs_;
  std::vector<DpuOutput> outputs_;
};

}  // namespace

Result<std::unique_ptr<evaluate::Runnable>> loadFile(const program::Program &program, const machine::Machine &machine,
                                                     const evaluate::ProgramRequest &request) {
  if (const Status s = program::verify(program, machine, request.places); !s) return s.diagnostics();
  if (!program::has<program::MachineCode>(program))
    return unsupported("unsupported-program", {},
                       fmt::format("{} runs machine code of DPUs, which this file does not contain", machine.name),
                       "give it a .s or ELF file");
  auto image = sim::dpu::Image::make(*std::get<program::MachineCode>(program.processes.front().body).code);
  if (!image) return image.diagnostics();
  auto out = std::make_unique<FileProgram>(program, machine, request, std::move(*image));
  if (const Status s = out->parseData(); !s) return s.diagnostics();
  return std::unique_ptr<evaluate::Runnable>(std::move(out));
}

}  // namespace pimento::targets::upmem
