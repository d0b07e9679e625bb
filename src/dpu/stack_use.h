// How deep a program's stack gets: the frames along the deepest chain of calls from main.
//
// Compiled functions say how much they take: an absolute symbol stack_size.NAME in their object. Where nobody says, as
// in vendors' programs and most of our library in assembly, the code is read: what it adds to the stack pointer, and
// what it stores above it. A call by a pointer may go to any function that a symbol pointed_to.NAME names. Not here:
// what several tasklets do at a time (each has its own stack), and what inline assembly stores on the stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/program/code.h"

namespace pimento::dpu {

inline constexpr std::string_view kStackSizePrefix = "stack_size.", kPointedToPrefix = "pointed_to.";
inline constexpr std::int64_t kStackSizeUnknown = -1;  ///< value: arrays whose size is known at run time only

struct StackUse {
  std::int64_t bytes = 0;            ///< of the deepest chain; at least so much where there are `doubts`
  std::vector<std::string> chain;    ///< its functions, from main on
  std::vector<std::int64_t> frames;  ///< bytes of each
  std::vector<std::string> doubts;   ///< why there may be more: "'f' calls itself", ...

  /// "main (24 bytes) > f (40)".
  std::string str() const;
};

/// Of every tasklet's stack. A program without the symbol main begins at its entry.
StackUse stackUse(const program::Code &code);

}  // namespace pimento::dpu
