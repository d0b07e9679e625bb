// The line table of DWARF, put together by hand.
#include "pimento/dpu/dwarf_lines.h"

#include <gtest/gtest.h>

#include "pimento/base/rng.h"

namespace pimento::dpu {
namespace {

using Bytes = std::string;

Bytes number(std::uint64_t value, int bytes) {
  Bytes text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

Bytes text(std::string_view value) {
  return Bytes(value) + '\0';
}

/// A unit: its length, version, header and program. `tables` are folders and files as the version writes them.
Bytes unit(int version, const Bytes &tables, const Bytes &program) {
  Bytes header = number(8, 1);               // bytes of an instruction
  if (version >= 4) header += number(1, 1);  // operations per instruction
  header += number(1, 1) + number(0xfb, 1);  // is_stmt; line base -5
  header += number(14, 1) + number(13, 1);   // line range; first special opcode
  for (const int operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) header += number(operands, 1);
  header += tables;
  Bytes all = number(version, 2);
  if (version >= 5) all += number(4, 1) + number(0, 1);  // sizes of addresses and segments
  all += number(header.size(), 4) + header + program;
  return number(all.size(), 4) + all;
}

/// Lines 10, 12 and 11 of instructions 0, 1 and 4; the end is behind instruction 5.
Bytes program() {
  Bytes p = number(0, 1) + number(5, 1) + number(2, 1) + number(0x80000000, 4);  // set_address
  p += number(3, 1) + number(9, 1) + number(1, 1);                               // advance_line 9, copy
  p += number(13 + 14 + 5 + 2, 1);                        // special: one instruction and two lines on
  p += number(5, 1) + number(7, 1);                       // set_column
  p += number(13 + 3 * 14 + 5 - 1, 1);                    // special: three instructions on, one line back
  p += number(2, 1) + number(2, 1);                       // advance_pc 2
  return p + number(0, 1) + number(1, 1) + number(1, 1);  // end_sequence
}

void expectRows(const DwarfLines &lines, const std::string &file) {
  ASSERT_EQ(lines.rows.size(), 4u);
  const std::uint32_t addresses[] = {0x80000000, 0x80000008, 0x80000020, 0x80000030};
  const std::int32_t numbers[] = {10, 12, 11, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(lines.rows[i].address, addresses[i]) << i;
    EXPECT_EQ(lines.rows[i].line, numbers[i]) << i;
    if (i == 3) continue;
    ASSERT_GE(lines.rows[i].file, 0);
    EXPECT_EQ(lines.files[static_cast<std::size_t>(lines.rows[i].file)], file);
  }
  EXPECT_EQ(lines.rows[3].file, -1) << "behind the end of the sequence";
}

TEST(DwarfLines, Version4NumbersFilesFromOne) {
  const Bytes tables =
      text("dir") + text("") + text("a.c") + number(1, 1) + number(0, 2) + text("b.c") + number(0, 3) + text("");
  const DwarfLines lines = readDwarfLines(unit(4, tables, program()), "", "");
  expectRows(lines, "dir/a.c");
  EXPECT_EQ(lines.files.back(), "b.c");
}

TEST(DwarfLines, Version5NumbersFilesFromZeroAndKeepsNamesElsewhere) {
  Bytes tables = number(1, 1) + number(1, 1) + number(0x1f, 1);                              // folders: line_strp
  tables += number(2, 1) + number(0, 4) + number(5, 4);                                      // "/src", "dir"
  tables += number(2, 1) + number(1, 1) + number(0x08, 1) + number(2, 1) + number(0x0b, 1);  // files: string, data1
  tables += number(2, 1) + text("z.c") + number(0, 1) + text("a.c") + number(1, 1);
  expectRows(readDwarfLines(unit(5, tables, program()), text("/src") + text("dir"), ""), "dir/a.c");
}

TEST(DwarfLines, UnitsFollowOneAnother) {
  const Bytes tables = text("") + text("a.c") + number(0, 3) + text("");
  const Bytes one = unit(2, tables, program());
  EXPECT_EQ(readDwarfLines(one + one, "", "").rows.size(), 8u);
  EXPECT_EQ(readDwarfLines(one + "?", "", "").rows.size(), 4u) << "reading stops where nothing makes sense";
}

TEST(DwarfLines, DamagedTablesAreReadAsFarAsTheyGo) {
  const Bytes tables = text("dir") + text("") + text("a.c") + number(1, 1) + number(0, 2) + text("");
  Rng random(3);
  for (int i = 0; i < 3000; ++i) {
    Bytes damaged = unit(i % 4 + 2, tables, program());
    for (int k = 0; k < 3; ++k) damaged[random.next() % damaged.size()] = static_cast<char>(random.next());
    const DwarfLines lines = readDwarfLines(damaged, tables, tables);
    for (const DwarfLines::Row &row : lines.rows) EXPECT_LT(row.file, static_cast<std::int64_t>(lines.files.size()));
  }
}

}  // namespace
}  // namespace pimento::dpu
