#include "pimento/energy/array/cost.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::energy::array {

namespace {

constexpr double kBytesPerKiB = 1024;
constexpr std::int64_t kWordBits = 32;
constexpr std::int64_t kFarthest = 4;  // times the sizes that a set covers, beyond which costs come with a warning
constexpr double kPsPerNs = 1000;
constexpr double kSquareMicronsPerSquareMillimetre = 1e6;
constexpr double kMicronsPerNanometre = 1e-3;

Parts operator+(const Parts &a, const Parts &b) {
  return {a.decode + b.decode, a.bitlines + b.bitlines, a.cell + b.cell,
          a.sense + b.sense,   a.write + b.write,       a.wires + b.wires};
}

Parts operator*(const Parts &p, double k) {
  return {p.decode * k, p.bitlines * k, p.cell * k, p.sense * k, p.write * k, p.wires * k};
}

/// The model of one cell in one array.
class Estimate {
 public:
  Estimate(const Set &set, const Model &model, const Cell &cell, const Array &array)
      : set_(set),
        model_(model),
        cell_(cell),
        array_(array),
        isOwn_(set.models.contains(cell.name)),
        length_(isOwn_ ? 1 : std::sqrt(cell.area / set.reference->area)) {}

  Costs run() const {
    Costs costs;
    costs.set = set_.name;
    costs.cell = cell_.name;
    const std::int64_t port = array_.portBits;
    costs.readLine = accesses(readOf(port), lineBits(array_) / port);
    costs.readWord = accesses(readOf(port), std::max<std::int64_t>(1, kWordBits / port));
    if (model_.write) costs.write = writeOf(port);
    const Cost row = readOf(lineBits(array_));
    costs.operations[Operation::kRead] = row;
    for (const auto &[operation, steps] : cell_.operations)
      if (model_.operations.empty()) costs.operations[operation] = stepped(row, steps);
    for (const auto &[operation, terms] : model_.operations)
      costs.operations[operation] = fitted(row, operation, terms);
    if (const auto leakage = leakageOf()) costs.leakage = Milliwatts(*leakage);
    if (const auto area = areaOf()) costs.area = SquareMicrons(*area);
    return costs;
  }

 private:
  /// The same access several times.
  static Cost accesses(Cost one, std::int64_t count) {
    const auto times = static_cast<double>(count);
    one.energy = one.energy * times;
    if (one.parts) one.parts = *one.parts * times;
    if (one.latency) one.latency = *one.latency * times;
    return one;
  }

  bool isSequential() const { return array_.access == Access::kSequential; }
  /// Columns sensed by an access to `bits`.
  double columns(std::int64_t bits) const {
    return static_cast<double>(bits) * (isSequential() ? 1 : static_cast<double>(array_.ways));
  }
  /// Bits that leave the array.
  double leaving(std::int64_t bits) const {
    return static_cast<double>(bits) * (array_.access == Access::kFast ? static_cast<double>(array_.ways) : 1);
  }
  double whole() const { return static_cast<double>(array_.size.value) / kBytesPerKiB; }
  double bank() const { return whole() / static_cast<double>(array_.banks); }

  /// Terms for one access, by what they stand for, scaled to the cell.
  struct Scaled {
    double column, wires, edge, size, constant, tags;
    double sum() const { return column + wires + edge + size + constant + tags; }
  };
  /// Wires reach across all banks; everything else is of one.
  Scaled at(const Terms &t, std::int64_t bits) const {
    return {t.column * columns(bits),
            t.wires * leaving(bits) * std::sqrt(whole()) * length_,
            t.edge * std::sqrt(bank()) * length_,
            t.size * bank() * length_ * length_,
            t.constant,
            isSequential() ? t.tags * std::sqrt(bank()) * length_ : 0};
  }

  /// Edges and what every array takes; where the fit has neither, the set's share of what columns do not take.
  Picojoules decodeOf(const Scaled &s) const {
    const double edges = s.edge + s.constant + s.tags;
    if (edges > 0 || !set_.decodeShare) return Picojoules(edges);
    return Picojoules(*set_.decodeShare * (s.wires + s.size));
  }

  const Cell &reference() const { return isOwn_ ? cell_ : *set_.reference; }

  Cost readOf(std::int64_t bits) const {
    const Scaled s = at(*model_.read, bits);
    const Cell::Read &of = reference().read, &mine = cell_.read;
    const double unit = s.column / (of.bitlines + of.cell + of.sense).value;
    const double own = isOwn_ ? unit : columns(bits);
    Parts p;
    p.decode = decodeOf(s);
    p.bitlines = mine.bitlines * unit;
    p.cell = mine.cell * own;
    p.sense = mine.sense * own;
    p.wires = Picojoules(s.sum() - s.column) - p.decode;
    return {p.total(), p, latencyOf(model_.latency, bits, of.time, mine.time), {}};
  }

  /// What is written is `bits`, whatever ways the set's own cells are charged for.
  Cost writeOf(std::int64_t bits) const {
    const Scaled s = at(*model_.write, bits);
    const Cell::Write &of = reference().write, &mine = cell_.write;
    const double unit = s.column / (of.bitlines + of.cell + of.driver).value;
    const double own = isOwn_ ? unit : static_cast<double>(bits);
    Parts p;
    p.decode = decodeOf(s);
    p.bitlines = mine.bitlines * unit;
    p.cell = mine.cell * own;
    p.write = mine.driver * own;
    p.wires = Picojoules(s.sum() - s.column) - p.decode;
    const auto &terms = model_.writeLatency ? model_.writeLatency : model_.latency;
    return {p.total(), p, latencyOf(terms, bits, of.time, mine.time), {}};
  }

  /// The set's time, with the cell's own in place of the reference cell's.
  std::optional<Picoseconds> latencyOf(const std::optional<Terms> &terms, std::int64_t bits, Picoseconds of,
                                       Picoseconds mine) const {
    if (!terms) return std::nullopt;
    const Picoseconds array(at(*terms, bits).sum() * kPsPerNs);
    return isOwn_ ? array : std::max(array - of, Picoseconds(0)) + mine;
  }

  /// What `steps` do beyond the read of a row.
  Parts beyond(const Parts &row, const Steps &steps) const {
    Parts p;
    p.decode = row.decode * (steps.decode - 1);
    p.bitlines = row.bitlines * (steps.bitlines - 1);
    p.cell = row.cell * (steps.cell - 1);
    p.sense = row.sense * (steps.sense - 1) + steps.logic * columns(lineBits(array_));
    p.wires = row.wires * (steps.wires - 1);
    if (steps.write > 0 && model_.write) {
      const Parts w = *writeOf(lineBits(array_)).parts;
      p.write = (w.bitlines + w.cell + w.write) * steps.write;
    }
    return p;
  }

  Cost timed(const Cost &row, const Steps &steps, const Parts &parts) const {
    const Picoseconds more = cell_.read.time * std::max(steps.sense - 1, 0.0) + steps.time;
    std::optional<Picoseconds> latency;
    if (row.latency) latency = *row.latency + more;
    return {parts.total(), parts, latency, more};
  }

  Cost stepped(const Cost &row, const Steps &steps) const {
    return timed(row, steps, *row.parts + beyond(*row.parts, steps));
  }

  /// The set's sum; it splits as the cell's steps do, or is the amplifier's where the cell has none.
  Cost fitted(const Cost &row, Operation operation, const Terms &terms) const {
    const Picojoules more(at(terms, lineBits(array_)).sum());
    const auto known = cell_.operations.find(operation);
    const Steps steps = known != cell_.operations.end() ? known->second : Steps{};
    Parts split = beyond(*row.parts, steps);
    const double sum = split.total().value;
    if (sum > 0) {
      split = split * (more.value / sum);
    } else {
      split = {};
      split.sense = more;
    }
    return timed(row, steps, *row.parts + split);
  }

  /// In mW.
  std::optional<double> leakageOf() const {
    if (!model_.leakage) return std::nullopt;
    const double own = unscaled(*model_.leakage) * static_cast<double>(array_.banks);
    if (isOwn_) return own;
    if (!set_.leakageInCells) return std::nullopt;
    const double share = *set_.leakageInCells;
    const double cells = reference().leakage > 0 ? cell_.leakage / reference().leakage : cell_.leakage;
    return own * (1 - share + share * cells);
  }

  /// In square microns: the reference's array with its cells exchanged.
  std::optional<double> areaOf() const {
    if (!model_.area) return std::nullopt;
    const double own = unscaled(*model_.area) * static_cast<double>(array_.banks) * kSquareMicronsPerSquareMillimetre;
    if (isOwn_) return own;
    const double feature = cell_.nanometres * kMicronsPerNanometre;
    const double perSquare = static_cast<double>(array_.size.value * kBitsPerByte) * feature * feature;
    return std::max(own - perSquare * reference().area, 0.0) + perSquare * cell_.area;
  }

  /// One bank with the reference's cells, a whole port wide.
  double unscaled(const Terms &t) const {
    const auto bits = static_cast<std::int64_t>(array_.portBits);
    return t.column * columns(bits) + t.wires * static_cast<double>(bits) * std::sqrt(bank()) +
           t.edge * std::sqrt(bank()) + t.size * bank() + t.constant;
  }

  const Set &set_;
  const Model &model_;
  const Cell &cell_;
  const Array &array_;
  bool isOwn_;     ///< the set has the cell; otherwise it has a reference cell
  double length_;  ///< of the array's edge, in that of the reference's
};

std::string sizeText(Bytes b) {
  constexpr std::int64_t kKiB = 1024;
  return b.value % kKiB == 0 ? std::to_string(b.value / kKiB) + " KiB" : std::to_string(b.value) + " B";
}

Diagnostic warning(std::string code, std::string message, std::string hint) {
  Diagnostic d = error(std::move(code), {}, std::move(message), std::move(hint));
  d.severity = Severity::kWarning;
  return d;
}

/// What a set's rows do not cover, and what they leave open.
Diagnostics toldOf(const Set &set, const Cell &cell, const Array &a) {
  Diagnostics told;
  const auto models =
      set.models.find(set.models.contains(cell.name) || !set.reference ? cell.name : set.reference->name);
  if ((models == set.models.end() || models->second.contains(kAnyDevice)) && a.device != Device::kHp)
    told.push_back(warning(
        "any-device",
        "set '" + set.name + "' does not say its devices: '" + std::string(name(a.device)) + "' costs what others do",
        "sets cacti7 and mcpat tell devices apart"));
  if (!set.table.empty()) return told;
  const Bytes bank(a.size.value / a.banks);
  if (bank.value * kFarthest < set.smallest.value || a.size.value > set.largest.value * kFarthest) {
    told.push_back(warning("extrapolated",
                           "an array of " + sizeText(a.size) + (a.banks > 1 ? " in banks of " + sizeText(bank) : "") +
                               " is more than 4 times beyond what set '" + set.name + "' covers",
                           "its rows go from " + sizeText(set.smallest) + " to " + sizeText(set.largest)));
  }
  if (std::find(set.access.begin(), set.access.end(), name(a.access)) == set.access.end())
    told.push_back(warning("no-such-access",
                           "set '" + set.name + "' has no row with access mode '" + std::string(name(a.access)) + "'",
                           "its rows have: " + join(set.access, ", ")));
  return told;
}

Result<Costs> fromTable(const Set &set, const Cell &cell, const Array &a) {
  std::vector<std::string> there, cells;
  for (const TableRow &r : set.table) {
    if (std::find(cells.begin(), cells.end(), r.cell) == cells.end()) cells.push_back(r.cell);
    if (r.cell != cell.name) continue;
    if (r.size == a.size && r.ways == a.ways && r.line == a.line && a.banks == 1 && a.portBits == lineBits(a) &&
        a.access == Access::kNormal) {
      Costs costs;
      costs.set = set.name;
      costs.cell = cell.name;
      costs.readLine.energy = costs.readWord.energy = r.read;
      costs.operations[Operation::kRead] = costs.readLine;
      for (const auto &[operation, energy] : r.operations) {
        const auto steps = cell.operations.find(operation);
        Cost c;
        c.energy = energy;
        if (steps != cell.operations.end())
          c.beyondRead = cell.read.time * std::max(steps->second.sense - 1, 0.0) + steps->second.time;
        costs.operations[operation] = c;
      }
      return costs;
    }
    there.push_back(sizeText(r.size) + " with " + std::to_string(r.ways) + " ways");
  }
  if (there.empty())
    return error("no-such-cell", {}, "set '" + set.name + "' has no cell '" + cell.name + "'",
                 suggest(cell.name, cells) + "; sets with a reference cell take any");
  return error("no-such-array", {}, "set '" + set.name + "' is a table and has no such array of '" + cell.name + "'",
               "it has " + join(there, ", ") + ", one bank, whole lines, access mode normal; other sets have models");
}

Result<const Model *> modelFor(const Set &set, const Cell &cell, const Array &a) {
  auto devices = set.models.find(cell.name);
  if (devices == set.models.end()) {
    if (!set.reference) {
      std::vector<std::string> cells;
      for (const auto &[known, models] : set.models) cells.push_back(known);
      return error("no-such-cell", {}, "set '" + set.name + "' has no cell '" + cell.name + "'",
                   suggest(cell.name, cells) + "; sets with a reference cell take any");
    }
    devices = set.models.find(set.reference->name);
  }
  if (const auto any = devices->second.find(kAnyDevice); any != devices->second.end()) return &any->second;
  const auto model = devices->second.find(std::string(name(a.device)));
  if (model != devices->second.end()) return &model->second;
  std::vector<std::string> known;
  for (const auto &[device, m] : devices->second) known.push_back(device);
  return error("no-such-device", {}, "set '" + set.name + "' has no devices '" + std::string(name(a.device)) + "'",
               "it has: " + join(known, ", "));
}

Result<Costs> fromModel(const Set &set, const Cell &cell, const Array &a) {
  const auto model = modelFor(set, cell, a);
  if (!model) return model.diagnostics();
  return Estimate(set, **model, cell, a).run();
}

}  // namespace

Result<Cost> Costs::operation(Operation operation) const {
  if (const auto found = operations.find(operation); found != operations.end()) return found->second;
  std::vector<std::string> known;
  for (const auto &[o, c] : operations) known.emplace_back(name(o));
  return error("no-such-operation", {},
               "cell '" + cell + "' has no operation '" + std::string(name(operation)) + "' in set '" + set + "'",
               "it has: " + join(known, ", "));
}

Result<Costs> cost(const Set &set, const Cell &cell, const Array &array) {
  if (auto status = check(array); !status) return std::move(status.diagnostics());
  if (cell.nanometres != set.nanometres)
    return error("wrong-technology", {},
                 "cell '" + cell.name + "' is of " + std::to_string(cell.nanometres) + " nm, set '" + set.name +
                     "' of " + std::to_string(set.nanometres) + " nm",
                 "give the cell's numbers for " + std::to_string(set.nanometres) + " nm; nothing is scaled");
  Result<Costs> costs = set.table.empty() ? fromModel(set, cell, array) : fromTable(set, cell, array);
  if (costs) costs->told = toldOf(set, cell, array);
  return costs;
}

}  // namespace pimento::energy::array
