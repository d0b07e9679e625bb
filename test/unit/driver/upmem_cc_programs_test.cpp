// Programs in UPMEM's C interface as `upmem-cc` compiles and links them: what is linked, what headers and built-ins
// give, and times as of the vendor's compiler.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/padded_routines.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "test/support/archive.h"
#include "test/support/linked_dpu.h"
#include "test/support/plain_dpu.h"
#include "test/support/upmem_cc.h"

namespace pimento::driver {
namespace {

using test::UpmemCc;
using test::UpmemCcC;

/// The word of WRAM that a symbol names, as it is loaded.
std::uint32_t wordAt(const program::Code &code, const char *name) {
  const program::Code::Symbol *symbol = code.symbolNamed(name);
  std::uint32_t word = 0;
  for (const program::Code::Segment &s : code.segments) {
    if (symbol == nullptr || symbol->address < s.address || symbol->address + 4 > s.address + s.bytes.size()) continue;
    for (std::uint32_t i = 4; i-- > 0;) word = word << 8 | s.bytes[symbol->address - s.address + i];
  }
  return word;
}

const std::string kDebugging =
    "#include <mram.h>\n#include <stdio.h>\n__host int result;\n__mram_noinit int data[4];\nint unused[100] = {1};\n"
    "__attribute__((used)) int kept = 5;\nvoid debug(int x) { printf(\"x is %d\\n\", x + unused[x]); }\n"
    "int main(void) { return 0; }\n";

TEST_F(UpmemCcC, AnUnusedFunctionThatPrintsTakesNoMemory) {
  const program::Code code = linked({file("main.c", kDebugging)});
  EXPECT_EQ(code.mramUsed, 16u) << "data alone, no log";
  for (const char *name : {"debug", "unused", "printf", "__log_buffer"})
    EXPECT_EQ(code.symbolNamed(name), nullptr) << name;
  for (const char *name : {"result", "data", "kept"}) EXPECT_NE(code.symbolNamed(name), nullptr) << name;
}

TEST_F(UpmemCcC, ThatHoldsForObjectsToo) {
  const std::string main = file("main.c", kDebugging);
  ASSERT_EQ(upmemCc({"-c", main, "-o", path("main.o"), "-ffunction-sections", "-fdata-sections"}).status, 0);
  EXPECT_EQ(linked({path("main.o"), "-Wl,--gc-sections"}).mramUsed, 16u);
  EXPECT_GT(linked({path("main.o"), "-Wl,--no-gc-sections"}).mramUsed, 65536u);
  EXPECT_NE(linked({path("main.o"), "-u", "debug"}).symbolNamed("printf"), nullptr);
}

TEST_F(UpmemCcC, EveryProgramSaysHowManyClocksASecondHas) {
  const program::Code code = linked({file("main.c", "int main(void) { return 0; }\n")});
  EXPECT_NE(code.symbolNamed("CLOCKS_PER_SEC"), nullptr);
}

TEST_F(UpmemCcC, AProgramsOwnFunctionsTakeThePlaceOfTheLibrarys) {
  // exp and expf come from one file of the library; memcpy and memmove too.
  const program::Code code = linked({file(
      "main.c",
      "#include <math.h>\n#include <string.h>\nfloat expf(float x) { return x + 1; }\n"
      "float ldexpf(float x, int e) { return x * (float)(1 << e); }\nvolatile double d;\nvolatile float f;\nchar "
      "a[64], b[64];\n"
      "void *memcpy(void *restrict to, const void *restrict from, size_t n) { for (size_t i = 0; i < n; ++i) "
      "((volatile char *)to)[i] = ((const char *)from)[i]; return to; }\n"
      "int main(void) { d = exp(d) + ldexp(d, 3); f = expf(f) + ldexpf(f, 2); memmove(a, b, sizeof a); memcpy(b, a, "
      "(unsigned)f); return 0; }\n")});
  EXPECT_NE(code.symbolNamed("expf"), nullptr);
}

TEST_F(UpmemCcC, AThinArchiveIsReadThroughItsFiles) {
  ASSERT_EQ(upmemCc({"-c", file("part.c", "int part(void) { return 3; }\n"), "-o", path("part.o")}).status, 0);
  const std::string header = "part.o/         0           0     0     644     1000      `\n";
  const std::string main = file("main.c", "int part(void);\nint main(void) { return part(); }\n");
  EXPECT_NE(linked({main, file("libpart.a", "!<thin>\n" + header)}).symbolNamed("part"), nullptr);
  const CcOutcome missing =
      upmemCc({main, file("libnone.a", "!<thin>\n" + std::string(header).replace(0, 6, "none.o"))});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.messages.find("none.o"), std::string::npos) << missing.messages;
}

// The interface.

TEST_F(UpmemCcC, DefinitionsByMacroStandWithAndWithoutASemicolon) {
  const std::string text =
      "#include <barrier.h>\n#include <mutex.h>\n#include <mutex_pool.h>\n#include <profiling.h>\n#include <sem.h>\n"
      "#include <vmutex.h>\nBARRIER_INIT(b, NR_TASKLETS)\nSEMAPHORE_INIT(s, -1)\nMUTEX_INIT(m)\nMUTEX_POOL_INIT(p, 4)\n"
      "VMUTEX_INIT(v, 8, 2)\nPROFILING_INIT(c)\nATOMIC_BIT_INIT(a)\nBARRIER_INIT(b2, NR_TASKLETS);\n"
      "SEMAPHORE_INIT(s2, 1);\nMUTEX_INIT(m2);\nMUTEX_POOL_INIT(p2, 4);\nVMUTEX_INIT(v2, 8, 2);\nPROFILING_INIT(c2);\n"
      "ATOMIC_BIT_INIT(a2);\n_Static_assert(sizeof b == 4 && sizeof s == 4 && sizeof b.lock == 1, \"\");\n"
      "int main(void) { barrier_wait(&b); barrier_wait(&b2); sem_give(&s); return 0; }\n";
  const CcOutcome done = upmemCc({"-c", "-Wall", "-Wextra", file("main.c", text), "-o", path("main.o")});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.messages, "");
  const program::Code code = linked({path("main.o")});
  EXPECT_EQ(wordAt(code, "b") & 0xffffff, 0x0101ffU) << "nobody waits, one to come of one";
  EXPECT_EQ(wordAt(code, "b") >> 24, valueOf(code, "__atomic_bit_barrier_b") & 0xff);
  EXPECT_EQ(wordAt(code, "s") & 0xffffff, 0xffffffU);
}

TEST_F(UpmemCcC, EveryInstructionHasABuiltIn) {
  const std::string text =
      "#include <built_ins.h>\n#include <macro_utils.h>\nunsigned f(unsigned a, unsigned b) {\n  unsigned p, q, r, s, "
      "t;\n"
      "  __builtin_nop_();\n  __builtin_add_rri(p, a, \"0x12\");\n  __builtin_sub_rrrc(q, a, b, \"eq\");\n"
      "  __builtin_acquire_rici(b, \"0\", \"nz\", \".\");\n  __builtin_lw_rri(r, a, \"4\");\n"
      "  __builtin_add_ssi(s, b, \"8\");\n  __builtin_time_r(t);\n  return p + q + r + s + t;\n}\n";
  const CcOutcome done = upmemCc({"-S", "-o", "-", file("f.c", text)});
  ASSERT_EQ(done.status, 0) << done.messages;
  for (const char *line : {"nop\n", ", 0x12", ", eq", ", 0, nz, .", "lw r", "add s", "time r"})
    EXPECT_NE(done.text.find(line), std::string::npos) << line << "\n" << done.text;
}

TEST_F(UpmemCcC, AProgramIsCompiledForOneTaskletUnlessTold) {
  const std::string main = file("main.c", "int one[NR_TASKLETS == 1 ? 1 : -1];\nint main(void) { return one[0]; }\n");
  EXPECT_NE(linked({main}).symbolNamed("one"), nullptr);
  EXPECT_EQ(upmemCc({"-c", "-DNR_TASKLETS=2", main, "-o", path("main.o")}).status, 1);
}

TEST_F(UpmemCcC, ArraysOfEightBytesAndMoreAreAlignedForTransfers) {
  const program::Code code = linked({file("main.c",
                                          "char a = 1, buffer[9] = {2}, c = 3;\nvolatile short table[4] = {4};\n"
                                          "int main(void) { volatile char local[8]; local[0] = 0; return a + buffer[1] "
                                          "+ c + table[2] + ((int)local & 7); }\n")});
  EXPECT_EQ(valueOf(code, "buffer") % 8, 0U);
  EXPECT_EQ(valueOf(code, "table") % 8, 0U);
}

TEST_F(UpmemCcC, BothCountsOfTheCounterAreGivenAtOnce) {
  const program::Code code = linked(
      {file("main.c",
            "#include <attributes.h>\n#include <perfcounter.h>\n__host perfcounter_pair_t both;\nvolatile int x;\n"
            "int main(void) { perfcounter_config(COUNT_ENABLE_BOTH, true); for (int i = 0; i < 1000; ++i) x = i;\n"
            "both = perfcounter_get_both(false); return 0; }\n")});
  const auto image = sim::dpu::Image::make(code);
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(image.ok() && machine.ok());
  sim::dpu::Dpu dpu(*image, *machine->dpu);
  EXPECT_FALSE(dpu.simulate({}).fault);
  std::vector<std::byte> bytes(16);
  dpu.readWram(valueOf(code, "both"), bytes);
  std::uint64_t both[2];
  std::memcpy(both, bytes.data(), sizeof both);
  EXPECT_NEAR(static_cast<double>(both[0]), 11.0 * static_cast<double>(both[1]), 11 * 48.0) << "of one tasklet";
  EXPECT_GT(both[1], 1000U);
}

// Times as of the vendor's compiler.

/// Cycles of a run of one tasklet.
double cyclesOf(const program::Code &code) {
  const auto image = sim::dpu::Image::make(code);
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  if (!image || !machine) return 0;
  sim::dpu::Dpu dpu(*image, *machine->dpu);
  const auto run = dpu.simulate({});
  EXPECT_FALSE(run.fault) << run.fault->str();
  return static_cast<double>(run.cycles.value);
}

/// `count` calls of a routine on numbers from 1 to 1,000.
std::string callsOf(const std::string &routine, bool isWide, int count) {
  std::string data;
  std::uint32_t random = 1;
  for (int i = 0; i < 2 * count; ++i) {
    random = random * 1664525 + 1013904223;
    const double value = 1 + (random >> 12) * 0.001;
    const auto narrow = static_cast<float>(value);
    data += isWide ? fmt::format(".quad {}\n", std::bit_cast<std::uint64_t>(value))
                   : fmt::format(".long {}\n", std::bit_cast<std::uint32_t>(narrow));
  }
  return fmt::format(
      ".text\n.globl main\nmain: move r16, r23\n  move r14, {}\n  move r15, numbers\n1: {}\n  call r23, {}\n"
      "  add r14, r14, -1, nz, 1b\n  jump r16\n.data\n.p2align 3\nnumbers:\n{}",
      count,
      isWide ? "ld d0, r15, 0; ld d2, r15, 8; add r15, r15, 16" : "lw r0, r15, 0; lw r1, r15, 4; add r15, r15, 8",
      routine, data);
}

TEST_F(UpmemCc, RoutinesTakeTheSlotsThatTheySayAndThoseOfTheVendorsLibraryWhereAsked) {
  const auto slotsOf = [&](const std::string &routine, bool isWide, std::vector<std::string> flags) {
    double cycles[2];
    for (const int many : {0, 1}) {
      std::vector<std::string> arguments = flags;
      arguments.push_back(file("calls.s", callsOf(routine, isWide, many == 0 ? 100 : 300)));
      cycles[many] = cyclesOf(linked(arguments));
    }
    return (cycles[1] - cycles[0]) / 200 / 11 - 4;  // beside the call: two loads, an address, the counter
  };
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine.ok() && machine->compute);
  for (const dpu::RoutineCost &cost : dpu::libraryCosts()) {
    if (cost.name == "__muldi3") continue;  // its operands here are no numbers that it is of
    const bool isWide = cost.name.find("df3") != std::string::npos;
    EXPECT_NEAR(slotsOf(cost.name, isWide, {}), cost.slots, 0.02 * cost.slots + 1) << cost.name;
    const char *operation = cost.name.find("mul") != std::string::npos   ? "mul"
                            : cost.name.find("div") != std::string::npos ? "div"
                                                                         : "add";
    const auto *published = machine->compute->costOf(operation, isWide ? DType::kF64 : DType::kF32);
    ASSERT_NE(published, nullptr);
    EXPECT_NEAR(slotsOf(cost.name, isWide, {"--like=vendor"}), static_cast<double>(published->slots),
                0.02 * cost.slots + 1)
        << cost.name;
  }
}

TEST_F(UpmemCcC, LoopsAndProductsAreAsTheVendorsWhereAsked) {
  const std::string text = "void f(int *restrict a, int s, int n) { for (int i = 0; i < n; ++i) a[i] = a[i] * s; }\n";
  const CcOutcome own = upmemCc({"-S", "-O2", "-o", "-", file("f.c", text)}),
                  like = upmemCc({"--like=vendor", "-S", "-O2", "-o", "-", file("f.c", text)});
  ASSERT_TRUE(own.status == 0 && like.status == 0) << own.messages << like.messages;
  EXPECT_NE(own.text.find("mul_step"), std::string::npos);
  EXPECT_EQ(like.text.find("mul_step"), std::string::npos);
  EXPECT_NE(like.text.find("call\tr23, __mulsi3"), std::string::npos);
  EXPECT_EQ(like.text.find("call\tr23, __mulsi3"), like.text.rfind("call\tr23, __mulsi3")) << "not unrolled";
  EXPECT_NE(like.text.find("lsl_add"), std::string::npos) << "an address from the index: " << like.text;
  EXPECT_EQ(upmemCc({"--like=else", "f.c"}).status, 2);
}

TEST_F(UpmemCcC, ATransferMayBeOfAKnownSizeInOnePlaceOnly) {
  // Inlined after `count == 16`, its size is a constant; at the end it is not.
  const std::string program = file("buffer.c", R"(#include <defs.h>
#include <mram.h>
__mram_noinit uint64_t out[4096];
__host uint32_t n;
static uint64_t cache[16];
static uint32_t at;
static void flush(uint32_t *count) {
  if (*count == 0) return;
  if (at + *count > 4096) halt();
  mram_write(cache, &out[at], *count * 8);
  at += *count;
  *count = 0;
}
int main() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; ++i) {
    cache[count++] = i;
    if (count == 16) flush(&count);
  }
  flush(&count);
  return 0;
}
)");
  for (const char *level : {"-O0", "-O1", "-O2", "-O3", "-Os"}) {
    auto image = sim::dpu::Image::make(linked({level, program}));
    ASSERT_TRUE(image) << level;
    sim::dpu::Dpu dpu(*image, test::plainDpu());
    const std::uint32_t n = 37;
    dpu.writeWram(valueOf((*image)->code, "n"), std::as_bytes(std::span(&n, 1)));
    EXPECT_FALSE(dpu.simulate({}).fault) << level;
    std::vector<std::uint64_t> words(n);
    dpu.readMram(0, std::as_writable_bytes(std::span(words)));
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(words[i], i) << level;
  }
}

}  // namespace
}  // namespace pimento::driver
