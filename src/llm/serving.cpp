#include "pimento/llm/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "pimento/base/integer.h"
#include "pimento/llm/gpu_model.h"
#include "pimento/llm/pim.h"

namespace pimento::llm {

namespace {

/// A request that runs: how many positions it has.
struct Running {
  int request = 0;
  std::int64_t length = 0, left = 0;
};

class Server {
 public:
  Server(const System &system, const Model &model, const std::vector<Request> &requests, const ServingOptions &options)
      : system_(system), model_(model), requests_(requests), options_(options) {}

  Result<Served> run() {
    if (Status s = place(); !s) return s.diagnostics();
    out_.requests.resize(requests_.size());
    std::size_t next = 0;
    double now = 0;
    while (next < requests_.size() || !running_.empty()) {
      if (next < requests_.size() && running_.empty()) now = std::max(now, requests_[next].arrival.value);
      const bool isAdmitted = next < requests_.size() && requests_[next].arrival.value <= now && hasRoom(next);
      Result<double> end = isAdmitted ? prompt(static_cast<int>(next++), now) : token(now);
      if (!end) return end.diagnostics();
      now = *end;
    }
    out_.end = Picoseconds(now);
    return std::move(out_);
  }

 private:
  double keyBytes(const Request &r) const {
    return model_.kvOfToken() * static_cast<double>(r.prompt + r.output) * options_.elementBytes;
  }
  bool hasRoom(std::size_t request) const {
    return static_cast<std::int64_t>(running_.size()) < options_.mostRequests &&
           promised_ + keyBytes(requests_[request]) <= out_.keyRoom;
  }

  /// Where weights, keys and values lie.
  Status place() {
    const Workload longest = {1, longestPrompt(), 1, options_.elementBytes};
    Placement onGpu;
    Use gpu = useOfGpu(model_, longest, onGpu, system_);
    gpu.keysAndValues = 0;  // they take what is left
    if (Status s = checkFits(model_, gpu, {}, system_.gpus()); !s) return s;
    const double gpus = static_cast<double>(system_.gpus());
    out_.keyRoom = (static_cast<double>(gpu.room.value) - gpu.total()) * gpus;
    if (system_.pim() != nullptr) {
      const double devices = gpus * static_cast<double>(system_.devices());
      const double room = static_cast<double>(options_.pimRoom.value) * devices;
      double weights = 0;
      for (const LayerKind kind : kPlaced) weights += weightBytes(model_, kind, options_.elementBytes);
      if (Status s = placeKeys(); !s) return s;
      areWeightsOnPim_ = weights < room;
      if (areWeightsOnPim_ && out_.isAttentionOnPim && room - weights < longestKeys()) areWeightsOnPim_ = false;
      if (out_.isAttentionOnPim) out_.keyRoom = room - (areWeightsOnPim_ ? weights : 0);
    }
    for (const Request &r : requests_)
      if (keyBytes(r) > out_.keyRoom)
        return capacityError("request-does-not-fit", {model_.name, 0, 0},
                             fmt::format("keys and values of {} tokens take {:.2f} GiB, {:.2f} GiB more than there are",
                                         r.prompt + r.output, keyBytes(r) / kGib, (keyBytes(r) - out_.keyRoom) / kGib),
                             "use more GPUs or PIM devices, or leave the request out");
    return okStatus();
  }
  std::int64_t longestPrompt() const {
    std::int64_t most = 1;
    for (const Request &r : requests_) most = std::max(most, r.prompt);
    return most;
  }
  double longestKeys() const {
    double most = 0;
    for (const Request &r : requests_) most = std::max(most, keyBytes(r));
    return most;
  }

  /// On the side where attention of a usual batch is faster.
  Status placeKeys() {
    std::int64_t tokens = 0;
    for (const Request &r : requests_) tokens += r.prompt + r.output / 2;
    const std::int64_t length = ceilDiv(tokens, static_cast<std::int64_t>(requests_.size()));
    const std::int64_t batch = std::min(options_.mostRequests, static_cast<std::int64_t>(requests_.size()));
    const Step step = {static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(batch))), 1, length,
                       options_.elementBytes};
    const Layer layer = layerOf(LayerKind::kAttention, step);
    const Result<Stage> gpu = system_.stage(layer, {0, false}, model_, step);
    if (!gpu) return gpu.diagnostics();
    const Result<Stage> pim = system_.stage(layer, {1, false}, model_, step);
    out_.isAttentionOnPim = pim && pim->span < gpu->span;
    return okStatus();
  }

  Layer layerOf(LayerKind kind, const Step &step) const {
    if (kind == LayerKind::kHead) return headLayer(model_, step, system_.gpus());
    const std::vector<Layer> block = blockLayers(model_, step, system_.gpus());
    return *std::ranges::find(block, kind, &Layer::kind);
  }

  /// All blocks of a layer, where it is fastest among what is allowed.
  Result<const LayerTime *> layer(LayerKind kind, const Step &step, bool isPrompt) {
    const bool hasLength = kind == LayerKind::kAttention;
    const std::string key = fmt::format("{} {} {} {}", isPrompt ? "prompt" : "token", name(kind), step.requests,
                                        isPrompt || hasLength ? step.length : 0);
    if (const auto known = out_.layers.find(key); known != out_.layers.end()) return &known->second;
    const Layer asked = layerOf(kind, step);
    std::vector<Split> splits = {{0, false}};
    if (!isPrompt && hasLength && out_.isAttentionOnPim) splits = {{1, false}};
    if (!isPrompt && asked.isProduct() && areWeightsOnPim_) splits.push_back({1, false});
    std::optional<Stage> best;
    Diagnostics why;
    for (const Split &s : splits) {
      Result<Stage> stage = system_.stage(asked, s, model_, step);
      if (!stage) {
        why = stage.diagnostics();
        continue;
      }
      if (!best || stage->span < best->span) best = std::move(*stage);
    }
    if (!best) return why;
    const double times = kind == LayerKind::kHead ? 1 : static_cast<double>(model_.layers);
    LayerTime t{kind, isPrompt, step.requests, isPrompt || hasLength ? step.length : 0, best->split, {}, {}, {}, {}};
    t.time = Picoseconds(best->span.value * times);
    for (const Device d : kDevices) t.busy[static_cast<std::size_t>(d)] = Picoseconds(best->busy(d).value * times);
    for (const Energy *e : {&best->gpu, &best->pim, &best->link}) t.energy += e->times(times);
    t.mapping = best->mapping;
    return &out_.layers.emplace(key, std::move(t)).first->second;
  }

  Status append(ServedStep &step, LayerKind kind, const Step &shape) {
    const Result<const LayerTime *> t = layer(kind, shape, step.isPrompt);
    if (!t) return t.diagnostics();
    step.layers.push_back(*t);
    return okStatus();
  }

  /// Keeps a step that begins now; its end.
  double keep(ServedStep step, double now) {
    step.begin = step.end = Picoseconds(now);
    for (const LayerTime *t : step.layers) {
      step.end += t->time;
      out_.energy += t->energy;
      for (std::size_t d = 0; d < kDevices.size(); ++d) out_.busy[d] += t->busy[d];
    }
    const double end = step.end.value;
    out_.steps.push_back(std::move(step));
    return end;
  }

  Result<double> prompt(int request, double now) {
    const Request &r = requests_[static_cast<std::size_t>(request)];
    ServedStep step;
    step.isPrompt = true;
    step.requests = {request};
    const Step shape = {1, r.prompt, r.prompt, options_.elementBytes};
    for (const Layer &l : blockLayers(model_, shape, system_.gpus()))
      if (Status s = append(step, l.kind, shape); !s) return s.diagnostics();
    if (Status s = append(step, LayerKind::kHead, shape); !s) return s.diagnostics();
    if (out_.isAttentionOnPim) step.layers.push_back(move(r.prompt));
    const double end = keep(std::move(step), now);
    ServedRequest &served = out_.requests[static_cast<std::size_t>(request)];
    served = {Picoseconds(now), Picoseconds(end), Picoseconds(end)};
    ++out_.tokens;
    if (r.output == 1) return end;
    running_.push_back({request, r.prompt, r.output - 1});
    promised_ += keyBytes(r);
    out_.mostRequests = std::max(out_.mostRequests, static_cast<std::int64_t>(running_.size()));
    out_.mostKeyBytes = std::max(out_.mostKeyBytes, promised_);
    return end;
  }

  /// Keys and values of a prompt go to the devices when it has been read.
  const LayerTime *move(std::int64_t prompt) {
    const std::string key = fmt::format("move {}", prompt);
    if (const auto known = out_.layers.find(key); known != out_.layers.end()) return &known->second;
    const double bytes =
        model_.kvOfToken() * static_cast<double>(prompt) * options_.elementBytes / static_cast<double>(system_.gpus());
    LayerTime t{LayerKind::kAttention, true, 1, prompt, {}, system_.gpu().link(bytes), {}, {}, {}};
    t.busy[static_cast<std::size_t>(Device::kLink)] = t.time;
    t.energy = system_.linkEnergy(bytes);
    return &out_.layers.emplace(key, std::move(t)).first->second;
  }

  Result<double> token(double now) {
    PIMENTO_CHECK(!running_.empty());
    ServedStep step;
    std::vector<std::int64_t> lengths;
    for (Running &r : running_) {
      step.requests.push_back(r.request);
      lengths.push_back(++r.length);
    }
    std::ranges::sort(lengths, std::greater<>());
    const Step shape = {static_cast<std::int64_t>(running_.size()), 1, lengths.front(), options_.elementBytes};
    for (const Layer &l : blockLayers(model_, shape, system_.gpus())) {
      if (l.kind != LayerKind::kAttention) {
        if (Status s = append(step, l.kind, shape); !s) return s.diagnostics();
        continue;
      }
      for (std::size_t first = 0; first < lengths.size();) {
        const std::size_t group = std::bit_floor(lengths.size() - first);
        const std::int64_t length = ceilDiv(lengths[first], PimDevice::kBlock) * PimDevice::kBlock;
        const Step own = {static_cast<std::int64_t>(group), 1, length, options_.elementBytes};
        if (Status s = append(step, l.kind, own); !s) return s.diagnostics();
        first += group;
      }
    }
    if (Status s = append(step, LayerKind::kHead, shape); !s) return s.diagnostics();
    const double end = keep(std::move(step), now);
    out_.tokens += static_cast<std::int64_t>(running_.size());
    for (Running &r : running_)
      if (--r.left == 0) {
        out_.requests[static_cast<std::size_t>(r.request)].done = Picoseconds(end);
        promised_ -= keyBytes(requests_[static_cast<std::size_t>(r.request)]);
      }
    std::erase_if(running_, [](const Running &r) { return r.left == 0; });
    return end;
  }

  static constexpr double kGib = 1024.0 * 1024 * 1024;

  const System &system_;
  const Model &model_;
  const std::vector<Request> &requests_;
  const ServingOptions &options_;
  bool areWeightsOnPim_ = false;
  std::vector<Running> running_;
  double promised_ = 0;
  Served out_;
};

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto at = static_cast<std::size_t>(std::max(rank - 1, 0.0));
  return values[std::min(at, values.size() - 1)];
}

Result<Served> serve(const System &system, const Model &model, const std::vector<Request> &requests,
                     const ServingOptions &options) {
  if (Status s = checkSharing(model, system.gpus()); !s) return s.diagnostics();
  return Server(system, model, requests, options).run();
}

}  // namespace pimento::llm
