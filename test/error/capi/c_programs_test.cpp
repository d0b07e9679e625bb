// Faulty programs in C, both as their compiler and as the host program that launches them see it: messages name the
// DPU, the tasklet, the function and the line of C, also where the fault is within the run-time library.
#include <dpu.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pimento/base/file.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/upmem_cc.h"
#include "test/support/folder.h"

namespace pimento {
namespace {

/// What every program begins with, so that its own lines count from 4: the second DPU's last tasklet is to blame.
const char *const kPrelude = R"(#include <defs.h>
__host int guilty;
static inline int isGuilty(void) { return guilty && me() == 2; }
)";

class FaultyProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!driver::makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  }

  driver::CcOutcome compile(const std::string &text, const std::vector<std::string> &flags = {}) {
    EXPECT_TRUE(writeFile(folder_ / "program.c", kPrelude + text));
    std::vector<std::string> arguments = {"-O2", "-DNR_TASKLETS=3", "-o", folder_ / "program", folder_ / "program.c"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return driver::upmemCc(arguments, {PIMENTO_SOURCE_DIR "/machines"});
  }

  /// The reason of the failed launch, without the folder's name; what the compiler says comes first.
  std::string reasonOf(const std::string &text, dpu_error_t status = DPU_ERR_DPU_FAULT, const char *profile = nullptr) {
    const driver::CcOutcome built = compile(text);
    EXPECT_EQ(built.status, 0) << built.messages;
    dpu_set_t set, dpu;
    std::uint32_t i = 0;
    EXPECT_EQ(dpu_alloc(2, profile, &set), DPU_OK) << pimento_dpu_reason();
    EXPECT_EQ(dpu_load(set, (folder_ / "program").c_str(), nullptr), DPU_OK) << pimento_dpu_reason();
    DPU_FOREACH(set, dpu, i) {
      const std::uint32_t isLast = i;
      EXPECT_EQ(dpu_copy_to(dpu, "guilty", 0, &isLast, sizeof isLast), DPU_OK);
    }
    EXPECT_EQ(dpu_launch(set, DPU_SYNCHRONOUS), status);
    std::string reason = pimento_dpu_reason();
    EXPECT_EQ(dpu_free(set), DPU_OK);
    const std::string name = folder_ / "";
    for (std::size_t at; (at = reason.find(name)) != std::string::npos;) reason.erase(at, name.size());
    return reason;
  }

  void expectFault(const std::string &text, int line, const std::string &function, const std::string &what) {
    const std::string reason = reasonOf(text);
    EXPECT_EQ(reason.find(fmt::format("program.c:{}: error: DPU 1, tasklet 2 at instruction ", line)), 0U) << reason;
    EXPECT_NE(reason.find(" in '" + function + "'"), std::string::npos) << reason;
    EXPECT_NE(reason.find(what), std::string::npos) << reason;
  }

  test::Folder folder_;
};

TEST_F(FaultyProgram, ReadsOutsideWram) {
  expectFault(R"(
volatile int at = 20000;
__attribute__((noinline)) static int pick(const int *table) {
  return table[at];
}
int main(void) { int table[4] = {0}; return isGuilty() ? pick(table) : 0; }
)",
              7, "pick", "load of 4 bytes at WRAM address 0x1");
}

TEST_F(FaultyProgram, WritesOutsideWram) {
  expectFault(R"(
volatile unsigned n = 70000;
char table[4];
int main(void) {
  for (unsigned i = 0; isGuilty() && i < n; ++i)
    table[i * 16] = 1;
  return 0;
}
)",
              9, "main", "store of 1 bytes at WRAM address 0x1000");
}

TEST_F(FaultyProgram, WritesPastTheEndOfMram) {
  expectFault(R"(#include <mram.h>
__dma_aligned char buffer[64];
volatile unsigned end = 64 << 20;
int main(void) {
  if (isGuilty())
    mram_write(buffer, (__mram_ptr void *)(end - 8), 64);
  return 0;
}
)",
              9, "main", "transfer of 64 bytes at MRAM address 0x3fffff8; MRAM ends at 0x4000000 [dpu-mram-bounds]");
}

TEST_F(FaultyProgram, ReadsMramToTheEndOfWram) {
  expectFault(R"(#include <mram.h>
volatile unsigned end = 64 << 10;
int main(void) {
  if (isGuilty()) mram_read(DPU_MRAM_HEAP_POINTER, (void *)(end - 32), 64);
  return 0;
}
)",
              7, "main", "transfer of 64 bytes at WRAM address 0xffe0; it ends at 0x10000 [dpu-wram-bounds]");
}

TEST_F(FaultyProgram, ReadsMramThroughAPointerThatIsNone) {
  expectFault(R"(#include <mram.h>
__mram_ptr int *volatile p = (__mram_ptr int *)0x7000000;
int main(void) {
  return isGuilty() ? *p : 0;
}
)",
              7, "main", "MRAM ends at 0x4000000");
}

TEST_F(FaultyProgram, TransfersAtOddAddressesOfAStrictMachine) {
  const std::string reason = reasonOf(R"(#include <mram.h>
__mram_noinit char table[64];
int main(void) {
  __dma_aligned char buffer[16];
  if (isGuilty()) mram_read(table + 4, buffer, 8);
  return 0;
}
)",
                                      DPU_ERR_DPU_FAULT, "dpu.strict_dma=on");
  EXPECT_EQ(reason.find("program.c:8: error: DPU 1, tasklet 2 at instruction "), 0U) << reason;
  EXPECT_NE(reason.find("[dpu-dma-alignment]"), std::string::npos) << reason;
}

TEST_F(FaultyProgram, AllocatesMoreThanTheHeapHas) {
  expectFault(R"(#include <alloc.h>
static void *block(unsigned bytes) {
  return mem_alloc(bytes);
}
int main(void) {
  if (isGuilty()) {
    *(char *)block(40000) = 1;
    *(char *)block(40000) = 1;
  }
  return 0;
}
)",
              6, "mem_alloc', called in 'main",
              "the heap has no room for the block: load of 1 bytes at WRAM address 0x1");
}

TEST_F(FaultyProgram, AllocatesTooManyBlocksOfOneSize) {
  expectFault(R"(#include <alloc.h>
int main(void) {
  if (isGuilty()) fsb_get(fsb_alloc(1000, 100));
  return 0;
}
)",
              6, "mem_alloc', called in 'main", "the heap has no room for the block");
}

TEST_F(FaultyProgram, AllocatesBuffersOfReadersWithoutRoom) {
  expectFault(R"(#define SEQREAD_CACHE_SIZE 1024
#include <seqread.h>
int main(void) {
  for (int i = 0; isGuilty() && i < 100; ++i)
    seqread_alloc();
  return 0;
}
)",
              8, "mem_alloc', called in 'main", "the heap has no room for the block");
}

TEST_F(FaultyProgram, DividesByZero) {
  expectFault(R"(
volatile int x = 5, zero;
int main(void) {
  if (isGuilty()) x = x / zero;
  return 0;
}
)",
              7, "main", "division by zero: the program raised fault 2 [dpu-fault]");
}

TEST_F(FaultyProgram, DividesLongIntegersByZero) {
  expectFault(R"(
volatile long long x = 5, zero;
__attribute__((noinline)) static long long rest(long long y) {
  return x % y + 1;
}
int main(void) {
  if (isGuilty()) x = rest(zero);
  return 0;
}
)",
              7, "__udivmodsi4', called in 'rest", "division by zero");
}

TEST_F(FaultyProgram, AssertsWhatIsNotTrue) {
  expectFault(R"(#include <assert.h>
volatile int count = 3;
int main(void) {
  if (isGuilty())
    assert(count == 4);
  return 0;
}
)",
              8, "__assert_failed', called in 'main", "an assertion failed");
}

TEST_F(FaultyProgram, Halts) {
  expectFault(R"(
__attribute__((noinline)) static void check(int x) {
  if (x != 0)
    halt();
}
int main(void) { check(isGuilty()); return 0; }
)",
              7, "check", "the program raised fault 1");
}

TEST_F(FaultyProgram, Aborts) {
  expectFault("#include <stdlib.h>\nint main(void) {\n  if (isGuilty())\n    abort();\n  return 0;\n}\n", 7, "main",
              "the program raised fault 1");
}

TEST_F(FaultyProgram, CallsWhatIsNoFunction) {
  expectFault(R"(
volatile unsigned where = 123456;
int main(void) {
  if (isGuilty()) ((void (*)(void))where)();
  return 0;
}
)",
              7, "main", "jump to instruction 123456, but the program has");
}

TEST_F(FaultyProgram, CopiesToWhereNoMemoryIs) {
  expectFault(R"(#include <string.h>
char text[8];
char *volatile to = (char *)0xfffc;
int main(void) {
  if (isGuilty())
    memcpy(to, text, (unsigned)me() + 20);
  return 0;
}
)",
              9, "memcpy', called in 'main", "WRAM ends at 0x10000");
}

TEST_F(FaultyProgram, PrintsAStringThatIsNone) {
  expectFault(R"(#include <stdio.h>
char *volatile text = (char *)0x20000;
int main(void) {
  if (isGuilty())
    printf("%s\n", text);
  return 0;
}
)",
              8, "vprintf', called in 'main", "WRAM ends at 0x10000");
}

TEST_F(FaultyProgram, CallsItselfForEver) {
  const std::string reason = reasonOf(R"(
int depth(int n) {
  volatile int local[16];
  local[n & 15] = n;
  return isGuilty() ? depth(n + 1) + local[n & 15] : 0;
}
int main(void) { return depth(0); }
)");
  EXPECT_NE(reason.find("error: DPU 1, tasklet 2 at instruction "), std::string::npos) << reason;
  EXPECT_NE(reason.find(" in 'depth': store of 8 bytes at WRAM address 0x100"), std::string::npos) << reason;
}

TEST_F(FaultyProgram, DoesNotEnd) {
  ::setenv("PIMENTO_MAX_INSTRUCTIONS", "20000", 1);
  const std::string reason = reasonOf(
      "volatile int flag;\nint main(void) {\n  while (isGuilty() && !flag) {\n  }\n  return 0;\n}\n", DPU_ERR_TIMEOUT);
  ::unsetenv("PIMENTO_MAX_INSTRUCTIONS");
  EXPECT_EQ(reason.find("program.c:6: error: DPU 1, tasklet 2 at instruction "), 0U) << reason;
  EXPECT_NE(reason.find("20000 instructions issued without reaching the end"), std::string::npos) << reason;
}

TEST_F(FaultyProgram, WaitsForATaskletThatDoesNotCome) {
  const std::string reason = reasonOf(R"(#include <barrier.h>
BARRIER_INIT(all, NR_TASKLETS);
int main(void) {
  if (!isGuilty())
    barrier_wait(&all);
  return 0;
}
)");
  EXPECT_EQ(reason.find("program.c:8: error: DPU 1, no tasklet can go on"), 0U) << reason;
  EXPECT_NE(reason.find("tasklets 0, 1 at instruction "), std::string::npos) << reason;
  EXPECT_NE(reason.find("called in 'main' (program.c:8)"), std::string::npos) << reason;
  EXPECT_NE(reason.find("tasklet 2 has ended [dpu-deadlock]"), std::string::npos) << reason;
}

TEST_F(FaultyProgram, LocksAMutexTwice) {
  const std::string reason = reasonOf(R"(#include <mutex.h>
MUTEX_INIT(lock);
int main(void) {
  if (!isGuilty()) return 0;
  mutex_lock(lock);
  mutex_lock(lock);
  return 0;
}
)");
  EXPECT_EQ(reason.find("program.c:9: error: DPU 1, no tasklet can go on; tasklet 2 at instruction "), 0U) << reason;
  EXPECT_NE(reason.find("in 'main' (program.c:9): waits for atomic bit "), std::string::npos) << reason;
}

TEST_F(FaultyProgram, TakesASemaphoreThatIsNeverGiven) {
  const std::string reason = reasonOf(R"(#include <sem.h>
SEMAPHORE_INIT(items, 0);
int main(void) {
  if (isGuilty()) sem_take(&items);
  return 0;
}
)");
  EXPECT_EQ(reason.find("program.c:7: error: DPU 1, no tasklet can go on; tasklet 2 at instruction "), 0U) << reason;
}

TEST_F(FaultyProgram, WaitsForAHandshakeThatIsNotOffered) {
  const std::string reason = reasonOf(R"(#include <handshake.h>
int main(void) {
  if (isGuilty()) handshake_wait_for(0);
  return 0;
}
)");
  EXPECT_EQ(reason.find("program.c:6: error: DPU 1, no tasklet can go on; tasklet 2 at instruction "), 0U) << reason;
  EXPECT_NE(reason.find("in 'handshake_wait_for'"), std::string::npos) << reason;
}

TEST_F(FaultyProgram, UsesTheInterfaceWithNumbersThatItRefuses) {
  const auto expectRefused = [this](const std::string &text, const std::string &message) {
    const driver::CcOutcome outcome = compile(text);
    EXPECT_EQ(outcome.status, 1) << text;
    EXPECT_NE(outcome.messages.find("program.c:"), std::string::npos) << outcome.messages;
    EXPECT_NE(outcome.messages.find(message), std::string::npos) << outcome.messages;
  };
  const std::string end = "\nint main(void) { return 0; }\n";
  expectRefused("#include <barrier.h>\nBARRIER_INIT(b, 25);" + end, "a barrier needs 1 to 24 tasklets");
  expectRefused("#include <sem.h>\nSEMAPHORE_INIT(s, 300);" + end, "a semaphore counts in 8 bits");
  expectRefused("#include <mutex_pool.h>\nMUTEX_POOL_INIT(p, 6);" + end, "a power of two");
  expectRefused("#define SEQREAD_CACHE_SIZE 100\n#include <seqread.h>" + end, "a power of two from 8 to 1024");
  expectRefused("#include <math.h>\nint main(void) { return (int)fma(1, 2, 3); }\n", "not on DPUs");
}

TEST_F(FaultyProgram, TransfersSizesThatNoTransferHas) {
  for (const int bytes : {0, 12, 4096}) {
    const driver::CcOutcome outcome =
        compile(fmt::format("#include <mram.h>\n__dma_aligned char buffer[4096];\nint main(void) {{\n"
                            "  mram_read(DPU_MRAM_HEAP_POINTER, buffer, {});\n  return 0;\n}}\n",
                            bytes));
    EXPECT_EQ(outcome.status, 0) << outcome.messages;
    EXPECT_NE(outcome.messages.find("program.c:7:"), std::string::npos) << outcome.messages;
    EXPECT_NE(outcome.messages.find("warning: a transfer moves a multiple of 8 bytes, at most 2048"), std::string::npos)
        << outcome.messages;
  }
}

}  // namespace
}  // namespace pimento
