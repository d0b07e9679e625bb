#include "pimento/machine/sections/gpu.h"

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<Gpu::Model> kModels[] = {{"roofline", Gpu::Model::kRoofline}, {"table", Gpu::Model::kTable}};
constexpr const char *kTable = "gpu.table", *kTiles = "gpu.tiles", *kDevice = "gpu.device";

row::Rows rows() {
  constexpr const char *kTime = "ns|us|ms|ps", *kRate = "GB/s|TB/s|MB/s", *kSize = "B|KiB|MiB|GiB";
  constexpr double kMostSize = 1e13, kMostOperations = 1000, kMostTile = 1 << 20;
  return {
      row::section("gpu", "a GPU that runs the layers of a language model, alone or beside PIM devices"),
      row::choice("gpu.model", choicesOf(kModels), "how the time of a kernel is found"),
      row::text(kTable, "file with measured times, for model: table"),
      row::integer("gpu.processors", "count", 1, row::kMostCount, "streaming multiprocessors", true),
      row::real("gpu.compute_efficiency", "ratio|%", 1e-6, 1, "share of host.peak that kernels reach"),
      row::real("gpu.memory_efficiency", "ratio|%", 1e-6, 1, "share of host.memory_bandwidth that kernels reach"),
      row::real("gpu.memory", kSize, 1, kMostSize, "memory of one GPU"),
      row::real("gpu.l1", kSize, 1, kMostSize, "first-level cache and shared memory of one multiprocessor"),
      row::real("gpu.l2", kSize, 1, kMostSize, "second-level cache"),
      {kTiles,
       ValueKind::kNumbers,
       "count",
       "edges of the tiles of products in L1, in ascending order",
       true,
       1,
       kMostTile,
       true,
       {}},
      row::count("gpu.l1_depth", "depth of a tile in L1"),
      row::count("gpu.l2_parts", "the depth of a tile in L2 is the product's, divided by this"),
      row::count("gpu.register_tile", "edge of the tiles in registers"),
      row::real("gpu.softmax_operations", "count", 0, kMostOperations, "operations per element of a softmax"),
      row::real("gpu.reference_bandwidth", kRate, 1e-9, row::kAny,
                "memory bandwidth of the GPU on which norm and activation were measured"),
      row::section("gpu.norm", "normalisation of the rows of a matrix", true),
      row::real("gpu.norm.time", kTime, 0, row::kAny, "fixed part"),
      row::real("gpu.norm.slope", "ps/B", 0, row::kAny, "per byte moved, at reference_bandwidth"),
      row::real("gpu.norm.operations", "count", 0, kMostOperations, "per element"),
      row::section("gpu.activation", "a function of each element of a matrix", true),
      row::real("gpu.activation.time", kTime, 0, row::kAny, "fixed part"),
      row::real("gpu.activation.slope", "ps/B", 0, row::kAny, "per byte moved, at reference_bandwidth"),
      row::real("gpu.activation.operations", "count", 0, kMostOperations, "per element"),
      row::real("gpu.activation.gated_operations", "count", 0, kMostOperations,
                "per element, where it is multiplied by a gate"),
      row::real("gpu.launch", kTime, 0, row::kAny, "added to every kernel; 0 if omitted", false),
      row::section("gpu.peer", "link between GPUs", true),
      row::real("gpu.peer.bandwidth", kRate, 1e-9, row::kAny, "of one GPU, both directions together"),
      row::real("gpu.peer.latency", kTime, 0, row::kAny, "fixed part of a message"),
      row::real("gpu.peer.slope", "ps/B", 0, row::kAny, "per byte of a message, at reference_bandwidth"),
      row::real("gpu.peer.reference_bandwidth", kRate, 1e-9, row::kAny, "of the link on which slope was measured"),
      row::text(kDevice, "machine of a PIM device, unless --target says otherwise", true),
      row::count("gpu.devices", "PIM devices of one GPU, unless --devices says otherwise"),
      row::section("gpu.study", "what published estimates of PIM devices assume beside command streams"),
      row::real("gpu.study.near_bandwidth", kRate, 1e-9, row::kAny,
                "between the banks and the units of one PIM device"),
      row::real("gpu.study.device_bandwidth", kRate, 1e-9, row::kAny,
                "between one PIM device and its GPU, for softmax"),
  };
}

/// Texts and lists stand in no other part of Machine.
void build(const Contents &c, Machine &m) {
  if (!c.has("gpu")) return;
  for (const char *path : {kTable, kDevice}) {
    const Value *text = c.get(path);
    if (text == nullptr) continue;
    m.words[path] = text->text;
    m.places[path] = text->where;
  }
  if (const Value *tiles = c.get(kTiles)) {
    std::vector<std::string> words;
    for (const std::int64_t t : tiles->numbers) words.push_back(std::to_string(t));
    m.words[kTiles] = join(words, " ");
  }
}

void check(const Contents &c, const Machine & /*m*/) {
  if (!c.has("gpu")) return;
  const Value *tiles = c.get(kTiles);
  if (tiles != nullptr && std::ranges::adjacent_find(tiles->numbers, std::greater_equal<>()) != tiles->numbers.end())
    c.impossible(kTiles, "the edges of tiles do not rise", "list each once, in ascending order");
  if (c.text("gpu.model") == textOf(kModels, Gpu::Model::kTable) && c.get(kTable) == nullptr)
    c.report("missing-key", "gpu", "'gpu.table' is missing", "name the file with the measured times");
}

}  // namespace

Result<Gpu> gpuOf(const Machine &machine) {
  if (!machine.places.contains("gpu"))
    return error("missing-section", machine.where(""), "machine '" + machine.name + "' has no section 'gpu'",
                 "a host is a GPU: see hosts/published.yaml");
  const auto real = [&](const std::string &path) {
    const auto n = machine.numbers.find(path);
    return n != machine.numbers.end() ? n->second.canonical : 0.0;
  };
  const auto whole = [&](const std::string &path) { return static_cast<std::int64_t>(real(path)); };
  const auto word = [&](const std::string &path) {
    const auto w = machine.words.find(path);
    return w != machine.words.end() ? w->second : std::string();
  };
  constexpr double kPsPerNs = 1000;
  const auto time = [&](const std::string &path) { return Picoseconds(real(path) * kPsPerNs); };
  Gpu g;
  g.model = enumOf(kModels, word("gpu.model"));
  g.table = word(kTable);
  g.processors = whole("gpu.processors");
  g.peakGflops = machine.host.peakGflops;
  g.memoryGBps = machine.host.memoryGBps;
  g.computeEfficiency = real("gpu.compute_efficiency");
  g.memoryEfficiency = real("gpu.memory_efficiency");
  g.memory = Bytes(whole("gpu.memory"));
  g.l1 = Bytes(whole("gpu.l1"));
  g.l2 = Bytes(whole("gpu.l2"));
  const std::string tiles = word(kTiles);
  for (const std::string_view t : split(tiles, ' '))
    if (const auto n = parseInteger(t)) g.tiles.push_back(*n);
  g.l1Depth = whole("gpu.l1_depth");
  g.l2Parts = whole("gpu.l2_parts");
  g.registerTile = whole("gpu.register_tile");
  g.softmaxOperations = real("gpu.softmax_operations");
  g.referenceGBps = real("gpu.reference_bandwidth");
  g.norm = {time("gpu.norm.time"), real("gpu.norm.slope"), real("gpu.norm.operations"), 0};
  g.activation = {time("gpu.activation.time"), real("gpu.activation.slope"), real("gpu.activation.operations"),
                  real("gpu.activation.gated_operations")};
  g.launch = time("gpu.launch");
  g.linkGBps = machine.host.linkGBps;
  g.peerGBps = real("gpu.peer.bandwidth");
  g.peerLatency = time("gpu.peer.latency");
  g.peerPsPerByte = real("gpu.peer.slope");
  g.peerReferenceGBps = real("gpu.peer.reference_bandwidth");
  g.device = word(kDevice);
  g.devices = whole("gpu.devices");
  g.nearGBps = real("gpu.study.near_bandwidth");
  g.deviceGBps = real("gpu.study.device_bandwidth");
  return g;
}

Section section::gpu() {
  return {rows, build, check};
}

}  // namespace pimento::machine
