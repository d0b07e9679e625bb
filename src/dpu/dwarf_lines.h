// The line table of DWARF 2 to 5: which source line the instruction at an address came from.
//
// Only that; the rest of DWARF is not read. From the DWARF 5 standard, section 6.2, and its forerunners.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::dpu {

struct DwarfLines {
  /// From this address up to that of the next row.
  struct Row {
    std::uint32_t address = 0;
    std::int32_t file = -1, line = 0;  ///< file < 0: unknown
  };
  std::vector<std::string> files;
  std::vector<Row> rows;  ///< by address
};

/// The contents of .debug_line, .debug_line_str and .debug_str. Reading stops where the table makes no sense: lines
/// help to read messages, and a file without them runs as well.
DwarfLines readDwarfLines(std::string_view lines, std::string_view lineStrings, std::string_view strings);

}  // namespace pimento::dpu
