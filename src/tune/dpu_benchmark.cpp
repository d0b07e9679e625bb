#include "pimento/tune/dpu_benchmark.h"

#include <fmt/format.h>

#include <string>

#include "pimento/dpu/load.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::tune {

namespace {

std::string repeated(std::string_view line, std::int64_t times) {
  std::string s;
  for (std::int64_t i = 0; i < times; ++i) (s += line) += "\n";
  return s;
}

constexpr std::string_view kNop = "        move r0, r0";

/// `body` `iterations` times, by every tasklet.
std::string programOf(std::string_view body, std::int64_t iterations) {
  return fmt::format(R"(
        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        move    r15, r23
        move    r4, buffer
        move    r5, zero
        move    r14, {}
.Lnext:
{}
        add     r14, r14, -1, nz, .Lnext
        jump    r15
        .size   main, . - main

        .section .data.meet,"aw",@progbits
meet:   .byte   255, NR_TASKLETS, NR_TASKLETS, meet_lock
        .section .atomic.meet_lock,"aw",@nobits
meet_lock:
        .zero   1
        .section .bss.buffer,"aw",@nobits
        .p2align 3
buffer: .zero   2048
)",
                     iterations, body);
}

Result<std::int64_t> cyclesOf(const machine::Dpu &dpu, std::string_view body, std::int64_t tasklets,
                              std::int64_t iterations) {
  pimento::dpu::LinkOptions options;
  options.tasklets = tasklets;
  auto code = pimento::dpu::loadProgram(programOf(body, iterations), "<micro-benchmark>", options);
  if (!code) return std::move(code.diagnostics());
  auto image = sim::dpu::Image::make(std::move(*code));
  if (!image) return std::move(image.diagnostics());
  std::optional<sim::dpu::RunResult> run = sim::dpu::Dpu(*image, dpu).estimate();
  if (!run) run = sim::dpu::Dpu(*image, dpu).simulate();
  if (run->fault) return *run->fault;
  return run->cycles.value;
}

/// Cycles of one iteration, start and end left out.
Result<double> iteration(const machine::Dpu &dpu, std::string_view body, std::int64_t tasklets) {
  constexpr std::int64_t kFew = 128, kMany = 640;  // enough for refreshes to average out
  const Result<std::int64_t> few = cyclesOf(dpu, body, tasklets, kFew);
  if (!few) return few.diagnostics();
  const Result<std::int64_t> many = cyclesOf(dpu, body, tasklets, kMany);
  if (!many) return many.diagnostics();
  return static_cast<double>(*many - *few) / static_cast<double>(kMany - kFew);
}

Result<double> difference(const machine::Dpu &dpu, std::string_view with, std::string_view without,
                          std::int64_t tasklets) {
  const Result<double> more = iteration(dpu, with, tasklets);
  if (!more) return more;
  const Result<double> less = iteration(dpu, without, tasklets);
  if (!less) return less;
  return *more - *less;
}

}  // namespace

Result<double> benchmarkTransfers(const machine::Dpu &dpu, const TransferRow &row, const LoopSlots &slots) {
  const std::string empty = repeated(kNop, slots.empty - 1);  // its branch is the last slot
  const std::string transfer =
      fmt::format("        {} r4, r5, {}", row.isRead ? "ldma" : "sdma", row.bytes / dpu.transferUnit.value - 1);
  return difference(dpu, empty + repeated(kNop, slots.more) + repeated(transfer, row.transfers), empty, row.tasklets);
}

Result<double> benchmarkMultiply(const machine::Dpu &dpu, std::int64_t value) {
  const std::string operands = fmt::format("        move r0, {0}\n        move r1, {0}\n", value);
  return difference(dpu, operands + "        call r23, __mulsi3\n", operands, 1);
}

Result<double> benchmarkBarrier(const machine::Dpu &dpu, std::int64_t tasklets, std::int64_t barriers) {
  const std::string body = repeated("        move r0, meet\n        call r23, barrier_wait", barriers);
  Result<double> all = difference(dpu, body, "", tasklets);
  if (!all) return all;
  return *all / static_cast<double>(barriers);
}

Result<double> benchmarkInstructions(const machine::Dpu &dpu, const std::string &instruction, std::int64_t count) {
  return difference(dpu, repeated("        " + instruction, count), "", 1);
}

}  // namespace pimento::tune
