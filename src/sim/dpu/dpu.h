// A UPMEM DPU: its memories, its tasklets, and how long a program takes on them.
//
// Functional core and timing in one engine. Time is CoMoNM's and the hardware's: at most one instruction issues per
// cycle, a tasklet may issue again `issueInterval` cycles after its last one, ready tasklets take turns, and one DMA
// engine serves transfers in order (machine::Dpu). There is no cache, branch or load penalty to model. `simulate`
// executes every instruction on data at the cycle in which it issues; `estimate` skips what it proves to repeat and
// gives the same cycles and counts. Optional policies (register-file hazard, DRAM row model) are off by default.
//
// Not here: the instruction set (room `dpu`), the host side, several DPUs (identical ones are run once, by
// `evaluate`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/dpu/instruction.h"
#include "pimento/machine/machine.h"
#include "pimento/program/code.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dpu {

class FastCode;

/// A program decoded once; shared by any number of DPUs and runs.
struct Image {
  program::Code code;
  std::vector<pimento::dpu::Instruction> instructions;
  std::shared_ptr<const FastCode> fast;  ///< as the fast interpreter runs it; where null, every DPU makes its own

  /// Diagnostics: dpu-word-unknown (a word that is no instruction; names the instruction and its line).
  static Result<std::shared_ptr<const Image>> make(program::Code code);
};

/// What a run did, for energy and reports. Slots are issued instructions.
struct Counts {
  std::int64_t instructions = 0;
  std::int64_t wramLoads = 0, wramStores = 0;          ///< instructions
  std::int64_t wramLoadBytes = 0, wramStoreBytes = 0;  ///< by loads and stores, DMA left out
  std::int64_t mramReads = 0, mramWrites = 0;          ///< transfers
  std::int64_t mramReadBytes = 0, mramWriteBytes = 0;
  std::int64_t multiplySteps = 0, syncAttempts = 0;  ///< mul_step and div_step; acquire, boot and resume
  std::int64_t failedAttempts = 0;                   ///< of these, those that failed
  std::int64_t idleCycles = 0;                       ///< cycles in which nothing issued

  bool operator==(const Counts &) const = default;
};

/// Sees a simulation as it happens.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void onIssue(std::int64_t cycle, int tasklet, std::uint32_t pc) = 0;
  /// The tasklet waits from `issued` to `done`; the engine serves it from `begin` to `end`. Cycles.
  virtual void onTransfer(std::int64_t issued, std::int64_t begin, std::int64_t end, std::int64_t done, int tasklet,
                          bool isRead, std::int64_t bytes) = 0;
};

/// What fast-forward of a DPU relies on, in parts that tests leave out. Of the order of issue: who issued last, whether
/// all issue at one distance, who waits and will join. Of what is computed ahead of time: bytes read and bytes written
/// before their time; registers, flags and bytes of WRAM that are not known.
enum class RunPart : std::uint8_t { kTurn, kSpacing, kWaits, kReads, kWrites, kRegisters, kFlags, kBytes };

struct RunOptions {
  bool isPlain = false;          ///< simulate only, in tests: one instruction after the other
  Observer *observer = nullptr;  ///< simulate only
  bool isTimed = true;           ///< simulate only: else what the program computes, in no time (untimed_run.h)
  std::int64_t maxInstructions = INT64_MAX;  ///< then the run ends with the fault dpu-instruction-limit
  bool mustPay = false;                      ///< estimate only: nothing as well where it is no faster than simulate
  Weakening weakening = {};                  ///< estimate only, in tests: of RunPart
};

/// An instruction that transferred at addresses whose low bits the DMA engine ignores, with what it used first.
struct Misaligned {
  std::uint32_t pc = 0, wram = 0, mram = 0, bytes = 0;

  bool operator==(const Misaligned &) const = default;
};
/// Adds those of instructions that are not there yet; by instruction.
void merge(std::vector<Misaligned> &into, const std::vector<Misaligned> &more);
/// The warning dpu-dma-alignment, with function and line.
Diagnostic warningOf(const Misaligned &m, const program::Code &code, const machine::Dpu &machine);

struct RunResult {
  Cycles cycles, cyclesSimulated;
  Counts counts;
  std::int64_t engineTicks = 0;  ///< machine::Dpu's; that transfers occupied the DMA engine, refreshes left out
  /// By instruction: how often it issued, and cycles its tasklets waited for the transfer it started.
  std::vector<std::int64_t> executed, waited;
  std::vector<Misaligned> misaligned;  ///< by instruction
  /// The run ended early: dpu-fault, dpu-wram-bounds, dpu-dma-alignment, ... with tasklet, PC, function and line.
  std::optional<Diagnostic> fault;
  bool isCutOff = false;  ///< the fault is that of RunOptions::maxInstructions
};

/// One DPU. Copyable: a copy is a snapshot of memories and atomic bits.
class Dpu {
 public:
  Dpu(std::shared_ptr<const Image> image, const machine::Dpu &machine);
  ~Dpu();
  Dpu(const Dpu &);
  Dpu &operator=(const Dpu &) = delete;

  /// Another program, as at construction, but for MRAM: what the program does not initialise there keeps its contents.
  void load(std::shared_ptr<const Image> image);

  /// MRAM by offset from its start, WRAM by address; the caller keeps within the sizes of the machine.
  void writeMram(std::uint32_t offset, std::span<const std::byte> bytes);
  /// Repeats `pattern` (1, 2, 4 or 8 bytes) over `size` bytes; cheap for any size.
  void fillMram(std::uint32_t offset, std::int64_t size, std::span<const std::byte> pattern);
  void readMram(std::uint32_t offset, std::span<std::byte> bytes) const;
  void writeWram(std::uint32_t address, std::span<const std::byte> bytes);
  void readWram(std::uint32_t address, std::span<std::byte> bytes) const;

  /// One launch: all tasklets from their boot to their end. Memories keep what the program left in them; a second
  /// launch goes on from there.
  RunResult simulate(const RunOptions &options = {});
  /// The same cycles and counts, by fast-forward. Memories are left undefined. Nothing where unknown data decide the
  /// time (the contents of MRAM count as known where they were written or filled before).
  std::optional<RunResult> estimate(const RunOptions &options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pimento::sim::dpu
