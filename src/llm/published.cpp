#include "pimento/llm/published.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"

namespace pimento::llm {

namespace {

/// One block of one step.
struct Block {
  PublishedStep time;
  std::vector<GpuTime> feedForward;  ///< kernels of it
  Energy gpu, pim, link;
};

class Pricing {
 public:
  Pricing(const System &system, const Model &model) : system_(system), model_(model) {}

  /// On GPUs: all, or without what runs elsewhere.
  Result<Block> onGpu(const Step &step, bool hasProjections = true, bool hasAttention = true) const {
    Block b;
    for (const Layer &layer : blockLayers(model_, step, system_.gpus())) {
      if (layer.kind == LayerKind::kAttention && !hasAttention) continue;
      if ((layer.kind == LayerKind::kQkv || layer.kind == LayerKind::kProjection) && !hasProjections) continue;
      const Result<Stage> s = system_.stage(layer, Split{}, model_, step);
      if (!s) return s.diagnostics();
      b.gpu += s->gpu;
      b.link += s->link;
      for (std::size_t i = 0; i < layer.operations.size(); ++i) {
        const Operation &o = layer.operations[i];
        const Picoseconds t = s->tasks[i].time;
        (o.kind == OperationKind::kSoftmax ? b.time.softmax : partOf(b.time, layer.kind)) += t;
        if (!isFeedForward(layer.kind)) continue;
        b.feedForward.push_back(system_.gpu().roofline(o));
        b.feedForward.back().time = t;
      }
      if (layer.kind == LayerKind::kAllReduce) b.time.communication += s->span;
    }
    return b;
  }

  /// The same with attention on the devices, and what overlaps.
  Result<Block> onDevices(const Step &step, const PublishedOptions &options) const {
    Result<Block> block = onGpu(step, !options.hasProductsOnPim, false);
    if (!block) return block;
    PublishedStep &t = block->time;
    const Picoseconds peers = t.communication;
    const machine::Gpu &g = system_.gpu().gpu();
    const std::int64_t heads = headsPerDevice(model_, step.requests, system_.gpus(), system_.devices());
    const Result<PimTime> device = system_.pim()->attention(heads, model_.headDim, step.length);
    if (!device) return device.diagnostics();
    t.attention = device->time;
    if (options.hasProductsOnPim)
      if (Status s = addProducts(*block, heads); !s) return s.diagnostics();
    const auto gpus = static_cast<double>(system_.gpus()), devices = static_cast<double>(system_.devices());
    block->pim += Energy{device->energy, device->studyEnergy}.times(gpus * devices);
    const double elements = static_cast<double>(step.length * model_.heads * step.requests) / gpus;
    const double perSecond = g.deviceGBps * devices * 1e9;
    constexpr double kNativeBytes = 2;
    const double compute =
        g.softmaxOperations * elements / (perSecond * std::max(1.0, std::floor(kNativeBytes / step.elementBytes)));
    t.softmax = Picoseconds(std::max(2 * elements * step.elementBytes / perSecond, compute) * kPsPerSecond);
    const double width = (model_.qkvWidth() + model_.attentionWidth()) / gpus;
    const double bytes = static_cast<double>(step.requests) * width * step.elementBytes;
    block->link += system_.linkEnergy(bytes);
    overlapped(t, system_.gpu().link(bytes), options.overlap);
    if (options.overlap == Overlap::kFull) shareFeedForward(*block, step);
    t.communication += peers;
    return block;
  }

 private:
  Status addProducts(Block &b, std::int64_t heads) const {
    const std::int64_t perHead = static_cast<std::int64_t>(model_.qkvWidth()) / model_.heads;
    const Result<PimTime> qkv = system_.pim()->headProducts(heads, model_.hidden, perHead);
    if (!qkv) return qkv.diagnostics();
    const Result<PimTime> projection = system_.pim()->headProducts(heads, model_.headDim, model_.hidden);
    if (!projection) return projection.diagnostics();
    b.time.qkv = qkv->time;
    b.time.projection = projection->time;
    const auto all = static_cast<double>(system_.gpus() * system_.devices());
    for (const Result<PimTime> *p : {&qkv, &projection}) b.pim += Energy{(*p)->energy, (*p)->studyEnergy}.times(all);
    return okStatus();
  }
  static bool isFeedForward(LayerKind kind) { return kind == LayerKind::kUp || kind == LayerKind::kDown; }
  static Picoseconds &partOf(PublishedStep &t, LayerKind kind) {
    switch (kind) {
      case LayerKind::kQkv:
        return t.qkv;
      case LayerKind::kAttention:
        return t.attention;
      case LayerKind::kProjection:
        return t.projection;
      case LayerKind::kUp:
      case LayerKind::kDown:
        return t.feedForward;
      default:
        return t.etc;
    }
  }

  /// The study's formulas; `x`: both transfers.
  void overlapped(PublishedStep &t, Picoseconds x, Overlap overlap) const {
    const double r = static_cast<double>(system_.gpus()) / static_cast<double>(model_.heads);
    const double a = t.attention.value;
    const double full = t.qkv.value + t.projection.value;
    double rest = x.value;
    constexpr double kQkvShare = 0.75, kProjectionShare = 0.25;  // of the time that attention hides
    if (overlap == Overlap::kFull && full >= a && full > x.value) {
      rest = x.value * r;
      t.qkv -= Picoseconds(kQkvShare * a * (1 - r));
      t.projection -= Picoseconds(kProjectionShare * a * (1 - r));
    } else {
      rest = a > x.value ? x.value * r : x.value - a * (1 - r);
      if (overlap == Overlap::kFull) {
        t.qkv.value *= r;
        t.projection.value *= r;
      }
    }
    t.communication = Picoseconds(rest);
  }

  /// As if the devices had rows of the weights, and read them as fast as their banks can.
  void shareFeedForward(Block &b, const Step &step) const {
    const machine::Gpu &g = system_.gpu().gpu();
    const double near = g.nearGBps * static_cast<double>(system_.devices()) / g.memoryGBps;
    const double share = 1 / (1 + near / static_cast<double>(step.requests));
    b.time.feedForward = {};
    for (const GpuTime &kernel : b.feedForward)
      b.time.feedForward += kernel.isMemoryBound ? Picoseconds(kernel.time.value * share) : kernel.time;
  }

  const System &system_;
  const Model &model_;
};

}  // namespace

PublishedStep &PublishedStep::operator+=(const PublishedStep &o) {
  attention += o.attention;
  qkv += o.qkv;
  projection += o.projection;
  feedForward += o.feedForward;
  etc += o.etc;
  communication += o.communication;
  softmax += o.softmax;
  return *this;
}

PublishedStep PublishedStep::times(double n) const {
  return {attention * n, qkv * n, projection * n, feedForward * n, etc * n, communication * n, softmax * n};
}

Result<PublishedRun> published(const System &system, const Model &model, const Workload &w,
                               const PublishedOptions &options) {
  if (Status s = checkSharing(model, system.gpus()); !s) return s.diagnostics();
  const machine::Gpu &g = system.gpu().gpu();
  if (system.pim() != nullptr && (g.nearGBps <= 0 || g.deviceGBps <= 0))
    return error(
        "no-study", system.host().machine.where("gpu"),
        "host '" + system.host().machine.name + "' does not say what the study's formulas assume of PIM devices",
        "add gpu.study, or use --schedule sound");
  const Pricing pricing(system, model);
  const auto blocks = static_cast<double>(model.layers);
  PublishedRun run;
  const Result<Block> prompt = pricing.onGpu({w.requests, w.prompt, w.prompt, w.elementBytes});
  if (!prompt) return prompt.diagnostics();
  run.prefill = Picoseconds(prompt->time.total().value * blocks);
  run.steps = std::max<std::int64_t>(w.output - 1, 0);
  std::vector<std::optional<Result<Block>>> steps(static_cast<std::size_t>(run.steps));
  const auto price = [&](std::int64_t i) {
    const Step step = {w.requests, 1, w.prompt + i + 1, w.elementBytes};
    steps[static_cast<std::size_t>(i)] =
        system.pim() == nullptr ? pricing.onGpu(step) : pricing.onDevices(step, options);
  };
  // Steps of one block of positions ask a device the same, and would wait for each other: one of each block goes first.
  constexpr std::int64_t kBlock = PimDevice::kBlock;
  parallelFor(options.jobs, ceilDiv(run.steps, kBlock), [&](std::int64_t block) { price(block * kBlock); });
  parallelFor(options.jobs, run.steps, [&](std::int64_t i) {
    if (i % kBlock != 0) price(i);
  });
  PublishedStep sum;
  for (const auto &s : steps) {
    if (!*s) return s->diagnostics();
    const Block &b = **s;
    sum += b.time;
    run.gpu += b.gpu.times(blocks);
    run.pim += b.pim.times(blocks);
    run.link += b.link.times(blocks);
  }
  if (run.steps > 0) run.mean = sum.times(blocks / static_cast<double>(run.steps));
  return run;
}

}  // namespace pimento::llm
