#include "pimento/llm/inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/llm/host.h"
#include "pimento/search/search.h"

namespace pimento::llm {

namespace {

/// Shares of a product that PIM devices may have.
constexpr std::array<double, 5> kShares = {0, 0.25, 0.5, 0.75, 1};

std::vector<Split> splitsOf(LayerKind kind, bool hasPim) {
  if (!hasPim) return {Split{}};
  if (kind == LayerKind::kAttention) return {{0, false}, {1, false}};
  std::vector<Split> out;
  for (const bool isByInputs : {false, true})
    for (const double share : kShares)
      if (share > 0 || !isByInputs) out.push_back({share, isByInputs});
  return out;
}

Step stepAt(const Workload &w, std::int64_t length) {
  return {w.requests, 1, length, w.elementBytes};
}

/// The lengths of the steps of generation, each with the number of steps: token s attends to prompt + s positions.
struct Lengths {
  std::vector<std::int64_t> all;
  explicit Lengths(const Workload &w) {
    for (std::int64_t s = 1; s < w.output; ++s) all.push_back(w.prompt + s);
  }
};

/// The cost of each split of one layer in the whole generation, for a search.
class Splits final : public search::Evaluator {
 public:
  Splits(const System &system, const Model &model, const Workload &w, Layer layer, std::vector<Split> splits, int jobs)
      : system_(system),
        model_(model),
        workload_(w),
        layer_(std::move(layer)),
        splits_(std::move(splits)),
        jobs_(jobs),
        why_(splits_.size()) {}

  /// What cannot be priced is no candidate; that the GPU alone cannot is a mistake of the user's.
  Result<std::vector<search::Candidate>> candidates() {
    std::vector<search::Candidate> out;
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      search::Candidate c;
      if (layer_.kind != LayerKind::kAttention) {
        const Result<Picoseconds> least =
            system_.leastSpan(layer_, splits_[i], model_, stepAt(workload_, workload_.length()));
        if (!least && splits_[i].pim == 0) return least.diagnostics();
        c.isLegal = least.ok();
        if (least)
          c.bound.time = c.guess = least->value * times();
        else
          why_[i] = least.diagnostics().front().message;
      }
      out.push_back(c);
    }
    return out;
  }
  Result<std::vector<std::optional<search::Objectives>>> evaluate(std::span<const std::int64_t> numbers) override {
    std::vector<std::optional<search::Objectives>> out;
    for (const std::int64_t n : numbers) {
      const Result<Picoseconds> span = spanOf(splits_[static_cast<std::size_t>(n)]);
      if (!span && splits_[static_cast<std::size_t>(n)].pim == 0) return span.diagnostics();
      if (!span) why_[static_cast<std::size_t>(n)] = span.diagnostics().front().message;
      out.push_back(span ? std::optional(search::Objectives{span->value, 0}) : std::nullopt);
    }
    return out;
  }
  const std::vector<Split> &splits() const { return splits_; }
  const std::string &why(std::size_t n) const { return why_[n]; }

 private:
  double times() const {
    const auto steps = static_cast<double>(std::max<std::int64_t>(workload_.output - 1, 0));
    return steps * static_cast<double>(layer_.kind == LayerKind::kHead ? 1 : model_.layers);
  }
  Result<Picoseconds> spanOf(const Split &split) const {
    if (layer_.kind != LayerKind::kAttention) {
      const Result<Stage> s = system_.stage(layer_, split, model_, stepAt(workload_, workload_.length()));
      if (!s) return s.diagnostics();
      return Picoseconds(s->span.value * times());
    }
    const std::vector<std::int64_t> lengths = Lengths(workload_).all;
    std::vector<std::optional<Result<Stage>>> stages(lengths.size());
    parallelFor(jobs_, static_cast<std::int64_t>(lengths.size()), [&](std::int64_t i) {
      const Step step = stepAt(workload_, lengths[static_cast<std::size_t>(i)]);
      stages[static_cast<std::size_t>(i)] = system_.stage(attentionOf(step), split, model_, step);
    });
    Picoseconds sum;
    for (const auto &s : stages) {
      if (!*s) return s->diagnostics();
      sum += (*s)->span;
    }
    return Picoseconds(sum.value * static_cast<double>(model_.layers));
  }
  Layer attentionOf(const Step &step) const {
    const std::vector<Layer> block = blockLayers(model_, step, system_.gpus());
    return *std::ranges::find(block, LayerKind::kAttention, &Layer::kind);
  }

  const System &system_;
  const Model &model_;
  const Workload &workload_;
  Layer layer_;
  std::vector<Split> splits_;
  int jobs_;
  std::vector<std::string> why_;
};

/// The layers that may be placed, at a length.
std::vector<Layer> placedLayers(const System &system, const Model &model, const Step &step) {
  std::vector<Layer> out;
  for (Layer &l : blockLayers(model, step, system.gpus()))
    if (std::ranges::find(kPlaced, l.kind) != kPlaced.end()) out.push_back(std::move(l));
  out.push_back(headLayer(model, step, system.gpus()));
  return out;
}

/// Puts layers back onto the GPU until the devices have room for what is left: those that gain least for their bytes
/// first.
void makeRoom(const System &system, const Model &model, const Workload &w, Bytes room, Placement &placement,
              std::vector<Choice> &choices) {
  const auto gainOf = [&](LayerKind kind) {
    double onGpu = 0, chosen = 0;
    for (const Choice &c : choices) {
      if (c.kind != kind || !c.span) continue;
      if (c.split.pim == 0) onGpu = c.span->value;
      if (c.split == placement.of(kind)) chosen = c.span->value;
    }
    Placement alone;
    alone.of(kind) = placement.of(kind);
    const double bytes = useOfPim(model, w, alone, system.gpus(), system.devices(), room).total();
    return bytes > 0 ? (onGpu - chosen) / bytes : 0;
  };
  while (useOfPim(model, w, placement, system.gpus(), system.devices(), room).missing() > 0) {
    std::optional<LayerKind> worst;
    for (const LayerKind kind : kPlaced)
      if (placement.of(kind).pim > 0 && (!worst || gainOf(kind) < gainOf(*worst))) worst = kind;
    if (!worst) return;
    for (Choice &c : choices) {
      if (c.kind != *worst) continue;
      if (c.isChosen) c.why = "no room in the PIM devices";
      c.isChosen = c.split.pim == 0;
    }
    placement.of(*worst) = Split{};
  }
}

Result<Placement> searched(const System &system, const Model &model, const Workload &w, const InferenceOptions &options,
                           std::vector<Choice> &choices) {
  Placement placement;
  for (Layer &layer : placedLayers(system, model, stepAt(w, w.length()))) {
    const LayerKind kind = layer.kind;
    Splits splits(system, model, w, std::move(layer), splitsOf(kind, system.pim() != nullptr), options.jobs);
    const Result<std::vector<search::Candidate>> candidates = splits.candidates();
    if (!candidates) return candidates.diagnostics();
    const Result<search::Found> found = search::BestFirst(1, 2).run(*candidates, splits, {});
    if (!found) return found.diagnostics();
    PIMENTO_CHECK(!found->front.empty());
    const auto best = static_cast<std::size_t>(found->front.front().number);
    for (std::size_t i = 0; i < splits.splits().size(); ++i) {
      const search::Verdict &v = found->verdicts[i];
      Choice c{kind, splits.splits()[i], std::nullopt, splits.why(i), i == best};
      if (v.fate == search::Fate::kEstimated) c.span = Picoseconds(v.cost.time);
      if (v.fate == search::Fate::kBounded) c.why = "no faster even if PIM took no time";
      choices.push_back(std::move(c));
    }
    placement.of(kind) = splits.splits()[best];
  }
  makeRoom(system, model, w, options.pimRoom, placement, choices);
  return placement;
}

LayerRun &runOf(PhaseRun &phase, LayerKind kind, const Split &split) {
  const auto found = std::ranges::find(phase.layers, kind, &LayerRun::kind);
  if (found != phase.layers.end()) return *found;
  LayerRun run;
  run.kind = kind;
  run.split = split;
  phase.layers.push_back(std::move(run));
  return phase.layers.back();
}

void addStage(PhaseRun &phase, const Stage &stage, double times) {
  runOf(phase, stage.kind, stage.split).add(stage, times);
  phase.time += Picoseconds(stage.span.value * times);
  for (const Energy *e : {&stage.gpu, &stage.pim, &stage.link}) phase.energy += e->times(times);
}

/// Layers one after the other, each as a whole; what `move` moves is there behind the first of a block.
std::vector<Task> tasksOfPrompt(const std::vector<Stage> &block, const Stage &head, const Stage &move,
                                std::int64_t blocks) {
  std::vector<Task> tasks;
  std::vector<int> before;
  const auto append = [&](const Stage &stage) {
    tasks.push_back({std::string(name(stage.kind)), stage.kind == LayerKind::kAllReduce ? Device::kPeer : Device::kGpu,
                     stage.span, before});
    before = {static_cast<int>(tasks.size()) - 1};
  };
  for (std::int64_t b = 0; b < blocks; ++b)
    for (const Stage &s : block) {
      append(s);
      if (s.kind != LayerKind::kQkv) continue;
      Task own = move.tasks.front();
      own.after = before;
      tasks.push_back(std::move(own));
    }
  append(head);
  return tasks;
}

/// The GPUs read the prompts. Keys and values go to the devices block by block, while the GPU works on.
Result<PhaseRun> prefillOf(const System &system, const Model &model, const Workload &w, const Placement &placement) {
  PhaseRun phase;
  phase.name = "prefill";
  phase.steps = 1;
  const Step step = {w.requests, w.prompt, w.prompt, w.elementBytes};
  const auto blocks = static_cast<double>(model.layers);
  std::vector<Stage> stages;
  for (const Layer &l : blockLayers(model, step, system.gpus())) {
    Result<Stage> s = system.stage(l, Split{}, model, step);
    if (!s) return s.diagnostics();
    addStage(phase, *s, blocks);
    stages.push_back(std::move(*s));
  }
  const Result<Stage> head = system.stage(headLayer(model, step, system.gpus()), Split{}, model, step);
  if (!head) return head.diagnostics();
  addStage(phase, *head, 1);
  if (placement.attention.pim == 0) return phase;
  const double bytes = model.kvOfToken() / blocks * static_cast<double>(w.requests * w.prompt) * w.elementBytes /
                       static_cast<double>(system.gpus());
  Stage move;
  move.kind = LayerKind::kAttention;
  move.link = system.linkEnergy(bytes);
  move.tasks = {{"keys and values", Device::kLink, system.gpu().link(bytes), {}}};
  runOf(phase, move.kind, move.split).add(move, blocks);
  phase.energy += move.link.times(blocks);
  phase.time = schedule(tasksOfPrompt(stages, *head, move, model.layers)).end;
  return phase;
}

Result<PhaseRun> generationOf(const System &system, const Model &model, const Workload &w, const Placement &placement) {
  PhaseRun phase;
  phase.name = "generation";
  phase.steps = std::max<std::int64_t>(w.output - 1, 0);
  const auto blocks = static_cast<double>(model.layers), steps = static_cast<double>(phase.steps);
  if (phase.steps == 0) return phase;
  const Step last = stepAt(w, w.length() - 1);
  for (const Layer &l : blockLayers(model, last, system.gpus())) {
    if (l.kind == LayerKind::kAttention) {
      for (const std::int64_t length : Lengths(w).all) {
        const Step step = stepAt(w, length);
        for (const Layer &own : blockLayers(model, step, system.gpus())) {
          if (own.kind != l.kind) continue;
          const Result<Stage> s = system.stage(own, placement.attention, model, step);
          if (!s) return s.diagnostics();
          addStage(phase, *s, blocks);
        }
      }
      continue;
    }
    const Result<Stage> s = system.stage(l, placement.of(l.kind), model, last);
    if (!s) return s.diagnostics();
    addStage(phase, *s, blocks * steps);
  }
  const Result<Stage> head = system.stage(headLayer(model, last, system.gpus()), placement.head, model, last);
  if (!head) return head.diagnostics();
  addStage(phase, *head, steps);
  return phase;
}

}  // namespace

void LayerRun::add(const Stage &stage, double times) {
  span += Picoseconds(stage.span.value * times);
  for (const Device d : kDevices) busy[static_cast<std::size_t>(d)] += Picoseconds(stage.busy(d).value * times);
  gpu += stage.gpu.times(times);
  pim += stage.pim.times(times);
  link += stage.link.times(times);
  if (!stage.mapping.empty()) mapping = stage.mapping;
  isMeasured = isMeasured || stage.isMeasured;
}

double PhaseRun::busy(Device device) const {
  double sum = 0;
  for (const LayerRun &l : layers) sum += l.busy[static_cast<std::size_t>(device)].value;
  return time.value > 0 ? sum / time.value : 0;
}

Result<Inference> infer(const System &system, const Model &model, const Workload &w, const InferenceOptions &options) {
  if (Status s = checkSharing(model, system.gpus()); !s) return s.diagnostics();
  Inference out;
  out.model = model;
  out.workload = w;
  // What does not fit anywhere need not be searched for: a GPU has all weights, keys and values may be elsewhere.
  Placement elsewhere;
  if (system.pim() != nullptr) elsewhere.attention.pim = 1;
  if (Status s = checkFits(model, useOfGpu(model, w, elsewhere, system), {}, system.gpus()); !s) return s.diagnostics();
  if (options.placement) {
    out.placement = *options.placement;
  } else {
    Result<Placement> found = searched(system, model, w, options, out.choices);
    if (!found) return found.diagnostics();
    out.placement = *found;
  }
  out.gpuUse = useOfGpu(model, w, out.placement, system);
  if (system.pim() != nullptr)
    out.pimUse = useOfPim(model, w, out.placement, system.gpus(), system.devices(), options.pimRoom);
  if (Status s = checkFits(model, out.gpuUse, out.pimUse, system.gpus()); !s) return s.diagnostics();
  Result<PhaseRun> prefill = prefillOf(system, model, w, out.placement);
  if (!prefill) return prefill.diagnostics();
  Result<PhaseRun> generation = generationOf(system, model, w, out.placement);
  if (!generation) return generation.diagnostics();
  out.prefill = std::move(*prefill);
  out.generation = std::move(*generation);
  return out;
}

Result<std::vector<Task>> tasksOfToken(const System &system, const Model &model, const Workload &w,
                                       const Placement &placement, std::int64_t length, std::int64_t blocks) {
  const Step step = stepAt(w, length);
  std::vector<Task> all;
  std::vector<int> before;  // the last tasks of the layer before
  const auto append = [&](const Layer &layer, const std::string &prefix) -> Status {
    const Result<Stage> s = system.stage(layer, placement.of(layer.kind), model, step);
    if (!s) return s.diagnostics();
    const int first = static_cast<int>(all.size());
    std::vector<bool> isRead(s->tasks.size(), false);
    for (const Task &t : s->tasks) {
      Task own = t;
      own.name = prefix + own.name;
      for (int &a : own.after) {
        isRead[static_cast<std::size_t>(a)] = true;
        a += first;
      }
      if (own.after.empty()) own.after = before;
      all.push_back(std::move(own));
    }
    before.clear();
    for (std::size_t i = 0; i < isRead.size(); ++i)
      if (!isRead[i]) before.push_back(first + static_cast<int>(i));
    return okStatus();
  };
  for (std::int64_t b = 0; b < blocks; ++b)
    for (const Layer &l : blockLayers(model, step, system.gpus()))
      if (Status s = append(l, fmt::format("block {}: ", b)); !s) return s.diagnostics();
  if (Status s = append(headLayer(model, step, system.gpus()), ""); !s) return s.diagnostics();
  return all;
}

}  // namespace pimento::llm
