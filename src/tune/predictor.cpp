#include "pimento/tune/predictor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "pimento/base/checksum.h"
#include "pimento/base/file.h"
#include "pimento/base/integer.h"
#include "pimento/base/rng.h"
#include "pimento/base/sealed.h"
#include "pimento/base/text.h"
#include "pimento/base/zstd.h"
#include "pimento/kernel/isolate.h"
#include "pimento/machine/identity.h"
#include "pimento/tune/features.h"
#include "pimento/tune/problem.h"

namespace pimento::tune {

namespace {

using evaluate::Objective;
using Json = nlohmann::json;

constexpr std::string_view kMagic = "PIMENTO-PREDICTOR\n";
constexpr std::uint32_t kFileVersion = 1;
constexpr int kRounds = 300, kFurtherRounds = 50;
constexpr std::int64_t kMostContent = std::int64_t{1} << 32;

/// The kernels without sizes: what all shapes of a family share.
std::string familyText(const Problem &problem) {
  kernel::Graph g = *problem.graph;
  for (kernel::Tensor &t : g.tensors) t.shape.assign(t.shape.size(), 0);
  for (kernel::Kernel &k : g.kernels) {
    for (kernel::Dim &d : k.dims) d.extent = 0;
    for (kernel::Affine &a : k.guards) a.constant = 0;
    for (kernel::Value &v : k.body) v.constant = 0;  // such as the scale of attention's scores
  }
  return kernel::shapeText(std::move(g));
}

std::string hashed(const std::string &text) {
  return fmt::format("{:016x}", hashText(text));
}

double pointsOf(const Problem &problem) {
  double points = 0;
  for (const kernel::Kernel &k : problem.graph->kernels) points += static_cast<double>(k.points());
  return std::max(points, 1.0);
}

std::map<std::string, double> numbersOf(const machine::Machine &m) {
  std::map<std::string, double> out;
  for (const auto &[path, n] : m.numbers) out.emplace(path, n.canonical);
  return out;
}

constexpr std::array kObjectives = {Objective::kTime, Objective::kEnergy, Objective::kKernel};

template <typename T>
Json::binary_t binaryOf(const std::vector<T> &values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return Json::binary_t(std::move(bytes));
}

template <typename T>
std::vector<T> vectorIn(const Json &j) {
  const Json::binary_t &bytes = j.get_binary();
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

constexpr std::size_t kCostNumbers = 4;

Json::binary_t binaryOf(const std::vector<evaluate::Cost> &costs) {
  std::vector<double> numbers;
  for (const evaluate::Cost &c : costs) {
    numbers.push_back(static_cast<double>(c.kernel.value));
    numbers.push_back(static_cast<double>(c.total.value));
    numbers.push_back(c.energy.value);
    numbers.push_back(c.kernelEnergy.value);
  }
  return binaryOf(numbers);
}

std::vector<evaluate::Cost> costsIn(const Json &j) {
  const auto numbers = vectorIn<double>(j);
  std::vector<evaluate::Cost> out;
  for (std::size_t i = 0; i + kCostNumbers <= numbers.size(); i += kCostNumbers)
    out.push_back({Cycles(static_cast<std::int64_t>(numbers[i])), Cycles(static_cast<std::int64_t>(numbers[i + 1])),
                   Picojoules(numbers[i + 2]), Picojoules(numbers[i + 3])});
  return out;
}

Diagnostic corrupt(const std::string &path) {
  return error("predictor-corrupt", Location{path, 0, 0}, "this is no predictor, or it was damaged",
               "remove the file: 'pimento tune --engine predictor' trains a new one");
}

}  // namespace

// --- files

std::string Predictor::content() const {
  Json j = {{"features", featureNames()}, {"paths", paths_}};
  for (const SeenMachine &m : machines_)
    j["machines"].push_back({{"name", m.name}, {"identity", m.identity}, {"numbers", m.numbers}});
  for (const Lesson &l : lessons_)
    j["lessons"].push_back({{"family", l.family},
                            {"shape", l.shape},
                            {"machine", l.machine},
                            {"points", l.points},
                            {"rows", Json(binaryOf(l.features.values))},
                            {"costs", Json(binaryOf(l.costs))}});
  for (const auto &[objective, trees] : trees_) {
    const Result<std::string> bytes = trees.bytes();
    if (!bytes) continue;
    j["trees"][std::string(name(objective))] =
        Json(Json::binary_t(std::vector<std::uint8_t>(bytes->begin(), bytes->end())));
  }
  const std::vector<std::uint8_t> cbor = Json::to_cbor(j);
  return {cbor.begin(), cbor.end()};
}

Status Predictor::takeUp(const std::string &content, const std::string &path) {
  const Json j = Json::from_cbor(content, true, false);
  if (j.is_discarded()) return corrupt(path);
  try {
    if (j.at("features").get<std::vector<std::string>>() != featureNames())
      return error("predictor-features", Location{path, 0, 0},
                   "the predictor was trained on other features than this version of Pimento has",
                   "remove the file, and train it again");
    paths_ = j.at("paths").get<std::vector<std::string>>();
    for (const Json &m : j.value("machines", Json::array()))
      machines_.push_back({m.at("name").get<std::string>(), m.at("identity").get<std::string>(),
                           m.at("numbers").get<std::map<std::string, double>>()});
    for (const Json &l : j.value("lessons", Json::array())) {
      Lesson lesson{l.at("family").get<std::string>(),
                    l.at("shape").get<std::string>(),
                    l.at("machine").get<std::size_t>(),
                    l.at("points").get<double>(),
                    {featureNames().size(), vectorIn<float>(l.at("rows"))},
                    costsIn(l.at("costs"))};
      if (lesson.machine >= machines_.size() || lesson.features.rows() != lesson.costs.size() || !(lesson.points >= 1))
        return corrupt(path);
      lessons_.push_back(std::move(lesson));
    }
    for (const Objective objective : kObjectives) {
      const Json trees = j.value("trees", Json::object()).value(std::string(name(objective)), Json());
      if (trees.is_null()) continue;
      const Json::binary_t &bytes = trees.get_binary();
      auto read = BoostedTrees::read(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
      if (!read) return read.diagnostics();
      trees_.emplace(objective, std::move(*read));
    }
  } catch (const Json::exception &) {
    return corrupt(path);
  }
  return okStatus();
}

Result<Predictor> Predictor::read(const std::string &path) {
  const Result<std::string> bytes = readFile(path);
  if (!bytes) return bytes.diagnostics();
  const Unsealed sealed = unseal(kMagic, kFileVersion, *bytes);
  if (sealed.fault == SealFault::kVersion)
    return error("predictor-version", Location{path, 0, 0},
                 fmt::format("the predictor is of version {}; this is version {}", sealed.version, kFileVersion),
                 "remove the file, and train it again");
  if (sealed.fault != SealFault::kNone) return corrupt(path);
  const std::size_t end = sealed.content.find('\n');
  const auto size = end == std::string_view::npos ? std::nullopt : parseInteger(sealed.content.substr(0, end));
  if (!size || *size < 0 || *size > kMostContent) return corrupt(path);
  const auto content = decompressZstd(sealed.content.substr(end + 1), static_cast<std::size_t>(*size));
  if (!content) return corrupt(path);
  Predictor p;
  if (Status s = p.takeUp(*content, path); !s) return s.diagnostics();
  return p;
}

Status Predictor::write(const std::string &path) const {
  constexpr int kLevel = 3;
  const std::string all = content();
  const std::string part = fmt::format("{}.{}", path, getpid());
  if (Status s =
          writeFile(part, seal(kMagic, kFileVersion, fmt::format("{}\n{}", all.size(), compressZstd(all, kLevel))));
      !s)
    return s;
  std::error_code failed;
  std::filesystem::rename(part, path, failed);
  if (failed)
    return error("unwritable-file", Location{path, 0, 0}, fmt::format("cannot write: {}", failed.message()),
                 "name a file in a folder that you may write to");
  return okStatus();
}

std::string Predictor::version() const {
  if (version_.empty()) version_ = fmt::format("{:08x}", crc32(content()));
  return version_;
}

// --- what it knows

bool Predictor::knows(const Problem &problem) const {
  const std::string family = hashed(familyText(problem) + machine::identity(*problem.machine));
  return std::ranges::any_of(lessons_, [&](const Lesson &l) { return l.family == family; });
}

void Predictor::learn(const Problem &problem, std::span<const Draft> drafts) {
  version_.clear();
  const std::string identityText = machine::identity(*problem.machine), id = hashed(identityText);
  auto machine = std::ranges::find(machines_, id, &SeenMachine::identity);
  if (machine == machines_.end())
    machine = machines_.insert(machines_.end(), {problem.machine->name, id, numbersOf(*problem.machine)});
  const std::string shape = hashed(kernel::shapeText(*problem.graph) + identityText);
  auto lesson = std::ranges::find(lessons_, shape, &Lesson::shape);
  if (lesson == lessons_.end())
    lesson = lessons_.insert(lessons_.end(), {hashed(familyText(problem) + identityText),
                                              shape,
                                              static_cast<std::size_t>(machine - machines_.begin()),
                                              pointsOf(problem),
                                              {featureNames().size(), {}},
                                              {}});
  std::set<std::vector<float>> seen;
  const auto keyOf = [](std::span<const float> row) {
    std::vector<float> key(row.begin(), row.end());
    for (float &f : key)
      if (std::isnan(f)) f = -1e30F;  // NaN is not equal to itself
    return key;
  };
  for (std::size_t i = 0; i < lesson->features.rows(); ++i) seen.insert(keyOf(lesson->features.row(i)));
  const Features features(problem);
  std::vector<float> row(featureNames().size());
  for (const Draft &d : drafts) {
    features.of(d.mapping, row);
    if (!seen.insert(keyOf(row)).second) continue;
    lesson->features.add(row);
    lesson->costs.push_back(d.cost);
  }
}

std::int64_t Predictor::drafts() const {
  std::int64_t n = 0;
  for (const Lesson &l : lessons_) n += static_cast<std::int64_t>(l.costs.size());
  return n;
}

std::int64_t Predictor::shapes() const {
  return static_cast<std::int64_t>(lessons_.size());
}

// --- trees

/// Numbers that not all of the machines share.
void Predictor::findPaths() {
  std::map<std::string, std::set<double>> values;
  for (const SeenMachine &m : machines_)
    for (const auto &[path, value] : m.numbers) values[path].insert(value);
  paths_.clear();
  for (const auto &[path, all] : values) {
    const auto have = std::ranges::count_if(machines_, [&](const SeenMachine &m) { return m.numbers.contains(path); });
    if (all.size() > 1 || have < static_cast<std::ptrdiff_t>(machines_.size())) paths_.push_back(path);
  }
}

void Predictor::appendMachine(const std::map<std::string, double> &numbers, std::vector<float> &row) const {
  for (const std::string &path : paths_) {
    const auto n = numbers.find(path);
    row.push_back(n != numbers.end() ? static_cast<float>(n->second) : std::numeric_limits<float>::quiet_NaN());
  }
}

Table Predictor::rows() const {
  Table all{featureNames().size() + paths_.size(), {}};
  for (const Lesson &l : lessons_)
    for (std::size_t i = 0; i < l.features.rows(); ++i) {
      const std::span<const float> own = l.features.row(i);
      std::vector<float> row(own.begin(), own.end());
      appendMachine(machines_[l.machine].numbers, row);
      all.add(row);
    }
  return all;
}

std::vector<float> Predictor::labels(Objective objective) const {
  std::vector<float> out;
  for (const Lesson &l : lessons_)
    for (const evaluate::Cost &c : l.costs)
      out.push_back(static_cast<float>(std::log2(std::max(valueOf(c, objective), 1.0) / l.points)));
  return out;
}

Status Predictor::fit(Objective objective) {
  version_.clear();
  const std::vector<std::string> before = paths_;
  findPaths();
  if (paths_ != before) trees_.clear();
  auto trees = BoostedTrees::fit(rows(), labels(objective), kRounds);
  if (!trees) return trees.diagnostics();
  trees_.insert_or_assign(objective, std::move(*trees));
  return okStatus();
}

Status Predictor::refine(Objective objective) {
  version_.clear();
  const std::vector<std::string> before = paths_;
  findPaths();
  const auto trees = trees_.find(objective);
  if (trees == trees_.end() || paths_ != before) return fit(objective);
  return trees->second.refine(rows(), labels(objective), kFurtherRounds);
}

Result<std::vector<double>> Predictor::predict(const Problem &problem, std::span<const mapping::Mapping> mappings,
                                               Objective objective, int jobs) const {
  const auto trees = trees_.find(objective);
  PIMENTO_CHECK(trees != trees_.end());
  const Features features(problem);
  const std::size_t own = featureNames().size();
  std::vector<float> machine;
  appendMachine(numbersOf(*problem.machine), machine);
  Table table{own + paths_.size(), std::vector<float>(mappings.size() * (own + paths_.size()))};
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const std::span<float> row(table.values.data() + i * table.columns, table.columns);
    features.of(mappings[i], row.first(own));
    std::ranges::copy(machine, row.begin() + static_cast<std::ptrdiff_t>(own));
  }
  const auto labels = trees->second.predict(table, jobs);
  if (!labels) return labels.diagnostics();
  const double points = pointsOf(problem);
  std::vector<double> out;
  for (const float label : *labels) out.push_back(std::exp2(static_cast<double>(label)) * points);
  return out;
}

}  // namespace pimento::tune
