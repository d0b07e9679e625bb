// A row of the decoder's tests: an instruction, and the registers that it reads and writes by the manual.
//
// Left out: rounding modes and exception flags of floating-point arithmetic, the flag of vectors that saturate (QC).
// What keeps a part of its destination reads it, too: movk, lane loads, what is predicated, Q and GE of the flags. A
// single-precision register of A32 is half a d register and counts as all of it; N and Z are set for all of NZCV.
// Calls of the system read and write what Linux's do.
#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "pimento/trace/instruction.h"

namespace pimento::frontend {

using trace::Isa;

struct Row {
  Isa isa;
  const char *bytes;  ///< in memory, hexadecimal
  const char *text;   ///< for people
  const char *reads, *writes;
  const char *marks;  ///< c conditional, b writes its base, l loads, s stores
};

inline std::string bytesOf(const std::string &hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

inline std::set<std::string> setOf(const trace::RegisterSet &registers, Isa isa) {
  std::set<std::string> out;
  for (const trace::Register r : registers) out.insert(registerName(isa, r));
  return out;
}

inline std::set<std::string> setOf(const char *words) {
  std::istringstream in(words);
  return {std::istream_iterator<std::string>(in), {}};
}

inline void expectAs(const Row &row, const trace::Instruction &in) {
  SCOPED_TRACE(std::string(row.text) + " (" + in.text + ")");
  EXPECT_EQ(setOf(in.reads, row.isa), setOf(row.reads));
  EXPECT_EQ(setOf(in.writes, row.isa), setOf(row.writes));
  const std::string marks = row.marks;
  EXPECT_EQ(in.isConditional, marks.find('c') != std::string::npos);
  EXPECT_EQ(in.writesBack, marks.find('b') != std::string::npos);
  EXPECT_EQ(in.loads, marks.find('l') != std::string::npos);
  EXPECT_EQ(in.stores, marks.find('s') != std::string::npos);
}

}  // namespace pimento::frontend
