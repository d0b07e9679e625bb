// Where the instructions of a program come from: functions, files and lines, with the calls that were inlined.
//
// Not here: reading debug information (frontend/symbols/symbols.h), and the files themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pimento::trace {

struct SourceFile {
  std::string name;  ///< as debug information has it, with its folder
  std::string md5;   ///< of its text, 32 hexadecimal digits; empty: not known

  bool operator==(const SourceFile &) const = default;
};

struct SourceFunction {
  std::string name;
  std::uint32_t line = 0;  ///< where it begins; 0: not known

  bool operator==(const SourceFunction &) const = default;
};

/// A line of a function: of one that stands by itself, or of one that was inlined.
struct Frame {
  std::uint32_t function = 0, file = 0;  ///< indices into SourceMap
  std::uint32_t line = 0, column = 0;    ///< 0: not known
  std::int32_t caller = -1;              ///< the frame that it was inlined into, one before it; -1: none

  bool operator==(const Frame &) const = default;
};

struct SourceMap {
  std::vector<SourceFile> files;
  std::vector<SourceFunction> functions;
  std::vector<Frame> frames;
  /// By ascending address, as the program's file has them; each holds up to the next one.
  struct Place {
    std::uint64_t address = 0;
    std::int32_t frame = -1;  ///< the innermost one; -1: nothing is known

    bool operator==(const Place &) const = default;
  };
  std::vector<Place> places;

  bool operator==(const SourceMap &) const = default;
  /// The innermost frame of the instruction at an address of the file; -1: nothing is known.
  std::int32_t frameAt(std::uint64_t address) const;
};

}  // namespace pimento::trace
