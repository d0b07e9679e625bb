// What the device executes: processes whose bodies are nested loops of device commands, or machine code.
//
// A Program keeps its loops as loops; engines walk them with a cursor (loops_cursor.h) and fast-forward skips whole
// iterations. Commands address (rank, bank, row, column) of one channel; rows and columns are affine in the counters of
// the enclosing loops and never carry into one another, so a loop's effect on an address is a plain shift. The model
// is CoMoNM's llvcnm (section IV-D): with the device's own commands where time hangs on addresses (HBM-PIM), with
// virtual instructions (virtual.h) where it does not. The text form is in text.h.
//
// Not here: data (images are named, their contents belong to the lowering) and time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/machine/machine.h"
#include "pimento/program/code.h"

namespace pimento::program {

/// Loops nest at most this deep. Lowerings stay well below.
inline constexpr int kMaxDepth = 12;

/// base + sum over enclosing loops of stride[depth] * counter[depth]; depth 0 is the outermost loop.
struct Operand {
  std::int64_t base = 0;
  std::array<std::int64_t, kMaxDepth> stride{};

  bool operator==(const Operand &) const = default;
};

/// What a column command is for: energy and the functional model count by it.
enum class Purpose : std::uint8_t {
  kHostRead,   ///< host reads or parks a burst (single bank)
  kHostWrite,  ///< host writes a burst (single bank)
  kControl,    ///< writes a mode or control register
  kProgram,    ///< writes instructions into the CRF of all blocks
  kBroadcast,  ///< writes GRF or SRF of all blocks
  kPimRead,    ///< all blocks read their bank and execute one instruction that is neither of the next two
  kPimMac,     ///< ... a multiply-accumulate
  kPimAlu,     ///< ... an addition or multiplication
  kPimMove,    ///< ... a register-to-register instruction; the bank access only triggers it
  kPimStore,   ///< all blocks write a register to their bank
};
std::string_view name(Purpose p);
inline constexpr int kPurposes = 10;

/// One column command (read or write). Row commands follow from the bank state; the controller issues them.
struct Command {
  bool isWrite = false;
  bool isBarrier = false;  ///< nothing behind it may issue before it
  Purpose purpose = Purpose::kHostRead;
  std::uint8_t rank = 0;
  std::uint8_t bank = 0;  ///< flat within the rank: bank group * banks per group + bank
  Operand row, column;    ///< column counts bursts
  int image = -1;         ///< writes: which image the data come from
  Operand burst;          ///< writes: burst number in that image

  bool operator==(const Command &) const = default;
};

struct Instruction;

/// A loop (children, trip count), a single command, or a single virtual instruction (virtual.h).
struct Node {
  bool isLoop = false;
  std::string label;  ///< loop: name of what it iterates, for readers
  std::int64_t trip = 0;
  std::vector<Node> children;
  Command command;
  std::shared_ptr<const Instruction> instruction = nullptr;  ///< null: `command`

  static Node loop(std::string label, std::int64_t trip, std::vector<Node> children);
  static Node leaf(Command command);
  static Node leafOf(Instruction instruction);
  bool operator==(const Node &o) const;
};

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

/// Data the host sends with writes: `bursts` bursts, one copy for all channels or one per channel.
struct Image {
  std::string name;
  std::int64_t bursts = 0;
  bool isPerChannel = false;

  bool operator==(const Image &) const = default;
};

/// What `instances` identical units do: channels that receive a command stream, units that run virtual instructions, or
/// DPUs that run machine code. Either `body` or `code` is there.
struct Process {
  std::string name;
  std::int64_t instances = 1;
  std::vector<Node> body;
  std::shared_ptr<const Code> code = nullptr;
  std::vector<Code::Segment> arguments = {};  ///< code: what the host writes besides operands, before the launch
  std::optional<Unit> unit = {};              ///< the body holds virtual instructions, not commands

  bool operator==(const Process &o) const {
    return name == o.name && instances == o.instances && body == o.body && arguments == o.arguments && unit == o.unit &&
           (code == o.code || (code != nullptr && o.code != nullptr && *code == *o.code));
  }
};

struct Program {
  std::string target;
  std::vector<Image> images;
  std::vector<Process> processes;

  bool operator==(const Program &) const = default;
};

/// Where processes and commands stand in the text a program was read from, both in textual order.
struct Places {
  std::vector<Location> processes, commands;
};

/// Does a process have virtual instructions?
bool isVirtual(const Program &program);

/// Is a process machine code? It has no commands to print, to count or to walk.
bool hasCode(const Program &program);

/// Checks a program against a machine: nesting depth, trip counts, rank/bank/row/column bounds over all iterations,
/// image bounds; of machine code whether the machine has DPUs, enough of them, and room for it. Diagnostics name the
/// command, say by how much, and where it stands if `places` are given.
Status verify(const Program &program, const machine::Machine &machine, const Places *places = nullptr);

/// Executions of each purpose per instance, from the trip counts; saturated. None of machine code.
std::array<std::int64_t, kPurposes> countCommands(const Process &process);

/// Smallest and largest value of `operand` over `trips` (one per enclosing loop, outermost first).
struct Range {
  std::int64_t low = 0, high = 0;
};
Range rangeOf(const Operand &operand, const std::vector<std::int64_t> &trips);

}  // namespace pimento::program
