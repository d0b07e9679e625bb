// Simulation of a DPU, fast: tasklets run ahead to their next event, and issue what they ran in whole turns.
//
// What a tasklet does between two events, a window, concerns the others only by its slots and by bytes of WRAM. So it
// is run at once, at its first slot, by the fast interpreter, and its slots are issued by Turns. While slots are left
// the window is open, and the lines of WRAM that it touched are marked. Another tasklet whose access could tell the
// difference (one of the two writes) ends its own window before it. When that access is due and the window is still
// open, the window is taken back: registers and bytes as they were, then as many instructions again as have issued.
// Lines where that happened are marked by the word from then on, as neighbours often only look like sharers.
//
// The same memories, times, counts and faults as by the plain loop (dpu.cpp), which tests compare.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/sim/dpu/core.h"
#include "pimento/sim/dpu/interpreter.h"
#include "pimento/sim/dpu/loop_proof.h"
#include "pimento/sim/dpu/turns.h"

namespace pimento::sim::dpu {

class FastRun final : Access {
 public:
  /// `code` is made from the core's steps, which stay as they are.
  FastRun(Core &core, const FastCode &code);

  /// From a launch to the end.
  void run(const RunOptions &options);

 private:
  static constexpr std::uint32_t kLineBytes = dpu::kLineBytes;
  struct SavedLine {
    std::uint32_t line = 0;
    std::array<std::uint8_t, kLineBytes> bytes;
  };
  struct SavedWord {
    std::uint32_t word = 0, contents = 0;
  };
  /// Of the words of a line.
  using Words = std::array<Touched, kLineBytes / 4>;
  struct Window {
    bool isAtEvent = false;         ///< after its slots comes an event
    std::int64_t instructions = 0;  ///< of the open window
    std::int64_t farthest = 0;      ///< instructions that the next one may have
    Context start;
    std::vector<std::uint32_t> lines, words;  ///< touched; words: in lines marked by the word
    std::vector<SavedLine> savedLines;        ///< contents before, of those written
    std::vector<SavedWord> savedWords;
  };

  bool may(int tasklet, std::uint32_t address, std::uint32_t bytes, bool isWrite) override;
  bool touch(int tasklet, std::uint32_t line, ByteRange r, bool isWrite);
  bool touchWords(int tasklet, std::uint32_t line, ByteRange r, bool isWrite);
  void markByWord(std::uint32_t line);

  void compute(int tasklet);
  /// One instruction at its time. False after a fault.
  bool step(int tasklet);
  void event(int tasklet);
  void transfer(int tasklet, const Core::Transfer &t, Op op);

  void close(int tasklet);
  /// Open windows of others that touched the bytes in a way that matters are taken back.
  void settle(int tasklet, ByteRange r, bool isWrite);
  void settleAll();
  void takeBack(int tasklet);
  /// Executes so many instructions again, each of which counts `each`.
  void replay(Context &k, std::int64_t instructions, std::int64_t each);
  void restore(const Window &w);

  Core &core_;
  Interpreter interpreter_;
  const FastCode &code_;
  Turns turns_;
  std::array<Window, kMaxTasklets> windows_;
  std::vector<Touched> touched_;               ///< by line
  std::vector<std::unique_ptr<Words>> words_;  ///< by line; null where it is marked as a whole
  std::int64_t mostInstructions_ = INT64_MAX;
};

}  // namespace pimento::sim::dpu
