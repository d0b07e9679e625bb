#include "pimento/driver/dpu_program.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/dpu/include.h"
#include "pimento/dpu/runtime.h"
#include "pimento/dpu/runtime_c.h"
#include "pimento/driver/dpu_data.h"
#include "pimento/driver/dpu_log.h"
#include "pimento/emit/dpu_timeline.h"
#include "pimento/evaluate/dpu_program.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/price.h"
#include "pimento/evaluate/slices.h"
#include "pimento/program/program.h"

namespace pimento::driver {

namespace {

using evaluate::Report;

/// Lines of source files, read when first asked for. Files that cannot be read have none.
class SourceLines {
 public:
  /// `input`: the program's own file; names in it may be relative to its folder.
  explicit SourceLines(const std::string &input) : folder_(std::filesystem::path(input).parent_path()) {}

  std::string line(const std::string &file, int number) {
    const auto [at, isNew] = files_.try_emplace(file);
    if (isNew) at->second = read(file);
    const auto n = static_cast<std::size_t>(number);
    return number >= 1 && n <= at->second.size() ? at->second[n - 1] : std::string();
  }

 private:
  static constexpr std::uintmax_t kLargest = 16U << 20;

  std::vector<std::string> read(const std::string &file) const {
    for (const dpu::RuntimeFile &f : dpu::runtimeFiles())
      if (file == "runtime/" + f.name) return linesOf(f.text);
    for (const dpu::CRuntimeFile &f : dpu::cRuntimeFiles())
      if (file == "runtime/" + f.name) return linesOf(f.text);
    for (const dpu::IncludeFile &f : dpu::includeFiles())
      if (file == "include/" + f.name) return linesOf(f.text);
    // Names come from users' files: nothing but plain files of a sane size is opened.
    for (const std::filesystem::path &path : {std::filesystem::path(file), folder_ / file}) {
      std::error_code problem;
      if (!std::filesystem::is_regular_file(path, problem)) continue;
      if (std::filesystem::file_size(path, problem) > kLargest || problem) continue;
      if (const Result<std::string> text = readFile(path.string())) return linesOf(*text);
    }
    return {};
  }
  static std::vector<std::string> linesOf(const std::string &text) {
    std::vector<std::string> lines;
    for (const std::string_view l : split(text, '\n')) lines.emplace_back(trim(l));
    return lines;
  }

  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> files_;
};

/// One run, from options to report.
class DpuProgramRun {
 public:
  DpuProgramRun(const Options &options, const Job &job, bool isSimulation)
      : options_(options), job_(job), process_(job.input.program->processes.front()), log_(*process_.code) {
    request_.process = &process_;
    request_.machine = &job.machine;
    request_.isSimulation = isSimulation;
    request_.launches = options.launches;
    request_.maxInstructions = options.maxInstructions;
  }

  Result<evaluate::DpuProgramEvaluation> run() {
    if (const Status s = program::verify(*job_.input.program, job_.machine); !s) return s.diagnostics();
    Result<std::shared_ptr<const sim::dpu::Image>> image = sim::dpu::Image::make(*process_.code);
    if (!image) return image.diagnostics();
    sim::dpu::Dpu dpu(*image, *job_.machine.dpu);
    if (const Status s = placeData(dpu); !s) return s.diagnostics();
    if (const Status s = openTimeline(*image); !s) return s.diagnostics();
    request_.afterLaunch = [&] { log_.take(dpu); };
    evaluate::DpuProgramEvaluation done = evaluate::evaluateDpuProgram(dpu, request_);
    Report &report = done.report;
    report.log = log_.text();
    if (log_.lost() > 0)
      report.warnings.push_back(fmt::format("{} bytes of the log did not fit into its {}", log_.lost(), log_.size()));
    nameLines(report.profile->lines);
    nameReport(report, job_.input);
    report.dtype.clear();
    if (const Status s = takeOutputs(dpu, report); !s) return s.diagnostics();
    if (timeline_)
      if (const Status s = timeline_->finish(report); !s) return s.diagnostics();
    return done;
  }

 private:
  Status placeData(sim::dpu::Dpu &dpu) {
    const program::Code &code = *process_.code;
    const machine::Dpu &machine = *job_.machine.dpu;
    const Result<std::vector<DpuInput>> inputs = parseDpuInputs(options_.ins, code, machine);
    if (!inputs) return inputs.diagnostics();
    for (const DpuInput &in : *inputs) {
      write(in, dpu);
      request_.placed += in.size();
    }
    if (!request_.isSimulation) return okStatus();
    Result<std::vector<DpuOutput>> outputs = parseDpuOutputs(options_.outs, code, machine);
    if (!outputs) return outputs.diagnostics();
    outputs_ = std::move(*outputs);
    for (const DpuOutput &out : outputs_) request_.readBack += out.bytes;
    return okStatus();
  }

  Status openTimeline(const std::shared_ptr<const sim::dpu::Image> &image) {
    if (!request_.isSimulation || options_.trace.empty()) return okStatus();
    file_.open(options_.trace);
    if (!file_)
      return error("unwritable-file", {options_.trace, 0, 0}, "the trace file cannot be written",
                   "choose a folder that exists and may be written to");
    const evaluate::Breakdown before =
        evaluate::hostCycles(job_.machine, evaluate::hostWorkOf(request_, request_.launches), Cycles(0));
    timeline_ = std::make_unique<emit::DpuTimeline>(file_, image, job_.machine, before);
    request_.observer = timeline_.get();
    return okStatus();
  }

  void nameLines(std::vector<evaluate::ProfileRow> &rows) const {
    SourceLines source(options_.input);
    for (evaluate::ProfileRow &row : rows) row.text = source.line(row.file, row.line);
  }

  Status takeOutputs(const sim::dpu::Dpu &dpu, Report &report) const {
    for (const DpuOutput &out : outputs_) {
      std::vector<std::byte> bytes = read(out, dpu);
      if (out.file.empty()) {
        report.readouts.push_back({out.text, *out.type, std::move(bytes)});
      } else if (const Status s = save(out, std::move(bytes)); !s) {
        return s;
      }
    }
    return okStatus();
  }

  const Options &options_;
  const Job &job_;
  const program::Process &process_;
  evaluate::DpuProgramRequest request_;
  std::vector<DpuOutput> outputs_;
  DpuLog log_;
  std::ofstream file_;
  std::unique_ptr<emit::DpuTimeline> timeline_;
};

}  // namespace

Result<Report> estimateProgram(const Options &options, const Job &job) {
  if (program::hasCode(*job.input.program)) {
    if (job.twoSlice) return evaluate::noSlices(fmt::format("program '{}'", job.input.name), job.machine.name);
    Result<evaluate::DpuProgramEvaluation> done = runDpuProgram(options, job, false);
    if (!done) return done.diagnostics();
    return std::move(done->report);
  }
  Result<Report> report =
      evaluate::evaluateProgram(*job.input.program, job.machine, false, {}, &job.input.places, job.twoSlice);
  if (report) nameReport(*report, job.input);
  return report;
}

Result<evaluate::DpuProgramEvaluation> runDpuProgram(const Options &options, const Job &job, bool isSimulation) {
  return DpuProgramRun(options, job, isSimulation).run();
}

Status checkDpuOptions(const Options &options, const Input &input) {
  const char *given = !options.ins.empty()    ? "--in"
                      : !options.outs.empty() ? "--out"
                      : options.launches != 1 ? "--launches"
                      : options.isProfile     ? "--profile"
                                              : nullptr;
  if (given == nullptr || (input.program && program::hasCode(*input.program))) return okStatus();
  return error("dpu-option", {given, 0, 0}, fmt::format("{} is no DPU program", input.name),
               "--in, --out, --launches and --profile are for .s and ELF files; the data of kernels come from --data");
}

}  // namespace pimento::driver
