// Runs a function that nobody vouches for in a process of its own, with limits on time, memory and stack.
//
// The child is a copy of this process that runs the function, on a stack of its own, and ends: nothing else of it goes
// on, no handler, no destructor. All that comes back is how it ended, and what it wrote to memory that is shared.
#pragma once

#include <cstdint>

#include "pimento/frontend/native.h"

namespace pimento::frontend {

/// What the text did that its language leaves undefined.
enum class Undefined : std::uint8_t { kDivision, kShift, kConversion, kIndex };

struct ChildEnd {
  enum class How : std::uint8_t {
    kDone,        ///< the function returned
    kFault,       ///< it touched `address`
    kStack,       ///< its local variables do not fit
    kUndefined,   ///< `undefined`, at `line` and `column` (0: not known)
    kTime,        ///< it took more than its time
    kSignal,      ///< signal number `signal`
    kNotStarted,  ///< the system has no process for it
  };
  How how = How::kNotStarted;
  const void *address = nullptr;
  Undefined undefined = Undefined::kDivision;
  int line = 0, column = 0;
  int signal = 0;
};

/// Calls entry(arguments) in a child.
ChildEnd runInChild(void (*entry)(void **), void **arguments, const NativeLimits &limits);

/// In the child: the run ends here.
[[noreturn]] void endUndefined(Undefined what, int line, int column);

}  // namespace pimento::frontend
