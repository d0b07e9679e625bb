#include "pimento/energy/array/cell.h"

#include <utility>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/energy/array/data_file.h"
#include "pimento/machine/sections/rows.h"

namespace pimento::energy::array {

namespace {

namespace row = machine::row;

constexpr std::string_view kCellShelf = "cells";
constexpr const char *kCellHelp = "machines/cells/sram.yaml is such a file";

row::Rows rowsOf(const std::string &operation) {
  const std::string path = "operations." + operation;
  const auto times = [&](const char *key, const char *meaning, bool isRequired) {
    return row::real(path + "." + key, "count", 0, 1000, meaning, isRequired);
  };
  return {
      row::section(path, "an operation on whole rows, in what a read does once"),
      times("decode", "addresses decoded and word lines driven", true),
      times("bitlines", "times that bit-lines are charged", true),
      times("cell", "cells read in a column", true),
      times("sense", "times that a column is sensed", true),
      times("wires", "rows that leave the array; 1 if omitted", false),
      times("write", "rows written back; 0 if omitted", false),
      row::real(path + ".logic", kEnergyUnits, 0, row::kAny,
                "what an amplifier takes beyond reads, per column; 0 if omitted", false),
      row::real(path + ".time", kTimeUnits, 0, row::kAny, "beyond a read and its further senses; 0 if omitted", false),
  };
}

const machine::Place &cellPlaces() {
  static const std::vector<machine::SchemaRow> kRows = [] {
    row::Rows rows = row::everywhere();
    const auto energy = [](const char *path, const char *meaning) {
      return row::real(path, kEnergyUnits, 0, row::kAny, meaning);
    };
    row::append(rows, {row::text("name", "name of the cell", true), row::text("about", "what the cell is", true),
                       row::integer("technology", "nm", 1, 1000, "feature size that its numbers hold for", true),
                       row::real("area", "F2", 1, 1e6, "of the cell, in squares of the feature size"),
                       row::real("leakage", "ratio|%", 0, 1000, "of a 6T SRAM cell's with the same transistors"),
                       row::section("read", "of one bit", true), energy("read.bitlines", "charging its bit-lines"),
                       energy("read.cell", "what flows through the cell, and its word line's share"),
                       energy("read.sense", "its sense amplifier"),
                       row::real("read.time", kTimeUnits, 0, row::kAny, "until the amplifier can tell"),
                       row::section("write", "of one bit", true), energy("write.bitlines", "charging its bit-lines"),
                       energy("write.cell", "switching the cell"), energy("write.driver", "its write driver"),
                       row::real("write.time", kTimeUnits, 0, row::kAny, "the pulse"),
                       row::section("operations", "what its sense amplifiers can do")});
    for (const Operation o : operations()) row::append(rows, rowsOf(std::string(name(o))));
    return rows;
  }();
  static const machine::Place kPlaces = machine::placesOf(kRows);
  return kPlaces;
}

Picoseconds nanoseconds(double ns) {
  constexpr double kPsPerNs = 1000;
  return Picoseconds(ns * kPsPerNs);
}

Steps stepsOf(const DataFile &file, const std::string &path) {
  Steps s;
  s.decode = file.real(path + ".decode");
  s.bitlines = file.real(path + ".bitlines");
  s.cell = file.real(path + ".cell");
  s.sense = file.real(path + ".sense");
  s.wires = file.real(path + ".wires", 1);
  s.write = file.real(path + ".write");
  s.logic = Picojoules(file.real(path + ".logic"));
  s.time = nanoseconds(file.real(path + ".time"));
  return s;
}

}  // namespace

Result<Cell> parseCell(std::string_view yaml, std::string_view file) {
  auto read = readDataFile(yaml, file, cellPlaces(), kCellHelp);
  if (!read) return std::move(read.diagnostics());
  const DataFile &f = *read;
  Cell cell;
  cell.name = f.text("name");
  cell.about = f.text("about");
  cell.nanometres = static_cast<int>(f.real("technology"));
  cell.area = f.real("area");
  cell.leakage = f.real("leakage");
  const auto energy = [&](const char *path) { return Picojoules(f.real(path)); };
  cell.read = {energy("read.bitlines"), energy("read.cell"), energy("read.sense"), nanoseconds(f.real("read.time"))};
  cell.write = {energy("write.bitlines"), energy("write.cell"), energy("write.driver"),
                nanoseconds(f.real("write.time"))};
  for (const Operation o : operations()) {
    const std::string path = "operations." + std::string(name(o));
    if (f.has(path)) cell.operations[o] = stepsOf(f, path);
  }
  for (const char *part : {"read", "write"}) {
    const bool isRead = std::string_view(part) == "read";
    const Picojoules column = isRead ? cell.read.bitlines + cell.read.cell + cell.read.sense
                                     : cell.write.bitlines + cell.write.cell + cell.write.driver;
    if (column.value <= 0)
      return error("impossible-value", f.where(part), "a " + std::string(part) + " of a bit takes no energy",
                   "give one of its parts more than 0 pJ");
  }
  cell.numbers = std::move(read->values.numbers);
  return cell;
}

Result<Cell> loadCell(std::string_view nameOrFile, const std::vector<std::string> &folders) {
  const auto path = findDataFile(kCellShelf, nameOrFile, folders);
  if (!path)
    return error("unknown-cell", {}, "unknown cell '" + std::string(nameOrFile) + "'",
                 suggest(nameOrFile, listCells(folders)) + "; or a path that ends in .yaml");
  const auto contents = readFile(*path);
  if (!contents) return contents.diagnostics();
  return parseCell(*contents, *path);
}

std::vector<std::string> listCells(const std::vector<std::string> &folders) {
  return listDataFiles(kCellShelf, folders);
}

}  // namespace pimento::energy::array
