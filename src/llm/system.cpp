#include "pimento/llm/system.h"

#include <fmt/format.h>

#include <cmath>

#include "pimento/base/integer.h"
#include "pimento/energy/energy.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"

namespace pimento::llm {

namespace {

std::int64_t ceiling(double x) {
  constexpr double kSlack = 1e-9;  // of fractional widths times shares
  return static_cast<std::int64_t>(std::ceil(x - kSlack));
}

/// The part of a product that has `share` of its outputs, or inputs.
Operation partOf(Operation o, double share, bool isByInputs) {
  (isByInputs ? o.k : o.n) *= share;
  return o;
}

/// What each of `gpus` GPUs did.
Energy priced(const Host &host, std::int64_t gpus, const energy::ActionCounts &ofOne) {
  const auto all = static_cast<double>(gpus);
  return {energy::price(host.machine, ofOne, {}).total * all, energy::price(host.study, ofOne, {}).total * all};
}

}  // namespace

Energy &Energy::operator+=(const Energy &o) {
  ours += o.ours;
  study = study && o.study ? std::optional(*study + *o.study) : std::nullopt;
  return *this;
}

Energy Energy::times(double n) const {
  return {ours * n, study ? std::optional(*study * n) : std::nullopt};
}

std::string text(const Split &split) {
  if (split.pim == 0) return "gpu";
  if (split.pim == 1) return split.isByInputs ? "pim, by inputs" : "pim";
  constexpr double kPercent = 100;
  return fmt::format("pim {:.4g} % of {}, gpu the rest", split.pim * kPercent, split.isByInputs ? "inputs" : "outputs");
}

std::int64_t headsPerDevice(const Model &model, std::int64_t requests, std::int64_t gpus, std::int64_t devices) {
  return ceilDiv(model.heads * requests, gpus * devices);
}

System::System(const Host &host, std::int64_t gpus, PimDevice *pim, std::int64_t devices)
    : host_(host), gpus_(gpus), pim_(pim), devices_(devices) {}

const GpuModel &System::gpu() const {
  return host_.gpu;
}

Energy System::linkEnergy(double bytes) const {
  energy::ActionCounts counts;
  return priced(host_, gpus_, counts.add("link_bytes", ceiling(bytes)));
}

/// Collects the tasks of one layer.
class System::Builder {
 public:
  Builder(const System &system, LayerKind kind, const Split &split, const PimTime *given)
      : system_(system), given_(given) {
    stage_.kind = kind;
    stage_.split = split;
  }

  /// A kernel of each GPU.
  Result<int> onGpu(const std::string &what, const Operation &o, std::vector<int> after) {
    const Result<GpuTime> t = system_.gpu().time(o);
    if (!t) return t.diagnostics();
    energy::ActionCounts counts;
    t->traffic.addTo(counts);
    stage_.gpu += priced(system_.host_, system_.gpus_, counts);
    stage_.isMeasured = stage_.isMeasured || t->isMeasured;
    return add(what, Device::kGpu, t->time, std::move(after), {o, 0, {}});
  }
  int overLink(const std::string &what, double bytes, std::vector<int> after) {
    stage_.link += system_.linkEnergy(bytes);
    return add(what, Device::kLink, system_.gpu().link(bytes), std::move(after), {{}, bytes, {}});
  }
  int overPeers(double bytes) {
    energy::ActionCounts counts;  // of each GPU: its part to every other one
    const auto gpus = static_cast<double>(system_.gpus_);
    stage_.link += priced(system_.host_, system_.gpus_, counts.add("peer_bytes", ceiling(bytes * (gpus - 1) / gpus)));
    return add("sum", Device::kPeer, system_.gpu().allReduce(bytes, system_.gpus_), {}, {{}, bytes, {}});
  }
  template <typename Ask>
  Result<int> onPim(const std::string &what, Ask ask, std::vector<int> after) {
    PimTime t;
    if (given_ != nullptr) {
      t = *given_;
    } else {
      const Result<PimTime> asked = ask(*system_.pim_);
      if (!asked) return asked.diagnostics();
      t = *asked;
    }
    const auto all = static_cast<double>(system_.gpus_ * system_.devices_);
    stage_.pim += Energy{t.energy, t.studyEnergy}.times(all);
    if (stage_.mapping.empty()) stage_.mapping = t.mapping;
    return add(what, Device::kPim, t.time, std::move(after), {{}, 0, std::move(t.command)});
  }
  Stage done() {
    stage_.span = schedule(stage_.tasks).end;
    return std::move(stage_);
  }

  Status product(const Layer &layer);
  Status attention(const Layer &layer, const Model &model, const Step &step);
  Status onGpuAlone(const Layer &layer);

 private:
  int add(const std::string &what, Device device, Picoseconds time, std::vector<int> after, TaskOrigin origin) {
    std::string full(name(stage_.kind));
    if (what != full) full += " " + what;
    stage_.tasks.push_back({std::move(full), device, time, std::move(after)});
    stage_.origins.push_back(std::move(origin));
    return static_cast<int>(stage_.tasks.size()) - 1;
  }

  const System &system_;
  const PimTime *given_;
  Stage stage_;
};

Status System::Builder::onGpuAlone(const Layer &layer) {
  std::vector<int> last;
  for (const Operation &o : layer.operations) {
    const Result<int> t = onGpu(std::string(name(layer.kind)), o, last);
    if (!t) return t.diagnostics();
    last = {*t};
  }
  return okStatus();
}

/// Several products of a layer have the same inputs, which go to the devices once.
Status System::Builder::product(const Layer &layer) {
  const Split &split = stage_.split;
  const double devices = static_cast<double>(system_.devices_);
  const Operation &first = layer.operations.front();
  const int in = overLink("in", first.m * first.k * first.elementBytes * (split.isByInputs ? split.pim : 1), {});
  for (const Operation &o : layer.operations) {
    const double part = split.pim / devices;
    const Result<int> pim = onPim("on pim",
                                  [&](PimDevice &device) {
                                    return device.product(ceiling(split.isByInputs ? o.n : o.n * part),
                                                          ceiling(split.isByInputs ? o.k * part : o.k), ceiling(o.m));
                                  },
                                  {in});
    if (!pim) return pim.diagnostics();
    const double results = o.m * o.n * o.elementBytes;
    const int out = overLink("out", results * (split.isByInputs ? devices : split.pim), {*pim});
    std::vector<int> parts = {out};
    if (split.pim < 1) {
      const Result<int> rest = onGpu("on gpu", partOf(o, 1 - split.pim, split.isByInputs), {});
      if (!rest) return rest.diagnostics();
      parts.push_back(*rest);
    }
    if (!split.isByInputs) continue;
    const double operands = devices + (split.pim < 1 ? 1 : 0);
    const Operation sum = {OperationKind::kElementwise, 1, o.n, operands, o.m, o.elementBytes};
    if (const Result<int> added = onGpu("sum", sum, parts); !added) return added.diagnostics();
  }
  return okStatus();
}

Status System::Builder::attention(const Layer & /*layer*/, const Model &model, const Step &step) {
  PIMENTO_CHECK(step.tokens == 1 && "prompts are read by the GPU");
  const double rows = static_cast<double>(step.requests) * step.elementBytes / static_cast<double>(system_.gpus_);
  const int in = overLink("in", rows * model.qkvWidth(), {});
  const Result<int> pim =
      onPim("on pim",
            [&](PimDevice &device) {
              return device.attention(headsPerDevice(model, step.requests, system_.gpus_, system_.devices_),
                                      model.headDim, step.length);
            },
            {in});
  if (!pim) return pim.diagnostics();
  overLink("out", rows * model.attentionWidth(), {*pim});
  return okStatus();
}

Result<Stage> System::stage(const Layer &layer, const Split &split, const Model &model, const Step &step) const {
  Builder builder(*this, layer.kind, split, nullptr);
  Status done = okStatus();
  if (layer.kind == LayerKind::kAllReduce)
    builder.overPeers(layer.bytes);
  else if (split.pim == 0)
    done = builder.onGpuAlone(layer);
  else
    done = layer.kind == LayerKind::kAttention ? builder.attention(layer, model, step) : builder.product(layer);
  if (!done) return done.diagnostics();
  return builder.done();
}

Result<Picoseconds> System::leastSpan(const Layer &layer, const Split &split, const Model &model,
                                      const Step &step) const {
  const PimTime none;
  Builder builder(*this, layer.kind, split, &none);
  const Status done = split.pim == 0                        ? builder.onGpuAlone(layer)
                      : layer.kind == LayerKind::kAttention ? builder.attention(layer, model, step)
                                                            : builder.product(layer);
  if (!done) return done.diagnostics();
  return builder.done().span;
}

}  // namespace pimento::llm
