// Virtual instructions: what a unit of a compute-near-memory machine executes, whatever its real instruction set.
//
// CoMoNM's virtual assembly (section IV-D). All threads of a unit run the same loops on registers of their own. Arrays
// lie in the unit's bank or in its scratchpad; MOVE copies between them, LOAD and STORE go between an array and a
// register. Operations are those of kernels (kernel::Op), with their rounding and their corners, so that a program
// computes what its kernel says. What an instruction costs is data of the machine (machine::Compute). Not here:
// branches, synchronisation (threads share only what they read), the text form (text.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"
#include "pimento/program/loops.h"

namespace pimento::program {

/// A dense array of a unit of a compute-near-memory machine.
struct Array {
  enum class Space : std::uint8_t { kBank, kScratchpad } space = Space::kBank;
  std::string name;
  DType type = DType::kI32;
  std::int64_t elements = 1;
  bool isShared = false;  ///< one for all threads of the unit, which read it only; else each thread has its own

  bool operator==(const Array &) const = default;
};

/// A number that the host gives each thread before the launch: 0 to limit - 1.
struct Parameter {
  std::string name;
  std::int64_t limit = 1;

  bool operator==(const Parameter &) const = default;
};

/// What the virtual instructions of a process refer to.
struct Unit {
  std::int64_t threads = 1;  ///< that execute the body, each on its own: hardware threads, or lanes in lock step
  std::vector<Array> arrays;
  std::vector<Parameter> parameters;

  bool operator==(const Unit &) const = default;
};

/// base + loops + sum over parameters of coefficient * value: an element of an array, or a number.
struct Address {
  Operand loops;
  std::vector<std::int64_t> parameters;  ///< one coefficient per parameter of the unit; may be shorter: 0

  std::int64_t of(std::size_t parameter) const { return parameter < parameters.size() ? parameters[parameter] : 0; }
  bool operator==(const Address &o) const;
};

/// An index that data give: the number in a register, `stride` elements from one to the next.
struct DataIndex {
  int from = -1;           ///< the register, of an integer type; -1: there is none
  std::int64_t limit = 1;  ///< the number lies in 0 to limit - 1, or the program faults
  std::int64_t stride = 1;

  bool operator==(const DataIndex &) const = default;
};

struct Instruction {
  enum class Kind : std::uint8_t {
    kOperation,  ///< result = op(arguments), of `type`
    kSet,        ///< result = constant, of `type`
    kIndex,      ///< result = the number `at`, wrapped or rounded to `type`
    kTest,       ///< result (u8) = 1 where the number `at` is >= 0, else 0
    kLoad,       ///< result = array[at + data]; with a condition 0 where that is 0
    kStore,      ///< array[at + data] = arguments[0]; with a condition only where that is not 0
    kMove,       ///< array[at ...] = from[fromAt ...], `count` elements
  } kind = Kind::kOperation;
  kernel::Op op = kernel::Op::kAdd;
  DType type = DType::kI32;  ///< of operation, set and index
  int result = -1;           ///< register
  std::array<int, 3> arguments{-1, -1, -1};
  int condition = -1;         ///< load, store: register of type u8
  double constant = 0;        ///< set of a floating type
  std::int64_t integer = 0;   ///< set of an integer type
  int array = -1, from = -1;  ///< indices into Unit::arrays
  Address at, fromAt;
  DataIndex data;  ///< load, store
  std::int64_t count = 1;

  bool operator==(const Instruction &o) const;
};

using InstructionNode = Node<Instruction>;
/// What every thread of every unit of a process executes.
struct UnitLoops {
  Unit unit;
  std::vector<InstructionNode> nodes;

  bool operator==(const UnitLoops &) const = default;
};

/// Registers are numbered from 0; this many at most.
inline constexpr int kMaxRegisters = 4096;

/// What an instruction is called in machine files: "add", "load", "store", "move", "set", "index", "test", and "loop"
/// for what an iteration of a loop costs.
std::string_view operationName(const Instruction &i);
/// All of them.
const std::vector<std::string> &operationNames();
/// The type that the cost of an instruction goes by: of a comparison or a cast its argument's, of loads, stores and
/// moves the array's. `registers`: types by number.
DType costType(const Instruction &i, const Unit &unit, const std::vector<DType> &registers);

/// Types of the registers, each that of its first writing instruction; kU8 where never written.
std::vector<DType> registerTypes(const UnitLoops &loops);

}  // namespace pimento::program
