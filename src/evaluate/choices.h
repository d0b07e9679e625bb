// What a request chooses besides what runs where: which kernels are offloaded, which engine, which tools.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/units.h"

namespace pimento {
class Cache;
namespace program {
class DpuCompiler;
}
namespace trace {
class HostTools;
}
}  // namespace pimento

namespace pimento::evaluate {

/// Which kernels of a graph run on the device.
enum class Offload : std::uint8_t {
  kAll,       ///< all; one that cannot is an error
  kPossible,  ///< all that can; the host runs the others
  kSome,      ///< all that can, at least one: the host runs those with operations that the device lacks
  kBest,      ///< those that take less time there than on the host, moving their data included
};

/// What the choice of a mapping minimises.
enum class Objective : std::uint8_t {
  kTime,    ///< total cycles, host included
  kEnergy,  ///< of the whole run
  kKernel,  ///< cycles of the device kernel alone
};
std::string_view name(Objective objective);
/// "total time", ...
std::string_view description(Objective objective);

/// A program that was compared with others when mappings of all its kernels were chosen together.
struct TriedProgram {
  std::string mappings;                               ///< what tells it apart: "16x16", by kernel "16x16 | 256"
  Cycles cycles;                                      ///< of all of it
  std::vector<std::pair<std::string, Cycles>> spent;  ///< what these were spent on; they sum to `cycles`
};

/// The engine of two_slice.h: how far the time of its second piece may be from twice that of the first, as a part of
/// the first. The paper leaves it open.
struct TwoSlice {
  double alpha = 0.05;
};

/// What `driver` hands in, since rooms below it cannot know it.
struct Tools {
  program::DpuCompiler *dpuCompiler = nullptr;  ///< null: Pimento was built without LLVM
  std::shared_ptr<Cache> cache = nullptr;       ///< of what targets make with these tools; null: nothing is kept
  trace::HostTools *hostTools = nullptr;        ///< for programs of cores; null: Pimento was built without LLVM
};

}  // namespace pimento::evaluate
