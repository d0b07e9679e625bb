// A position in nested loops of commands: the process body that engines and fast-forward ask.
//
// `peek` and `advance` walk the commands in program order; `counters`, `skip` and the per-loop facts let
// fast-forward shift a position by whole iterations. A loop is *uniform* if moving it by one iteration shifts the
// addresses of all commands that could meet in one row by the same amount: then every "same row?" question has the
// same answer after the shift, which is what makes skipping sound.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pimento/machine/sections/dram.h"
#include "pimento/program/command.h"
#include "pimento/program/loops.h"

namespace pimento::program {

/// The rows of a machine's command table that a program's commands are.
class CommandRows {
 public:
  struct Row {
    std::int16_t index = 0;  ///< in Dram::commands
    std::int16_t banks = 1;  ///< that it addresses: those of one node
    bool hasPlace = true;    ///< it goes to a row of banks; else to registers alone
  };
  /// Without a machine: plain reads are row 0, plain writes row 1; rows have 32 columns of 32 bytes.
  CommandRows() : rows_{{0, 1, true}, {1, 1, true}} {}
  /// The machine has all of `names` (program::verify).
  CommandRows(const machine::Dram &dram, const std::vector<NamedCommand> &names);

  const Row &of(const Command &c) const {
    return rows_[c.named > 0 ? static_cast<std::size_t>(c.named) + 1 : c.isWrite ? 1U : 0U];
  }
  std::int64_t burst() const { return burst_; }
  std::int64_t rowBytes() const { return rowBytes_; }

 private:
  std::vector<Row> rows_;  // plain read, plain write, then named ones
  std::int64_t burst_ = 32, rowBytes_ = 1024;
};

/// Which commands may meet in one row while a loop is shifted.
enum class Meeting : std::uint8_t {
  kAnywhere,    ///< those of the whole program
  kInsideLoop,  ///< those in the loop; who shifts it knows that no row from outside is open or waited for
};

/// A command with its addresses evaluated.
struct Transaction {
  std::int32_t row = 0;
  std::int32_t command = 0;  ///< index into FlatLoops::commands()
  std::int16_t column = 0;
  std::int16_t op = 0;    ///< row of the machine's command table
  std::uint8_t bank = 0;  ///< rank * banks per rank + bank
  bool isBarrier = false;
  bool isWide = false;  ///< it addresses more banks than one, or registers alone
};

/// The loops of one process as a flat list of steps, with what is known about each loop. Immutable once built.
class FlatLoops {
 public:
  enum class Kind : std::uint8_t { kCommand, kLoop, kEnd };
  struct Step {
    Kind kind = Kind::kCommand;
    int depth = 0;     ///< loops around it
    int loop = -1;     ///< kLoop, kEnd: index into loops()
    int command = -1;  ///< kCommand: index into commands()
  };
  struct Loop {
    std::int64_t trip = 0;
    int depth = 0;  ///< 0 = outermost
    int begin = 0;  ///< first step of the body
    int end = 0;    ///< step of the matching kEnd
    bool isUniform = false;
    int commands = 0;             ///< commands executed per iteration, inner trips included (saturated)
    bool moves = false;           ///< it moves the place of some command
    std::int64_t recurrence = 1;  ///< after so many iterations linear addresses have moved by whole rows
  };
  struct FlatCommand {
    Command command;
    int depth = 0;
    std::array<int, kMaxDepth> loops{};  ///< enclosing loops, outermost first
    /// The loops that move the address, and by how much.
    struct Move {
      std::int32_t depth = 0, row = 0, column = 0;
    };
    std::array<Move, kMaxDepth> moves{};
    int moveCount = 0;
    Transaction origin;  ///< the transaction with all counters 0
    /// Of a linear command: its address with all counters 0; its moves are bytes, as columns.
    std::int64_t address = 0;
    /// The command before it is in the same loops, moves alike and accesses (and sends) the burst before this one's.
    bool continuesPrevious = false;
  };

  /// `reservedRows`: rows with a meaning of their own (mode registers); a loop that moves addresses across one of
  /// them is not uniform.
  FlatLoops(const CommandLoops &nodes, const std::vector<std::int64_t> &reservedRows, std::int64_t banksPerRank,
            const CommandRows &rows = {}, Meeting meeting = Meeting::kAnywhere);

  std::int64_t burst() const { return burst_; }
  std::int64_t rowBytes() const { return rowBytes_; }
  const std::vector<Step> &steps() const { return steps_; }
  const std::vector<Loop> &loops() const { return loops_; }
  const std::vector<FlatCommand> &commands() const { return commands_; }
  /// Times that it is executed; saturated.
  std::int64_t timesOf(const FlatCommand &c) const;
  /// The rows it names, from the lowest to the highest.
  Range rowsOf(const FlatCommand &c) const;

 private:
  void flatten(const CommandLoops &nodes, std::vector<int> &path, std::int64_t banksPerRank, const CommandRows &rows);
  /// Whether the last command so far continues the one before it.
  bool continuesPrevious() const;
  void findUniformLoops(const std::vector<std::int64_t> &reservedRows, const CommandRows &rows);
  void findLoopsUniformInside(const CommandRows &rows);
  void findRecurrences(const CommandRows &rows);

  std::int64_t burst_, rowBytes_;
  std::vector<Step> steps_;
  std::vector<Loop> loops_;
  std::vector<FlatCommand> commands_;
};

/// Where a process is. Copyable; a copy is a snapshot.
class LoopsCursor {
 public:
  LoopsCursor() = default;
  explicit LoopsCursor(const FlatLoops &code);

  bool isDone() const { return step_ >= static_cast<int>(code_->steps().size()); }
  /// The command at the position. Must not be done.
  Transaction peek() const;
  /// Moves to the next command. Returns the outermost loop whose iteration was completed on the way and which is
  /// still running (-1 if none).
  int advance();

  /// Depth of loops around the position; loop ids and counters by depth.
  int depth() const { return depth_; }
  int loopAt(int depth) const { return loop_[static_cast<std::size_t>(depth)]; }
  std::int64_t counter(int depth) const { return counter_[static_cast<std::size_t>(depth)]; }
  int step() const { return step_; }
  const FlatLoops &code() const { return *code_; }

  /// Moves the counter at `depth` by `iterations`; the result must stay inside the loop.
  void shift(int depth, std::int64_t iterations) { counter_[static_cast<std::size_t>(depth)] += iterations; }

 private:
  int settle();

  const FlatLoops *code_ = nullptr;
  int step_ = 0;
  int depth_ = 0;
  std::array<int, kMaxDepth> loop_{};
  std::array<std::int64_t, kMaxDepth> counter_{};
};

}  // namespace pimento::program
