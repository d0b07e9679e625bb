#include "pimento/energy/array/set.h"

#include <array>
#include <utility>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/energy/array/data_file.h"
#include "pimento/machine/sections/rows.h"

namespace pimento::energy::array {

namespace {

namespace row = machine::row;

constexpr const char *kByteUnits = "B|KiB|MiB";
constexpr double kMostSetBytes = 1e12;
constexpr std::string_view kSetShelf = "arrays";
constexpr const char *kSetHelp = "machines/arrays/cacti7.yaml is such a file";

struct TermKey {
  const char *key, *meaning;
  double Terms::*member;
};
constexpr std::array<TermKey, 6> kTerms{{{"column", "per bit and way read", &Terms::column},
                                         {"wires", "per bit and square root of KiB", &Terms::wires},
                                         {"edge", "per square root of KiB", &Terms::edge},
                                         {"size", "per KiB", &Terms::size},
                                         {"constant", "for every array", &Terms::constant},
                                         {"tags", "per square root of KiB where tags come first", &Terms::tags}}};

struct Quantity {
  const char *key, *unit, *meaning;
  std::optional<Terms> Model::*member;
};
constexpr std::array<Quantity, 6> kQuantities{{{"read", kEnergyUnits, "energy of a read", &Model::read},
                                               {"write", kEnergyUnits, "energy of a write", &Model::write},
                                               {"latency", kTimeUnits, "of a read", &Model::latency},
                                               {"write_latency", kTimeUnits, "of a write", &Model::writeLatency},
                                               {"leakage", "mW|W|uW", "power of the whole array", &Model::leakage},
                                               {"area", "mm2", "of the whole array", &Model::area}}};

std::vector<std::string> deviceKeys() {
  std::vector<std::string> keys{kAnyDevice};
  for (const Device d : devices()) keys.emplace_back(name(d));
  return keys;
}

void appendQuantity(row::Rows &rows, const std::string &path, const char *unit, const char *meaning) {
  rows.push_back(row::section(path, meaning));
  for (const TermKey &t : kTerms) rows.push_back(row::real(path + "." + t.key, unit, 0, row::kAny, t.meaning, false));
}

const machine::Place &setPlaces() {
  static const std::vector<machine::SchemaRow> kRows = [] {
    row::Rows rows = row::everywhere();
    std::vector<std::string> modes;
    for (const Access a : accesses()) modes.emplace_back(name(a));
    row::append(rows, {row::text("name", "name of the set", true), row::text("about", "whose numbers they are", true),
                       row::integer("technology", "nm", 1, 1000, "feature size", true),
                       row::list("access", "access modes of its rows: normal, sequential, fast", modes, true),
                       row::section("covers", "arrays among its rows"),
                       row::integer("covers.smallest", kByteUnits, 1, kMostSetBytes, "size", true),
                       row::integer("covers.largest", kByteUnits, 1, kMostSetBytes, "size", true),
                       row::text("reference", "cell of its rows, from which others are scaled"),
                       row::real("leakage_in_cells", "ratio|%", 0, 1, "share, of arrays of the reference cell", false),
                       row::real("decode_share", "ratio|%", 0, 1,
                                 "decoders in what columns do not take, for terms without edge", false),
                       row::section("models", "sums of terms, by cell and device"),
                       row::word("models.*", "a cell, by device: any, hp, lop, lstp"),
                       row::section("table", "arrays whose energies are given as such"),
                       row::section("table.*", "one array"), row::text("table.*.cell", "what it is made of", true),
                       row::integer("table.*.size", kByteUnits, 1, kMostSetBytes, "its bytes", true),
                       row::integer("table.*.ways", "count", 1, 1024, "its associativity", true),
                       row::integer("table.*.line", kByteUnits, 1, kMostSetBytes, "bytes of a line", true),
                       row::real("table.*.read", kEnergyUnits, 0, row::kAny, "energy of a read")});
    for (const std::string &d : deviceKeys()) {
      const std::string path = "models.*." + d;
      rows.push_back(row::section(path, "with these devices"));
      for (const Quantity &q : kQuantities) appendQuantity(rows, path + "." + q.key, q.unit, q.meaning);
      for (const Operation o : operations())
        appendQuantity(rows, path + "." + std::string(name(o)), kEnergyUnits, "energy of an operation beyond a read");
    }
    for (const Operation o : operations())
      rows.push_back(
          row::real("table.*." + std::string(name(o)), kEnergyUnits, 0, row::kAny, "energy of an operation", false));
    return rows;
  }();
  static const machine::Place kPlaces = machine::placesOf(kRows);
  return kPlaces;
}

std::optional<Terms> termsOf(const DataFile &f, const std::string &path) {
  if (!f.has(path)) return std::nullopt;
  Terms terms;
  for (const TermKey &t : kTerms) terms.*t.member = f.real(path + "." + t.key);
  return terms;
}

Model modelOf(const DataFile &f, const std::string &path) {
  Model m;
  for (const Quantity &q : kQuantities) m.*q.member = termsOf(f, path + "." + q.key);
  for (const Operation o : operations())
    if (const auto terms = termsOf(f, path + "." + std::string(name(o)))) m.operations[o] = *terms;
  return m;
}

TableRow tableRowOf(const DataFile &f, const std::string &path) {
  TableRow r;
  r.cell = f.text(path + ".cell");
  r.size = Bytes(static_cast<std::int64_t>(f.real(path + ".size")));
  r.line = Bytes(static_cast<std::int64_t>(f.real(path + ".line")));
  r.ways = static_cast<int>(f.real(path + ".ways"));
  r.read = Picojoules(f.real(path + ".read"));
  for (const Operation o : operations()) {
    const std::string at = path + "." + std::string(name(o));
    if (f.has(at)) r.operations[o] = Picojoules(f.real(at));
  }
  return r;
}

/// What must hold between the parts of a set.
Status checkSet(const DataFile &f, const Set &set) {
  if (set.models.empty() == set.table.empty())
    return error("impossible-set", f.root.where, "a set has either models or a table",
                 "add 'models:', by cell and device, or 'table:'");
  if (!set.models.empty() && !f.has("covers"))
    return error("missing-key", f.root.where, "'covers' is missing", "add it: the smallest and the largest array");
  if (set.smallest > set.largest)
    return error("impossible-set", f.where("covers"), "the smallest array is larger than the largest", "swap them");
  for (const auto &[cell, devices] : set.models)
    for (const auto &[device, model] : devices)
      if (!model.read)
        return error("missing-key", f.where("models." + cell + "." + device),
                     "'models." + cell + "." + device + ".read' is missing", "add it: the energy of a read");
  if (set.reference && !set.models.contains(set.reference->name))
    return error("impossible-set", f.where("reference"),
                 "the reference cell '" + set.reference->name + "' is not among the models",
                 "name a cell that stands below 'models'");
  return okStatus();
}

}  // namespace

Result<Set> parseSet(std::string_view yaml, std::string_view file, const std::vector<std::string> &folders) {
  auto read = readDataFile(yaml, file, setPlaces(), kSetHelp);
  if (!read) return std::move(read.diagnostics());
  const DataFile &f = *read;
  Set set;
  set.name = f.text("name");
  set.about = f.text("about");
  set.nanometres = static_cast<int>(f.real("technology"));
  set.access = f.list("access");
  set.smallest = Bytes(static_cast<std::int64_t>(f.real("covers.smallest")));
  set.largest = Bytes(static_cast<std::int64_t>(f.real("covers.largest")));
  for (const std::string &cell : f.keys("models"))
    for (const std::string &device : f.keys("models." + cell))
      if (f.root.at("models." + cell + "." + device)->isMapping())
        set.models[cell][device] = modelOf(f, "models." + cell + "." + device);
  for (const std::string &row : f.keys("table"))
    if (f.root.at("table." + row)->isMapping()) set.table.push_back(tableRowOf(f, "table." + row));
  if (f.has("reference")) {
    auto cell = loadCell(f.text("reference"), folders);
    if (!cell) return std::move(cell.diagnostics());
    set.reference = std::move(*cell);
  }
  if (f.has("decode_share")) set.decodeShare = f.real("decode_share");
  if (f.has("leakage_in_cells")) set.leakageInCells = f.real("leakage_in_cells");
  if (auto status = checkSet(f, set); !status) return std::move(status.diagnostics());
  set.numbers = std::move(read->values.numbers);
  return set;
}

Result<Set> loadSet(std::string_view nameOrFile, const std::vector<std::string> &folders) {
  const auto path = findDataFile(kSetShelf, nameOrFile, folders);
  if (!path)
    return error("unknown-set", {}, "unknown set '" + std::string(nameOrFile) + "'",
                 suggest(nameOrFile, listSets(folders)) + "; or a path that ends in .yaml");
  const auto contents = readFile(*path);
  if (!contents) return contents.diagnostics();
  return parseSet(*contents, *path, folders);
}

std::vector<std::string> listSets(const std::vector<std::string> &folders) {
  return listDataFiles(kSetShelf, folders);
}

}  // namespace pimento::energy::array
