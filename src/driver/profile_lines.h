// What functions, inlined calls and source lines of a program took, and what caches could compute of them.
//
// Each instruction counts for the function that its symbol table has, for the line of its innermost frame, and for each
// frame around it. Where there is no debug information there are functions, and where there are no symbols, ranges of
// addresses. Functions sum to the profile, and so do lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/evaluate/profile.h"
#include "pimento/trace/program.h"

namespace pimento::driver {

struct Options;
enum class SourceState : std::uint8_t;

struct FunctionShare {
  std::string name;  ///< "0x4005a0-0x400600" where there is no symbol, "(elsewhere)" outside the program
  evaluate::Attributed own;
};

struct LineShare {
  std::string file;        ///< as debug information has it; empty: not known
  std::uint32_t line = 0;  ///< likewise 0
  std::string function;    ///< whose text it is, or, where nothing is known, that it is in
  evaluate::Attributed own;
};

/// A function, or a call that was inlined, with those inlined into it.
struct CallShare {
  std::string function, file;
  std::uint32_t line = 0;    ///< of the call; of a function by itself where it begins
  evaluate::Attributed own;  ///< without what was inlined into it
  evaluate::Attributed all;  ///< with it
  std::vector<CallShare> inlined;
};

/// A piece of a source file: the lines of functions that ran.
struct SourceChunk {
  std::uint32_t first = 1;
  std::vector<std::string> text;
};
struct SourceShare {
  std::string file, path;
  SourceState state{};  ///< missing
  std::vector<SourceChunk> chunks;
};

/// Slowest first, each list.
struct ProfileLines {
  evaluate::Attributed total;
  std::vector<FunctionShare> functions;
  std::vector<LineShare> lines;
  std::vector<CallShare> calls;  ///< of functions with debug information
  std::vector<SourceShare> sources;
  std::vector<std::string> warnings;
};

/// `profile.at` is there. Diagnostics: those of SourceFinder::make().
Result<ProfileLines> profileLines(const trace::Program &program, const evaluate::Profile &profile,
                                  const Options &options);

/// The reason that keeps the most operations, or, where there are none, the most loads, in words; empty: none.
std::string_view mainReason(const evaluate::Attributed &own);

}  // namespace pimento::driver
