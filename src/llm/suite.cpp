#include "pimento/llm/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "pimento/base/file.h"
#include "pimento/energy/energy.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"
#include "pimento/llm/published.h"

namespace pimento::llm {

namespace {

using evaluate::NamedReplay;
using evaluate::Point;
using evaluate::Replaying;

constexpr std::int64_t kDevices = 5;  // cubes, of which every one has the work of the row

Result<Host> studyHost(const Replaying &how, const std::string &file) {
  const std::string set = std::string("energy.set=") + kStudySet;
  Result<machine::Machine> machine = how.machine(file, {});
  if (!machine) return machine.diagnostics();
  Result<machine::Machine> study = how.machine(file, {set});
  if (!study) return study.diagnostics();
  return makeHost(std::move(*machine), std::move(*study));
}

NamedReplay figure(const Point &p, const std::string &kernel, const std::string &column, double ours) {
  NamedReplay out;
  out.kernel = kernel + ":" + column;
  out.where = p.where;
  out.replay.ours = ours;
  out.replay.theirs = p.real(column);
  out.replay.exact = evaluate::Exactness::kFastForwarded;
  return out;
}

// Kernels on the GPU
// -----------------------------------------------------------------------------------------------------------

std::vector<Operation> operationsOf(const Point &p) {
  using enum OperationKind;
  const auto work = static_cast<double>(kDevices * p.number("batch"));
  const auto heads = work * static_cast<double>(p.number("nhead"));
  const auto headDim = static_cast<double>(p.number("dhead")), length = static_cast<double>(p.number("len"));
  if (p.kernel == "GEMV") return {{kProducts, 1, length, headDim, heads}};
  if (p.kernel == "ATTN")
    return {{kProducts, 1, length, headDim, heads},
            {kSoftmax, 1, length, 1, heads},
            {kProducts, 1, headDim, length, heads}};
  if (p.kernel == "RED") return {{kProducts, 1, 1, length, work}};
  constexpr double kOperands = 2;  // RELU is counted like an addition, as published
  return {{kElementwise, 1, length, kOperands, work}};
}

Result<std::vector<NamedReplay>> replayGpu(const Replaying &how, const Point &p, const std::string &file) {
  const Result<Host> host = studyHost(how, file);
  if (!host) return host.diagnostics();
  Picoseconds time;
  energy::ActionCounts counts;
  for (const Operation &o : operationsOf(p)) {
    const GpuTime t = host->gpu.roofline(o);
    time += t.time;
    t.traffic.addTo(counts);
  }
  return std::vector<NamedReplay>{
      figure(p, p.kernel, "gpu_time_ms", time.value / kPsPerMs),
      figure(p, p.kernel, "gpu_energy_pJ_per_gpu", energy::price(host->study, counts, {}).total.value)};
}

evaluate::Suite ofGpu(const std::string &file) {
  evaluate::Suite out{"gpu-model", {}, nullptr};
  out.replayRow = [file](const Replaying &how, const Point &p) { return replayGpu(how, p, file); };
  out.rules.folder = "dcc";
  out.rules.files = {"gpu_model_times"};
  out.rules.required = {"batch", "nhead", "dhead", "len", "gpu_time_ms", "gpu_energy_pJ_per_gpu"};
  out.rules.whole = {"batch", "nhead", "dhead", "len"};
  out.rules.positive = {"gpu_time_ms", "gpu_energy_pJ_per_gpu"};
  for (const char *kernel : {"GEMV", "ATTN", "RED", "VA", "RELU"}) out.rules.kernels[kernel] = {{"len"}};
  return out;
}

// Models on it
// ---------------------------------------------------------------------------------------------------------------

/// Names of the points.
std::string modelOf(const Point &p) {
  return p.text("model") == "GPT-13B" ? "gpt3-13b" : p.text("model") == "LLAMA-33B" ? "llama2-33b" : "";
}

/// What rows have in common: attention of one shape on the device is run once.
struct Shared {
  std::mutex mutex;
  std::optional<Result<machine::Machine>> machine;
  std::unique_ptr<PimDevice> device;

  Result<PimDevice *> deviceFor(const Replaying &how, const evaluate::Target &target) {
    const std::lock_guard lock(mutex);
    if (!machine) machine = how.machine("attacc-published", {});
    if (!*machine) return machine->diagnostics();
    PimChoices choices;
    choices.attentionMap = "reference;mode=inference";
    if (!device) device = std::make_unique<PimDevice>(**machine, nullptr, target, choices, how.tools, Keeper{});
    return device.get();
  }
};

Result<std::vector<NamedReplay>> replayModel(const Replaying &how, const Point &p, const std::string &file,
                                             const std::string &models, const evaluate::Target &target,
                                             Shared &shared) {
  const Result<Host> host = studyHost(how, file);
  if (!host) return host.diagnostics();
  const Result<std::string> text = readFile(models);
  if (!text) return text.diagnostics();
  const Result<std::vector<Model>> all = readModels(*text, models);
  if (!all) return all.diagnostics();
  const Result<Model> model = modelNamed(modelOf(p), *all);
  if (!model) return model.diagnostics();
  const bool isGpu = p.text("system") == "GPU";
  PimDevice *device = nullptr;
  if (!isGpu) {
    const Result<PimDevice *> made = shared.deviceFor(how, target);
    if (!made) return made.diagnostics();
    device = *made;
  }
  const System system(*host, 1, device, kDevices);
  const Workload work = {p.number("batch"), p.number("lin"), p.number("lout")};
  const Result<PublishedRun> run =
      published(system, *model, work, {p.text("system") == "AttAcc_Full" ? Overlap::kFull : Overlap::kBase});
  if (!run) return run.diagnostics();
  const PublishedStep &t = run->mean;
  std::vector<NamedReplay> out;
  for (const auto &[column, time] :
       std::initializer_list<std::pair<const char *, Picoseconds>>{{"prefill_ms", run->prefill},
                                                                   {"g_token_ms", t.total()},
                                                                   {"attn", t.attention},
                                                                   {"qkv", t.qkv},
                                                                   {"proj", t.projection},
                                                                   {"ff", t.feedForward},
                                                                   {"etc", t.etc},
                                                                   {"comm", t.communication},
                                                                   {"softmax", t.softmax}})
    if (p.real(column) > 0 || time.value > 0)  // a GPU alone moves nothing
      out.push_back(figure(p, p.text("system"), column, time.value / kPsPerMs));
  return out;
}

evaluate::Suite ofModels(const std::string &file, const std::string &models, const evaluate::Target &target) {
  evaluate::Suite out{"llm-published", {}, nullptr};
  out.replayRow = [=, &target, shared = std::make_shared<Shared>()](const Replaying &how, const Point &p) {
    return replayModel(how, p, file, models, target, *shared);
  };
  out.rules.folder = "dcc";
  out.rules.files = {"llm_baselines_gpu_attacc"};
  out.rules.kernelOf = [](const Point &p) -> std::string {
    if (!p.has("system") || !p.has("model") || modelOf(p).empty()) return " of other models";
    return p.text("system");
  };
  out.rules.required = {"batch", "lin",  "lout", "prefill_ms", "g_token_ms", "attn",
                        "qkv",   "proj", "ff",   "etc",        "comm",       "softmax"};
  out.rules.whole = {"batch", "lin", "lout"};
  for (const char *system : {"GPU", "AttAcc_Base", "AttAcc_Full"}) out.rules.kernels[system] = {{"lout"}};
  return out;
}

}  // namespace

std::vector<evaluate::Suite> suites(const std::string &hostFile, const std::string &models,
                                    const evaluate::Target &nearBank) {
  return {ofGpu(hostFile), ofModels(hostFile, models, nearBank)};
}

}  // namespace pimento::llm
