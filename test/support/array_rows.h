// Rows of other models of memory arrays (validation/cim) as arrays and numbers, and the sets and cells of the project.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/csv.h"
#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/energy/array/cost.h"

namespace pimento::test {

inline const std::vector<std::string> kArrayFolders{std::string(PIMENTO_SOURCE_DIR) + "/machines"};

inline energy::array::Set arraySet(const std::string &name) {
  auto set = energy::array::loadSet(name, kArrayFolders);
  EXPECT_TRUE(set.ok()) << name << ": " << set.diagnostics().front().str();
  return std::move(*set);
}

inline energy::array::Cell arrayCell(const std::string &name) {
  auto cell = energy::array::loadCell(name, kArrayFolders);
  EXPECT_TRUE(cell.ok()) << name << ": " << cell.diagnostics().front().str();
  return std::move(*cell);
}

/// One row: an array, what it is made of, and numbers by column (pJ, ns, mW, mm2); what the row lacks is not there.
struct ArrayRow {
  std::string name;
  std::string cell = "sram";
  energy::array::Array array;
  std::map<std::string, double> numbers;
};

/// The cells of a table's rows by column.
inline std::vector<std::map<std::string, std::string>> tableOf(const std::string &file) {
  const auto text = readFile(std::string(PIMENTO_SOURCE_DIR) + "/validation/cim/" + file);
  EXPECT_TRUE(text.ok()) << file;
  const CsvTable table = readCsv(*text);
  std::vector<std::map<std::string, std::string>> rows;
  for (const CsvTable::Row &r : table.rows) {
    rows.emplace_back();
    for (const std::string_view c : table.columns) rows.back()[std::string(c)] = table.cell(r, c).value_or("");
  }
  EXPECT_FALSE(rows.empty()) << file;
  return rows;
}

/// The number that a cell begins with ("0.037nJ"); nothing where it begins with none.
inline std::optional<double> leadingNumber(const std::string &cell) {
  return parseNumber(cell.substr(0, cell.find_first_not_of("0123456789.")));
}

inline double numberIn(const std::string &cell) {
  const auto n = leadingNumber(cell);
  EXPECT_TRUE(n.has_value()) << cell;
  return n.value_or(0);
}

inline energy::array::Array arrayOf(double kibibytes, double ways) {
  energy::array::Array a;
  a.size = Bytes(static_cast<std::int64_t>(kibibytes) * 1024);
  a.ways = static_cast<int>(ways);
  return a;
}

inline std::vector<ArrayRow> cacti7Rows() {
  using namespace energy::array;
  std::vector<ArrayRow> rows;
  for (auto &t : tableOf("cacti7_45nm_caches.csv")) {
    ArrayRow r{t["name"], "sram", arrayOf(numberIn(t["size"]) / 1024, numberIn(t["assoc"])), {}};
    r.array.portBits = static_cast<int>(numberIn(t["outbits"]));
    r.array.access = t["mode"] == "sequential" ? Access::kSequential : Access::kNormal;
    for (const Device d : devices())
      if (t["dev"] == "itrs-" + std::string(name(d))) r.array.device = d;
    const auto by = t["hw"].find(" x ");
    r.numbers = {{"read", 1e3 * numberIn(t["read_nJ"])},
                 {"write", 1e3 * numberIn(t["write_nJ"])},
                 {"latency", numberIn(t["access_ns"])},
                 {"leakage", parseNumber(t["leak_mW"]).value_or(0) + parseNumber(t["gate_mW"]).value_or(0)},
                 {"area", numberIn(t["hw"].substr(0, by)) * numberIn(t["hw"].substr(by + 3))}};
    rows.push_back(std::move(r));
  }
  return rows;
}

/// Rows that were optimised for the product of write energy and delay, of all cells.
inline std::vector<ArrayRow> destinyRows() {
  const std::map<std::string, std::string> cells{{"sample_SRAM.cell", "sram"},
                                                 {"sample_STTRAM.cell", "stt-mram"},
                                                 {"sample_RRAM.cell", "reram"},
                                                 {"FeFET_like.cell", "fefet"}};
  std::vector<ArrayRow> rows;
  for (auto &t : tableOf("destiny_45nm_caches.csv")) {
    if (t["opt_target"] != "WriteEDP") continue;
    rows.push_back({t["cell"] + " " + t["size_kB"] + "/" + t["ways"],
                    cells.at(t["cell"]),
                    arrayOf(numberIn(t["size_kB"]), numberIn(t["ways"])),
                    {{"read", 1e3 * numberIn(t["read_hit"])},
                     {"write", 1e3 * numberIn(t["write"])},
                     {"latency", numberIn(t["hit_latency"])},
                     {"write_latency", numberIn(t["write_latency"])},
                     {"leakage", numberIn(t["leakage"])},
                     {"area", numberIn(t["area"])}}});
  }
  return rows;
}

inline std::vector<ArrayRow> releaseRows() {
  std::vector<ArrayRow> rows;
  for (auto &t : tableOf("evacim_code_energy_ratios.csv")) {
    const bool isSram = t["tech"] == "SRAM";
    const double logic = numberIn(t["and_or"]), sum = numberIn(t["xor_add"]), read = numberIn(t["cim_array_read"]);
    rows.push_back({t["tech"] + " " + t["size_kB"] + "/" + t["ways"],
                    isSram ? "sram" : "fefet",
                    arrayOf(numberIn(t["size_kB"]), numberIn(t["ways"])),
                    {{"read", isSram ? numberIn(t["base_sram_read"]) : read},
                     {"cim_read", read},
                     {"and", logic},
                     {"or", logic},
                     {"xor", sum},
                     {"add", sum},
                     {"sub", sum}}});
  }
  return rows;
}

/// First caches as read in all ways, second ones after their tags, each once.
inline std::vector<ArrayRow> mcpatRows() {
  using namespace energy::array;
  std::vector<ArrayRow> rows;
  for (auto &t : tableOf("mcpat13_cache_anchors.csv")) {
    for (const std::string cache : {"D$", "L2"}) {
      const std::string size = t[cache == "D$" ? "l1" : "l2"];
      ArrayRow r{cache + " " + size, "sram", arrayOf(numberIn(size), numberIn(size.substr(size.find('/') + 1))), {}};
      r.array.device = t["device"] == "HP" ? Device::kHp : Device::kLop;
      if (cache == "D$") r.array.portBits = 8 * static_cast<int>(numberIn(t["l1_block_B"]));
      if (cache == "L2") r.array.access = Access::kSequential;
      for (const auto &[quantity, column] :
           {std::pair{"read", "_read_pJ"}, {"write", "_write_pJ"}, {"area", "_area_mm2"}})
        if (const auto n = leadingNumber(t[cache + column])) r.numbers[quantity] = *n;
      if (const auto n = leadingNumber(t[cache + "_leak_sub_mW"]))
        r.numbers["leakage"] = *n + numberIn(t[cache + "_leak_gate_mW"]);
      bool isNew = true;
      for (const ArrayRow &o : rows)
        if (o.name == r.name && o.array.device == r.array.device && o.array.portBits == r.array.portBits &&
            o.numbers.at("read") == r.numbers.at("read"))
          isNew = false;
      if (isNew) rows.push_back(std::move(r));
    }
  }
  return rows;
}

/// What a model gives under the names of the columns.
inline std::map<std::string, double> numbersOf(const energy::array::Costs &costs, const energy::array::Array &array) {
  constexpr double kPsPerNs = 1000, kSquareMicrons = 1e6;
  std::map<std::string, double> numbers;
  // A row is one access of the port.
  const double accesses = static_cast<double>(lineBits(array)) / array.portBits;
  numbers["read"] = costs.readLine.energy.value / accesses;
  if (costs.readLine.latency) numbers["latency"] = costs.readLine.latency->value / kPsPerNs / accesses;
  if (costs.write) numbers["write"] = costs.write->energy.value;
  if (costs.write && costs.write->latency) numbers["write_latency"] = costs.write->latency->value / kPsPerNs;
  if (costs.leakage) numbers["leakage"] = costs.leakage->value;
  if (costs.area) numbers["area"] = costs.area->value / kSquareMicrons;
  for (const auto &[operation, c] : costs.operations) numbers[std::string(name(operation))] = c.energy.value;
  return numbers;
}

}  // namespace pimento::test
