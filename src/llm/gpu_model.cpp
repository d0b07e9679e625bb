#include "pimento/llm/gpu_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "pimento/llm/gpu_table.h"

namespace pimento::llm {

namespace {

constexpr std::array<std::string_view, 7> kActions = {"gpu_memory_bytes",   "gpu_l2_bytes",   "gpu_l1_bytes",
                                                      "gpu_register_bytes", "gpu_operations", "link_bytes",
                                                      "peer_bytes"};

/// Bytes of a product of m x k and k x n that is cut into tiles of tm x tn, in elements: each operand once per tile of
/// the other, the result once.
double tiledTraffic(const Operation &o, double tm, double tn) {
  return std::ceil(o.n / tn) * o.m * o.k + std::ceil(o.m / tm) * o.n * o.k + o.m * o.n;
}

Picoseconds seconds(double s) {
  return Picoseconds(s * kPsPerSecond);
}

}  // namespace

std::string_view name(OperationKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"products",   "linear", "softmax",    "norm",
                                                      "activation", "gated",  "elementwise"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::span<const std::string_view> hostActionNames() {
  return kActions;
}

Traffic &Traffic::operator+=(const Traffic &o) {
  memory += o.memory;
  l2 += o.l2;
  l1 += o.l1;
  registers += o.registers;
  operations += o.operations;
  return *this;
}

void Traffic::addTo(energy::ActionCounts &counts) const {
  const std::array<double, 5> values = {memory, l2, l1, registers, operations};
  constexpr double kMost = 9e18;
  for (std::size_t i = 0; i < values.size(); ++i)
    counts.add(kActions[i], static_cast<std::int64_t>(std::llround(std::min(values[i], kMost))));
}

struct GpuModel::Tiling {
  double tm = 1, tn = 1;
  double occupancy = 1;
  double traffic = 0;  ///< elements
};

GpuModel::GpuModel(machine::Gpu gpu, std::shared_ptr<const GpuTable> table)
    : gpu_(std::move(gpu)), table_(std::move(table)) {
  PIMENTO_CHECK((gpu_.model == machine::Gpu::Model::kTable) == (table_ != nullptr));
}

double GpuModel::occupancy(double blocks) const {
  const auto processors = static_cast<double>(gpu_.processors);
  return blocks / (processors * std::ceil(blocks / processors));
}

double GpuModel::elementsAtOnce(double elementBytes) {
  constexpr double kNativeBytes = 2;
  return std::max(1.0, std::floor(kNativeBytes / elementBytes));
}

double GpuModel::peak(double elementBytes) const {
  return gpu_.peakGflops * 1e9 * gpu_.computeEfficiency * elementsAtOnce(elementBytes);
}

GpuModel::Tiling GpuModel::tilingInL1(const Operation &o) const {
  const auto fits = [&](double tm, double tn) {
    const double bytes = ((tm + tn) * static_cast<double>(gpu_.l1Depth) + tm * tn) * o.elementBytes;
    return bytes <= static_cast<double>(gpu_.l1.value);
  };
  Tiling best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t edgeM : gpu_.tiles)
    for (const std::int64_t edgeN : gpu_.tiles) {
      const double tm = std::min(static_cast<double>(edgeM), o.m), tn = std::min(static_cast<double>(edgeN), o.n);
      if (!fits(tm, tn)) continue;
      const double tiles = std::ceil(o.m / tm) * std::ceil(o.n / tn);
      const double u = occupancy(o.count * (o.kind == OperationKind::kLinear ? tiles : 1));
      const double traffic = tiledTraffic(o, tm, tn), cost = traffic * o.elementBytes * o.count / (u * u);
      if (cost >= least) continue;
      least = cost;
      best = {tm, tn, u, traffic};
    }
  return best;
}

/// Traffic falls with both edges, so of each height only the widest tile that fits counts.
double GpuModel::trafficByL2(const Operation &o, const Tiling &l1) const {
  const double depth = o.k / static_cast<double>(gpu_.l2Parts);
  const double room = static_cast<double>(gpu_.l2.value) / o.elementBytes;
  double least = l1.traffic;
  const double rows = std::ceil(o.m / l1.tm), columns = std::ceil(o.n / l1.tn);
  for (double i = 1; i <= rows; ++i) {
    const double tm = std::min(i * l1.tm, o.m);
    const double widest = (room - tm * depth) / (depth + tm);  // (tm + tn) depth + tm tn <= room
    const double most = std::min(columns, std::floor(widest / l1.tn));
    const double tn = widest >= o.n ? o.n : most * l1.tn;
    if (tn >= 1) least = std::min(least, tiledTraffic(o, tm, std::min(tn, o.n)));
  }
  return least;
}

GpuTime GpuModel::products(const Operation &o) const {
  const Tiling l1 = tilingInL1(o);
  const double bytes = o.elementBytes * o.count;
  const double offChip = trafficByL2(o, l1) * bytes, flops = o.productFlops();
  const double compute = flops / (peak(o.elementBytes) * l1.occupancy);
  const double memory = offChip / (bandwidth() * l1.occupancy);
  const auto edge = static_cast<double>(gpu_.registerTile);
  GpuTime t;
  t.time = seconds(std::max(compute, memory));
  t.isMemoryBound = memory >= compute;
  t.occupancy = l1.occupancy;
  // Operands in registers are counted once whatever the elements' size and the number of products: as published.
  t.traffic = {offChip, l1.traffic * bytes, tiledTraffic(o, edge, edge) * bytes, 3 * o.m * o.n * o.k, flops};
  return t;
}

GpuTime GpuModel::flat(const Operation &o) const {
  const bool isSoftmax = o.kind == OperationKind::kSoftmax;
  const double elements = o.m * o.n;
  const double bytes = o.count * (isSoftmax ? 2 * elements : (o.k + 1) * elements) * o.elementBytes;
  // Of element-wise kernels one operation per vector counts, as published; they are memory bound.
  const double operations = o.count * (isSoftmax ? gpu_.softmaxOperations * elements : 1);
  const double u = occupancy(o.count);
  const double compute = operations / (peak(o.elementBytes) * u), memory = bytes / (bandwidth() * u);
  return {seconds(std::max(compute, memory)), {bytes, bytes, bytes, bytes, operations}, memory >= compute, false, u};
}

GpuTime GpuModel::overRows(const Operation &o) const {
  const bool isNorm = o.kind == OperationKind::kNorm, isGated = o.kind == OperationKind::kGated;
  const machine::Gpu::Flat &f = isNorm ? gpu_.norm : gpu_.activation;
  const double elements = o.m * o.n, bytes = (isNorm || isGated ? 3 : 2) * elements * o.elementBytes;
  const double operations = elements * (isGated ? f.gatedOperations : f.operations);
  const double memory = f.psPerByte * (gpu_.referenceGBps / gpu_.memoryGBps) * bytes + f.time.value;
  const double compute = operations / (peak(o.elementBytes) * occupancy(1)) * kPsPerSecond;
  return {Picoseconds(std::max(memory, compute)),
          {bytes, bytes, bytes, bytes, operations},
          memory >= compute,
          false,
          occupancy(1)};
}

GpuTime GpuModel::roofline(const Operation &o) const {
  using enum OperationKind;
  GpuTime t = o.kind == kProducts || o.kind == kLinear       ? products(o)
              : o.kind == kSoftmax || o.kind == kElementwise ? flat(o)
                                                             : overRows(o);
  t.time += gpu_.launch;
  return t;
}

Result<GpuTime> GpuModel::time(const Operation &operation) const {
  GpuTime t = roofline(operation);
  if (table_ == nullptr) return t;
  const Result<Picoseconds> measured = table_->time(operation);
  if (!measured) return measured.diagnostics();
  t.time = *measured;
  t.isMeasured = true;
  return t;
}

Picoseconds GpuModel::link(double bytes) const {
  return seconds(bytes / (gpu_.linkGBps * 1e9));
}

Picoseconds GpuModel::allReduce(double bytes, std::int64_t gpus) const {
  if (gpus <= 1) return {};
  const double part = bytes / static_cast<double>(gpus);
  const double message = gpu_.peerLatency.value + gpu_.peerPsPerByte * part * gpu_.peerReferenceGBps / gpu_.peerGBps;
  const double wire = part / (gpu_.peerGBps / 2 * 1e9) * kPsPerSecond;
  return Picoseconds(std::max(message, wire) * static_cast<double>(gpus - 1));
}

}  // namespace pimento::llm
