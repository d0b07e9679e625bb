// DPU programs in assembly for tests of the host library, as dpu_load_from_memory takes them.
#pragma once

#include <dpu.h>
#include <gtest/gtest.h>

#include <string>

namespace pimento::test {

/// result = value + 1, and the word at `total` in WRAM counts launches.
inline const char *const kIncrement = R"(
        .text
        .globl  main
        .type   main,@function
main:
        jneq    id, 0, .Ldone
        lw      r0, zero, value
        add     r0, r0, 1
        sw      zero, result, r0
        lw      r0, zero, total
        add     r0, r0, 1
        sw      zero, total, r0
.Ldone:
        jump    r23
        .size   main, . - main
        .section .dpu_host,"aw",@progbits
        .globl  value
        .type   value,@object
        .p2align 3
value:  .long   0
        .size   value, 4
        .globl  result
        .type   result,@object
        .p2align 3
result: .long   0
        .size   result, 4
        .globl  total
        .type   total,@object
        .p2align 3
total:  .long   0
        .size   total, 4
)";

/// Adds 1 to the first word of `table` (64 bytes of MRAM) and prints "hello" as tasklet 0.
inline const char *const kMram = R"(
        .text
        .globl  main
        .type   main,@function
main:
        sd      r22, 8, d22
        add     r22, r22, 16
        jneq    id, 0, .Ldone
        move    r0, buffer
        move    r1, table
        ldma    r0, r1, 0
        lw      r2, r0, 0
        add     r2, r2, 1
        sw      r0, 0, r2
        sdma    r0, r1, 0
        move    r0, .Lhello
        call    r23, log_text
.Ldone:
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main
        .section .bss.buffer,"aw",@nobits
        .p2align 3
buffer: .zero   8
        .section .rodata.text,"a",@progbits
.Lhello:
        .asciz  "hello\n"
        .section .mram.table,"aw",@nobits
        .globl  table
        .type   table,@object
        .p2align 3
table:  .zero   64
        .size   table, 64
)";

/// Faults on the DPU whose `value` is 1, in line 8.
inline const char *const kFault = R"(
        .text
        .globl  main
        .type   main,@function
main:
        lw      r0, zero, value
        jneq    r0, 1, .Ldone
        fault   7
.Ldone:
        jump    r23
        .size   main, . - main
        .section .dpu_host,"aw",@progbits
        .globl  other
        .type   other,@object
        .p2align 3
other:  .long   0, 0
        .size   other, 8
        .globl  value
        .type   value,@object
        .p2align 3
value:  .long   0
        .size   value, 4
)";

/// Never ends.
inline const char *const kForever = R"(
        .text
        .globl  main
        .type   main,@function
main:
        jump    main
        .size   main, . - main
)";

/// Prints 70,000 bytes, more than the log holds.
inline const char *const kTalkative = R"(
        .text
        .globl  main
        .type   main,@function
main:
        sd      r22, 8, d22
        add     r22, r22, 16
        jneq    id, 0, .Ldone
        move    r15, 1000
.Lnext:
        move    r0, .Lline
        call    r23, log_text
        add     r15, r15, -1, nz, .Lnext
.Ldone:
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main
        .section .rodata.text,"a",@progbits
.Lline: .asciz  "seventy bytes seventy bytes seventy bytes seventy bytes seventy bytes\n"
)";

/// A set that is freed at the end of a test.
class Dpus {
 public:
  explicit Dpus(std::uint32_t count, const char *profile = "tasklets=2") { status = dpu_alloc(count, profile, &set); }
  ~Dpus() {
    if (status == DPU_OK) dpu_free(set);
  }
  Dpus(const Dpus &) = delete;
  Dpus &operator=(const Dpus &) = delete;

  dpu_error_t load(const char *program) { return loadOn(set, program); }
  static dpu_error_t loadOn(dpu_set_t part, const char *program) {
    std::string text = program;
    return dpu_load_from_memory(part, reinterpret_cast<std::uint8_t *>(text.data()), text.size(), nullptr);
  }
  dpu_set_t at(std::uint32_t index) const {
    dpu_set_t dpu{}, found{};
    std::uint32_t i = 0;
    DPU_FOREACH(set, dpu, i) {
      if (i == index) found = dpu;
    }
    return found;
  }
  std::uint32_t word(std::uint32_t index, const char *symbol, std::uint32_t offset = 0) const {
    std::uint32_t w[2] = {0xdead, 0xdead};
    const std::size_t size = offset % 8 == 0 && dpu_copy_from(at(index), symbol, offset, w, 8) == DPU_OK ? 8 : 4;
    if (size == 4 && dpu_copy_from(at(index), symbol, offset, w, 4) != DPU_OK) return 0xdead;
    return w[0];
  }

  dpu_set_t set{};
  dpu_error_t status = DPU_OK;
};

/// Two DPUs, and bytes for them.
class TwoDpus : public testing::Test {
 protected:
  TwoDpus() : dpus(2) {}

  Dpus dpus;
  std::uint64_t bytes[16] = {};
};

}  // namespace pimento::test

/// `call` fails with `code`, and says `text`.
#define EXPECT_FAILS(call, code, text)                                                                  \
  do {                                                                                                  \
    EXPECT_EQ((call), code);                                                                            \
    EXPECT_NE(std::string(pimento_dpu_reason()).find(text), std::string::npos) << pimento_dpu_reason(); \
  } while (0)
