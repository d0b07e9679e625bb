#include "pimento/tune/calibration_tables.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "pimento/base/csv.h"
#include "pimento/base/text.h"

namespace pimento::tune {

namespace {

constexpr std::int64_t kMostTasklets = 24, kMostBytes = 2048, kMostTransfers = 64, kMostBarriers = 64;
constexpr std::int64_t kUnit = 8, kMostValue = 0xFFFFFFFF;
constexpr double kMostCycles = 1e9;

/// One row, its numbers checked.
class Row {
 public:
  Row(const CsvTable &table, const CsvTable::Row &row, const std::string &file)
      : table_(table), row_(row), where_{file, row.line, 1} {}

  std::string text(std::string_view column) {
    if (const auto cell = table_.cell(row_, column)) return std::string(*cell);
    report("column '" + std::string(column) + "' is missing in this row", "every row needs all columns");
    return {};
  }
  std::int64_t integer(std::string_view column, std::int64_t low, std::int64_t high) {
    const std::string cell = text(column);
    const auto n = parseInteger(cell);
    if (n && *n >= low && *n <= high) return *n;
    report("column '" + std::string(column) + "' holds '" + cell + "'",
           "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return low;
  }
  double cycles(std::string_view column) {
    const std::string cell = text(column);
    const auto n = parseNumber(cell);
    if (n && *n > 0 && *n <= kMostCycles) return *n;
    report("column '" + std::string(column) + "' holds '" + cell + "'", "a number of cycles above 0");
    return 1;
  }
  void report(std::string message, std::string hint) {
    if (!diagnostic_) diagnostic_ = error("bad-table", where_, std::move(message), std::move(hint));
  }
  const Location &where() const { return where_; }
  const std::optional<Diagnostic> &diagnostic() const { return diagnostic_; }

 private:
  const CsvTable &table_;
  const CsvTable::Row &row_;
  Location where_;
  std::optional<Diagnostic> diagnostic_;
};

template <typename T, typename Key>
void add(std::vector<T> &rows, T row, Row &r, Key key) {
  for (const T &other : rows)
    if (key(other) == key(row))
      r.report("line " + std::to_string(other.where.line) + " already has this measurement",
               "keep one of the two rows");
  rows.push_back(std::move(row));
}

void addTransfer(Row &r, CalibrationTables &tables) {
  TransferRow t;
  const std::string op = r.text("op");
  t.isRead = op == "DMA_LOAD";
  if (!t.isRead && op != "DMA_STORE") r.report("'" + op + "' is not a transfer", "use DMA_LOAD or DMA_STORE");
  t.bytes = r.integer("size_bytes", kUnit, kMostBytes);
  if (t.bytes % kUnit != 0)
    r.report("a transfer of " + std::to_string(t.bytes) + " bytes is impossible", "use a multiple of 8");
  t.tasklets = r.integer("tasklets", 1, kMostTasklets);
  t.transfers = r.integer("n_dma", 1, kMostTransfers);
  t.cycles = r.cycles("cycles_per_iteration");
  t.where = r.where();
  add(tables.transfers, t, r,
      [](const TransferRow &x) { return std::tuple(x.isRead, x.bytes, x.tasklets, x.transfers); });
}

void addOperation(Row &r, CalibrationTables &tables) {
  add(tables.operations, {r.text("op"), r.text("dtype"), r.cycles("cycles_1_tasklet"), r.where()}, r,
      [](const OperationRow &x) { return std::tuple(x.op, x.type); });
}

void addMultiply(Row &r, CalibrationTables &tables) {
  add(tables.multiplications, {r.integer("operand_value", 0, kMostValue), r.cycles("cycles"), r.where()}, r,
      [](const MultiplyRow &x) { return x.value; });
}

void addBarrier(Row &r, CalibrationTables &tables) {
  add(tables.barriers,
      {r.integer("tasklets", 1, kMostTasklets), r.integer("barrier_count", 1, kMostBarriers),
       r.cycles("cycles_per_barrier_call"), r.where()},
      r, [](const BarrierRow &x) { return std::tuple(x.tasklets, x.barriers); });
}

struct Form {
  std::vector<std::string_view> columns;
  void (*add)(Row &, CalibrationTables &);
};

const Form *formOf(const CsvTable &table) {
  static const std::vector<Form> kForms{
      {{"op", "size_bytes", "tasklets", "n_dma", "cycles_per_iteration"}, addTransfer},
      {{"op", "dtype", "cycles_1_tasklet"}, addOperation},
      {{"operand_value", "cycles"}, addMultiply},
      {{"tasklets", "barrier_count", "cycles_per_barrier_call"}, addBarrier}};
  for (const Form &f : kForms) {
    if (std::all_of(f.columns.begin(), f.columns.end(), [&](std::string_view c) { return table.has(c); })) return &f;
  }
  return nullptr;
}

}  // namespace

Result<bool> addTable(std::string_view csv, const std::string &file, CalibrationTables &tables) {
  const CsvTable table = readCsv(csv);
  const Form *form = formOf(table);
  if (form == nullptr) return false;
  Diagnostics diagnostics;
  for (const CsvTable::Row &line : table.rows) {
    Row row(table, line, file);
    form->add(row, tables);
    if (row.diagnostic()) diagnostics.push_back(*row.diagnostic());
  }
  if (!diagnostics.empty()) return diagnostics;
  return true;
}

}  // namespace pimento::tune
