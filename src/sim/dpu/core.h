// What simulation and fast-forward share: memories, tasklets, and the effect of one instruction.
//
// Instructions that concern one tasklet and WRAM alone are executed here, inline; the others (events) in core.cpp, at
// the cycle in which they issue. A program's mistake becomes the `fault` and ends the run.
#pragma once

#include <array>
#include <bitset>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/sim/dpu/dma.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/sim/dpu/issue.h"
#include "pimento/sim/dpu/mram.h"
#include "pimento/sim/dpu/product.h"
#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

/// The steps of a program, and one behind its end.
std::vector<Step> stepsOf(const Image &image);

/// The line that instruction `pc` came from; empty where it is not known.
Location lineOf(const program::Code &code, std::uint32_t pc);

/// What the performance counter counts at once (its four low bits cannot be read).
inline constexpr std::int64_t kTimerUnit = 16;

enum class Status : std::uint8_t { kIdle, kRunning, kSuspended };

struct Core {
  std::shared_ptr<const Image> image;
  machine::Dpu machine;
  std::vector<Product> products;         ///< of a machine with a multiplier
  std::vector<Step> steps;               ///< of IRAM, behind the program's end: a step that faults
  std::shared_ptr<const FastCode> fast;  ///< of the steps; null where it was not needed yet
  std::vector<std::uint8_t> wram;
  Mram mram;
  std::bitset<256> atomics;

  std::array<Context, kMaxTasklets> tasklets;
  std::array<Status, kMaxTasklets> status{};
  std::array<std::uint32_t, kMaxTasklets> stoppedAt{};  ///< of suspended ones: their `stop`
  std::uint32_t running = 0;                            ///< tasklets whose status is that, as bits
  std::uint32_t spinning = 0;  ///< tasklets whose last instruction failed and branches to itself until it succeeds
  std::array<std::int64_t, kMaxTasklets> readyAgain{};  ///< first cycle at which the tasklet may issue after its last
  Issue issue;
  Dma dma;
  Counts counts;  ///< what the steps do not tell: transfers and failed attempts
  std::vector<std::int64_t> executed, waited;
  std::int64_t timerBase = 0, issued = 0;
  bool timerCountsInstructions = false;
  bool isTimed = true;  ///< else the timer counts instructions whatever it is told
  std::optional<Diagnostic> fault;
  bool isCutOff = false;
  std::vector<Misaligned> misaligned;

  Core(std::shared_ptr<const Image> program, const machine::Dpu &m);

  /// A program: its steps and data, everything else as at power-up; MRAM stays.
  void load(std::shared_ptr<const Image> program);
  /// All tasklets as at a launch; memories stay.
  void launch();
  /// Totals over `executed`.
  Counts totals() const;
  RunResult result(std::int64_t cyclesSkipped) const;
  /// No tasklet will ever issue again: the fault dpu-deadlock unless all have ended.
  void finish();

  /// Ends the run. `what` goes on from "tasklet 3 at instruction 17 in 'main': ".
  void fail(int tasklet, std::string code, const std::string &what, std::string hint = {});
  void failBounds(int tasklet, std::uint32_t address, int bytes, bool isLoad);

  /// Executes an instruction of class kAlu, kLoad, kStore or kCall. False after a fault.
  bool execute(int tasklet, const Step &s, Context &k) {
    switch (s.kind) {
      case Class::kAlu:
        executeAlu(s, k);
        return true;
      case Class::kLoad:
        return load(tasklet, s, k);
      case Class::kStore:
        return store(tasklet, s, k);
      default:
        return call(tasklet, s, k);
    }
  }
  bool load(int tasklet, const Step &s, Context &k) {
    const std::uint32_t address = k.regs[s.a] + s.imm;
    if (address > wram.size() - s.bytes) {
      failBounds(tasklet, address, s.bytes, true);
      return false;
    }
    loadFrom(&wram[address], s, k);
    ++k.pc;
    return true;
  }
  /// Executes a load from the bytes at `p`; the position stays.
  static void loadFrom(const std::uint8_t *p, const Step &s, Context &k) {
    std::uint32_t t = 0;
    switch (s.op) {
      case Op::kLbu:
        t = *p;
        break;
      case Op::kLbs:
        t = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(*p)));
        break;
      case Op::kLhu:
      case Op::kLhs: {
        std::uint16_t h = 0;
        std::memcpy(&h, p, 2);
        t = s.op == Op::kLhu ? h : static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(h)));
        break;
      }
      case Op::kLw:
        std::memcpy(&t, p, 4);
        break;
      default:
        std::memcpy(&k.regs[s.dst + 1], p, 4);
        std::memcpy(&k.regs[s.dst], p + 4, 4);
        return;
    }
    if (s.extension == Extension::kNone) {
      k.regs[s.dst] = t;
    } else {
      k.regs[s.dst] = s.extension == Extension::kSigned && (t >> 31) != 0 ? 0xffffffffU : 0;
      k.regs[s.dst + 1] = t;
    }
  }
  bool store(int tasklet, const Step &s, Context &k) {
    const std::uint32_t address = k.regs[s.a] + s.imm;
    if (address > wram.size() - s.bytes) {
      failBounds(tasklet, address, s.bytes, false);
      return false;
    }
    const std::uint64_t value = stored(s, k);
    std::memcpy(&wram[address], &value, s.bytes);
    ++k.pc;
    return true;
  }
  /// The low bytes of this are what a store writes.
  static std::uint64_t stored(const Step &s, const Context &k) {
    if (s.op == Op::kSbId || s.op == Op::kShId || s.op == Op::kSwId || s.op == Op::kSdId)
      return k.regs[pimento::dpu::kId] | s.value;
    if (s.b == kImmediateSlot)
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(s.value)));
    if (s.op == Op::kSd) return (static_cast<std::uint64_t>(k.regs[s.b]) << 32) | k.regs[s.b + 1];
    return k.regs[s.b];
  }
  bool call(int tasklet, const Step &s, Context &k) {
    k.regs[kImmediateSlot] = s.imm;
    const std::uint32_t to = k.regs[s.a] + k.regs[s.b];
    k.regs[s.dst] = k.pc + 1;
    if (to >= steps.size()) {
      failJump(tasklet, to);
      return false;
    }
    k.pc = to;
    return true;
  }
  void failJump(int tasklet, std::uint32_t to);

  /// A transfer, with its operands checked; nothing after a fault.
  struct Transfer {
    std::uint32_t wram = 0, mram = 0, bytes = 0;
    bool isRead = true;
  };
  std::optional<Transfer> transferOf(int tasklet, const Step &s, const Context &k);
  /// Executes an instruction of class kEvent or kProduct at the current cycle and says when the tasklet goes on:
  /// `again` cycles, or never (it stopped). Data of transfers are moved by `move`.
  template <typename Move>
  void event(int tasklet, const Step &s, Context &k, Observer *observer, Move &&move) {
    if (s.kind == Class::kProduct) return product(tasklet, s, k);
    if (s.op != Op::kLdma && s.op != Op::kSdma && s.op != Op::kLdmai) return control(tasklet, s, k);
    const std::optional<Transfer> t = transferOf(tasklet, s, k);
    if (!t) return;
    move(*t, s.op);
    if (fault) return;
    const TransferTime time = dma.issue(issue.now(), t->isRead, t->bytes, t->mram);
    countTransfer(*t);
    const std::int64_t done = std::max(time.done, issue.now() + issue.interval());
    waited[k.pc] += done - issue.now() - issue.interval();
    if (observer != nullptr)
      observer->onTransfer(issue.now(), time.begin, time.end, done, tasklet, t->isRead, t->bytes);
    ++k.pc;
    readyAgain[static_cast<std::size_t>(tasklet)] = done;
    issue.wake(tasklet, done);
  }
  void control(int tasklet, const Step &s, Context &k);
  /// Would an instruction at which a tasklet spins fail once more, now?
  bool failsAgain(int tasklet) const {
    return ((spinning >> tasklet) & 1) != 0 && failsForever(static_cast<std::size_t>(tasklet));
  }
  /// Executes it where it does: `times` times, without the time that takes.
  void failAgain(int tasklet, std::int64_t times) {
    executed[tasklets[static_cast<std::size_t>(tasklet)].pc] += times;
    counts.failedAttempts += times;
    endIfAllSpin();
  }
  void product(int tasklet, const Step &s, Context &k);
  /// What a product computes.
  void multiply(const Step &s, Context &k);
  void countTransfer(const Transfer &t) {
    ++(t.isRead ? counts.mramReads : counts.mramWrites);
    (t.isRead ? counts.mramReadBytes : counts.mramWriteBytes) += t.bytes;
  }
  /// Between MRAM and WRAM.
  void moveData(const Transfer &t) {
    if (t.isRead)
      mram.read(t.mram, {&wram[t.wram], t.bytes});
    else
      mram.write(t.mram, {&wram[t.wram], t.bytes});
  }
  /// MRAM to IRAM.
  void loadCode(int tasklet, const Transfer &t);

 private:
  void start(int tasklet, std::int64_t cycle);
  void synchronise(int tasklet, const Step &s, Context &k);
  bool attempt(int tasklet, const Step &s, std::uint32_t target);
  bool hasEnded(std::size_t tasklet) const;
  bool failsForever(std::size_t tasklet) const;
  void endIfAllSpin() {
    if ((running & ~spinning) == 0) checkSpinning();
  }
  void checkSpinning();
  void failDeadlock();
  std::string waitOf(std::size_t tasklet) const;
  std::optional<std::uint32_t> callOfLeaf(std::size_t tasklet, std::uint32_t pc) const;
};

}  // namespace pimento::sim::dpu
