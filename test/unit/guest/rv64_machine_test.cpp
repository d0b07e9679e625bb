// What a guest of RV64 sees: its memory, its code, its calls; and what whoever runs it sees.
#include "test/support/rv64_machine.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pimento/guest/rv64/machine.h"
#include "test/support/folder.h"

namespace pimento::guest::rv64 {
namespace {

using namespace test::rv64;

constexpr std::uint64_t kPage = Memory::kPage;

std::unique_ptr<Memory> memory() {
  return std::move(*Memory::make());
}

TEST(Rv64Memory, PagesHavePermissions) {
  const auto m = memory();
  ASSERT_TRUE(m->map(0x10000, 2 * kPage, kRead));
  std::uint64_t value = 7;
  EXPECT_TRUE(m->load(0x10000, value));
  EXPECT_EQ(value, 0U);
  EXPECT_FALSE(m->store(0x10000, value));
  EXPECT_FALSE(m->load(0x10000 - 1, value)) << "half of it is nowhere";
  EXPECT_FALSE(m->load(~std::uint64_t{0} - 3, value)) << "over the end of all addresses";
  EXPECT_FALSE(m->load(Memory::kSize - 4, value));
  ASSERT_TRUE(m->protect(0x11000, kPage, kWrite));
  EXPECT_TRUE(m->store<std::uint64_t>(0x11000, 5));
  EXPECT_TRUE(m->load(0x11000, value)) << "what can be written can be read";
  EXPECT_EQ(value, 5U);
  EXPECT_FALSE(m->store<std::uint64_t>(0x11000 - 4, 5)) << "the first half cannot be written";
  EXPECT_TRUE(m->load(0x11000 - 4, value)) << "over two pages";
  EXPECT_EQ(value, std::uint64_t{5} << 32);
  EXPECT_EQ(m->firstWithout(0x10ff8, 16, kWrite), 0x10ff8U);
  EXPECT_EQ(m->firstWithout(0x11ff8, 16, kRead), 0x12000U);
}

TEST(Rv64Memory, RoomIsFoundFromAbove) {
  const auto m = memory();
  ASSERT_TRUE(m->map(0x50000, kPage, kRead));
  ASSERT_TRUE(m->map(0x52000, kPage, kRead));
  EXPECT_EQ(m->findFree(kPage, 0x53000), 0x51000U);
  EXPECT_EQ(m->findFree(2 * kPage, 0x53000), 0x4e000U);
  ASSERT_TRUE(m->map(0x51000, kPage, kRead));
  EXPECT_TRUE(m->isMapped(0x50000, 3 * kPage));
  ASSERT_TRUE(m->unmap(0x51000, kPage));
  EXPECT_FALSE(m->isMapped(0x50000, 3 * kPage));
  EXPECT_TRUE(m->isFree(0x51000, kPage));
  EXPECT_FALSE(m->findFree(0x100000, 0x53000)) << "nothing is that large below";
  EXPECT_FALSE(m->map(Memory::kSize, kPage, kRead));
  EXPECT_FALSE(m->map(0x1234, kPage, kRead));
}

TEST(Rv64Memory, WhatIsMappedAgainIsZero) {
  const auto m = memory();
  ASSERT_TRUE(m->map(0x10000, kPage, kWrite));
  ASSERT_TRUE(m->store<std::uint32_t>(0x10010, 9));
  ASSERT_TRUE(m->unmap(0x10000, kPage));
  std::uint32_t value = 1;
  EXPECT_FALSE(m->load(0x10010, value));
  ASSERT_TRUE(m->map(0x10000, kPage, kWrite));
  ASSERT_TRUE(m->load(0x10010, value));
  EXPECT_EQ(value, 0U);
}

TEST(Rv64Machine, ProgramsBeginAsLinuxHasThem) {
  const auto m = guestOf(elfOf(Assembler().exit(3).code()));
  const std::uint64_t sp = m->hart().x[kSp];
  EXPECT_EQ(sp % 16, 0U);
  std::uint64_t count = 0, name = 0, second = 0, end = 1, environment = 1;
  ASSERT_TRUE(m->memory().load(sp, count) && m->memory().load(sp + 8, name) && m->memory().load(sp + 24, second) &&
              m->memory().load(sp + 32, end) && m->memory().load(sp + 40, environment));
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(m->memory().text(name), "program");
  EXPECT_EQ(m->memory().text(second), "two");
  EXPECT_EQ(end, 0U);
  EXPECT_EQ(environment, 0U);
  std::map<std::uint64_t, std::uint64_t> auxiliary;
  for (std::uint64_t at = sp + 48;; at += 16) {
    std::uint64_t key = 0, value = 0;
    ASSERT_TRUE(m->memory().load(at, key) && m->memory().load(at + 8, value));
    if (key == AT_NULL) break;
    auxiliary[key] = value;
  }
  EXPECT_EQ(auxiliary[AT_PAGESZ], kPage);
  EXPECT_EQ(auxiliary[AT_ENTRY], kCodeAt);
  EXPECT_EQ(auxiliary[AT_PHNUM], 1U);
  EXPECT_EQ(auxiliary[AT_HWCAP], 0x112dU) << "IMAFDC";
  EXPECT_EQ(m->memory().text(auxiliary[AT_EXECFN]), "program");
  EXPECT_EQ(finish(*m), "");
  EXPECT_EQ(m->end().exitStatus, 3);
  EXPECT_EQ(m->hart().instructions(), 3);
}

TEST(Rv64Machine, ProgramsWithoutAPlaceGetOne) {
  // auipc a0, 0: where it is
  std::string bytes = elfOf(Assembler().add(0x17 | kA0 << 7).add(addi(kA7, kZero, 93)).add(kEcall).code());
  bytes[16] = ET_DYN;
  const auto m = guestOf(bytes);
  EXPECT_EQ(m->loadedAt(), kPositionIndependent);
  EXPECT_EQ(finish(*m), "");
  EXPECT_EQ(m->hart().pc, kPositionIndependent + kCodeAt + 12);
}

TEST(Rv64Machine, AStepIsABlockWithItsAccesses) {
  Assembler a;
  a.set(kA0, kDataAt).add(ld(kA1, kA0, 8)).add(addi(kA1, kA1, 1)).add(sd(kA1, kA0, 16)).add(makeJ(0, 4)).exit(0);
  std::string data(32, '\0');
  data[8] = 41;
  const auto m = guestOf(elfOf(a.code(), data));
  const auto step = m->step();
  ASSERT_TRUE(step.ok());
  EXPECT_EQ(step->block->address, kCodeAt);
  EXPECT_EQ(step->count, 6);
  ASSERT_EQ(step->accesses.size(), 2U);
  EXPECT_EQ(step->accesses[0].address, kDataAt + 8);
  EXPECT_EQ(step->accesses[0].instruction, 2);
  EXPECT_EQ(step->accesses[0].value, 41U);
  EXPECT_FALSE(step->accesses[0].isStore);
  EXPECT_EQ(step->accesses[1].address, kDataAt + 16);
  EXPECT_EQ(step->accesses[1].value, 42U);
  EXPECT_EQ(step->accesses[1].bytes, 8);
  EXPECT_TRUE(step->accesses[1].isStore);
  EXPECT_EQ(m->hart().pc, kCodeAt + 24);
}

TEST(Rv64Machine, AFaultLeavesTheFirstInstructionsOfItsBlock) {
  Assembler a;
  a.set(kA0, kDataAt).add(sd(kA0, kA0, 0)).add(ld(kA1, kZero, 16)).add(sd(kA0, kA0, 8)).exit(0);
  const auto m = guestOf(elfOf(a.code(), std::string(32, '\0')));
  const auto step = m->step();
  ASSERT_TRUE(step.ok());
  EXPECT_EQ(step->count, 3);
  EXPECT_EQ(step->accesses.size(), 1U);
  ASSERT_TRUE(m->hasEnded());
  EXPECT_EQ(m->end().signal, SIGSEGV);
  EXPECT_EQ(m->end().cause, "it loads from 0x10, which cannot be read, at f + 0xc (0x1000c)");
  EXPECT_EQ(m->hart().instructions(), 3);
  EXPECT_EQ(m->hart().pc, kCodeAt + 12);
}

/// Calls a function at kDataAt that returns 1, makes it return 2, calls it again; `between` stands before the second
/// call. Exits with the sum.
std::string changesItself(const std::vector<std::uint32_t> &between) {
  Assembler a;
  a.set(kA5, kDataAt).set(kA4, addi(kA0, kZero, 2)).add(makeI(0x67, 0, kRa, kA5, 0));
  a.add(addi(kA3, kA0, 0)).add(makeS(0x23, 2, kA5, kA4, 0));
  for (const std::uint32_t b : between) a.add(b);
  a.add(makeI(0x67, 0, kRa, kA5, 0)).add(makeR(0x33, 0, 0, kA0, kA0, kA3)).add(addi(kA7, kZero, 93)).add(kEcall);
  const std::uint32_t function[] = {addi(kA0, kZero, 1), makeI(0x67, 0, kZero, kRa, 0)};
  std::string bytes = elfOf(a.code(), std::string(reinterpret_cast<const char *>(function), sizeof function));
  bytes[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, p_flags)] = PF_R | PF_W | PF_X;
  return bytes;
}

TEST(Rv64Machine, CodeThatIsWrittenRunsAfterAFence) {
  const auto with = guestOf(changesItself({kFenceI}));
  EXPECT_EQ(finish(*with), "");
  EXPECT_EQ(with->end().exitStatus, 3);
  const auto without = guestOf(changesItself({}));
  EXPECT_EQ(finish(*without), "");
  EXPECT_EQ(without->end().exitStatus, 2) << "as the manual allows";
}

TEST(Rv64Machine, CodeThatWasUnprotectedIsDecodedAgain) {
  // mprotect(a5, 4096, rwx)
  const auto m =
      guestOf(changesItself({addi(kA0, kA5, 0), lui(kA1, 1), addi(kA2, kZero, 7), addi(kA7, kZero, 226), kEcall}));
  EXPECT_EQ(finish(*m), "");
  EXPECT_EQ(m->end().exitStatus, 3);
}

TEST(Rv64Machine, AFunctionCanBeReplaced) {
  Assembler a;
  a.add(makeJ(kRa, 16)).add(addi(kA7, kZero, 93)).add(kEcall).add(0);
  a.add(addi(kA0, kZero, 1)).add(makeI(0x67, 0, kZero, kRa, 0));  // the function, at + 16
  const auto m = guestOf(elfOf(a.code()));
  int calls = 0;
  m->intercept(kCodeAt + 16, [&](Machine &machine) {
    ++calls;
    machine.hart().x[kA0] = 17;
    machine.hart().pc = machine.hart().x[kRa];
    return true;
  });
  EXPECT_EQ(finish(*m), "");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(m->end().exitStatus, 17);
}

TEST(Rv64Machine, AnInterceptionCutsBlocks) {
  Assembler a;
  a.add(addi(kA0, kZero, 1)).add(addi(kA0, kA0, 2)).add(addi(kA0, kA0, 4)).add(addi(kA7, kZero, 93)).add(kEcall);
  const auto m = guestOf(elfOf(a.code()));
  ASSERT_NE(m->hart().pc, 0U);
  std::uint64_t seen = 0;
  m->intercept(kCodeAt + 8, [&](Machine &machine) {
    seen = machine.hart().x[kA0];
    return false;
  });
  const auto first = m->step();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->count, 2);
  EXPECT_EQ(finish(*m), "");
  EXPECT_EQ(seen, 3U);
  EXPECT_EQ(m->end().exitStatus, 7);
}

/// What a call returns.
std::int64_t resultOf(Machine &m, Linux &linux, std::uint64_t number, std::vector<std::uint64_t> arguments) {
  m.hart().x[kA7] = number;
  for (std::size_t i = 0; i < arguments.size(); ++i) m.hart().x[kA0 + i] = arguments[i];
  EXPECT_EQ(linux.call(m.hart()).kind, CallOutcome::Kind::kReturned) << number;
  return static_cast<std::int64_t>(m.hart().x[kA0]);
}

class Rv64Linux : public testing::Test {
 protected:
  std::int64_t call(std::uint64_t number, std::vector<std::uint64_t> arguments) {
    return resultOf(*machine_, linux_, number, std::move(arguments));
  }
  CallOutcome outcome(std::uint64_t number, std::vector<std::uint64_t> arguments) {
    machine_->hart().x[kA7] = number;
    for (std::size_t i = 0; i < arguments.size(); ++i) machine_->hart().x[kA0 + i] = arguments[i];
    return linux_.call(machine_->hart());
  }
  std::uint64_t put(std::string_view text) {
    std::byte *to = machine_->memory().at(kDataAt, text.size() + 1, kWrite);
    std::memcpy(to, text.data(), text.size());
    to[text.size()] = std::byte{0};
    return kDataAt;
  }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    EXPECT_TRUE(machine_->memory().load(address, value));
    return value;
  }

  static constexpr std::uint64_t kBreak = 0x500000, kBuffer = kDataAt + 512;
  std::unique_ptr<Machine> machine_ = guestOf(elfOf(Assembler().exit(0).code(), std::string(1024, '\0')));
  Linux linux_{machine_->memory(), {"program", kBreak, 2, true}};
};

TEST_F(Rv64Linux, TheBreakMoves) {
  EXPECT_EQ(call(214, {0}), std::int64_t{kBreak});
  EXPECT_EQ(call(214, {kBreak + 100}), std::int64_t{kBreak} + 100);
  EXPECT_TRUE(machine_->memory().store<std::uint64_t>(kBreak + 4088, 1)) << "to the end of its page";
  EXPECT_EQ(call(214, {kBreak - 1}), std::int64_t{kBreak} + 100) << "it stays where it was";
  EXPECT_EQ(call(214, {kBreak}), std::int64_t{kBreak});
  EXPECT_FALSE(machine_->memory().store<std::uint64_t>(kBreak, 1));
}

TEST_F(Rv64Linux, MappingsComeAndGo) {
  const std::int64_t at = call(222, {0, 5000, 3, 0x22, ~std::uint64_t{0}, 0});
  ASSERT_GT(at, 0);
  const auto from = static_cast<std::uint64_t>(at);
  EXPECT_TRUE(machine_->memory().store<std::uint64_t>(from + 8184, 77));
  EXPECT_EQ(call(222, {0, 0, 3, 0x22, ~std::uint64_t{0}, 0}), -EINVAL);
  EXPECT_EQ(call(222, {from, 4096, 3, 0x100022, ~std::uint64_t{0}, 0}), -EEXIST) << "MAP_FIXED_NOREPLACE";
  EXPECT_EQ(call(222, {0, Memory::kSize, 3, 0x22, ~std::uint64_t{0}, 0}), -ENOMEM);
  const std::int64_t moved = call(216, {from, 8192, 1 << 20, 1});
  ASSERT_GT(moved, 0);
  EXPECT_EQ(word(static_cast<std::uint64_t>(moved) + 8184), 77U) << "mremap takes the contents along";
  EXPECT_EQ(call(226, {static_cast<std::uint64_t>(moved), 4096, 1}), 0);
  EXPECT_FALSE(machine_->memory().store<std::uint64_t>(static_cast<std::uint64_t>(moved), 1));
  EXPECT_EQ(call(226, {0x7000000, 4096, 1}), -ENOMEM) << "nothing is there";
  EXPECT_EQ(call(215, {static_cast<std::uint64_t>(moved), 1 << 20}), 0);
  EXPECT_TRUE(machine_->memory().isFree(static_cast<std::uint64_t>(moved), 1 << 20));
}

TEST_F(Rv64Linux, FilesAreTheHosts) {
  const test::Folder folder;
  const std::string file = folder / "file";
  std::ofstream(file) << "hello, guest";
  const std::uint64_t cwd = static_cast<std::uint64_t>(-100);
  const std::int64_t number = call(56, {cwd, put(file), 0, 0});
  ASSERT_EQ(number, 3);
  EXPECT_EQ(call(63, {3, kBuffer, 5}), 5);
  EXPECT_EQ(word(kBuffer) & 0xffffffffff, 0x6f6c6c6568U);
  EXPECT_EQ(call(62, {3, 7, 0}), 7);
  EXPECT_EQ(call(63, {3, kBuffer, 100}), 5);
  EXPECT_EQ(call(63, {3, 0x100, 100}), -EFAULT);
  EXPECT_EQ(call(80, {3, kBuffer}), 0);
  EXPECT_EQ(word(kBuffer + 48), 12U) << "st_size";
  EXPECT_EQ(call(29, {3, 0x5401, kBuffer}), -ENOTTY);
  const std::int64_t mapped = call(222, {0, 12, 1, 2, 3, 0});
  ASSERT_GT(mapped, 0);
  EXPECT_EQ(word(static_cast<std::uint64_t>(mapped)) & 0xff, 'h');
  EXPECT_EQ(call(57, {3}), 0);
  EXPECT_EQ(call(57, {3}), -EBADF);
  EXPECT_EQ(call(56, {cwd, put(folder / "none"), 0, 0}), -ENOENT);
  EXPECT_EQ(call(78, {cwd, put("/proc/self/exe"), kBuffer, 500}),
            static_cast<std::int64_t>(std::filesystem::absolute("program").string().size()));
}

TEST_F(Rv64Linux, TimeIsAMillisecondPerQuestion) {
  EXPECT_EQ(call(113, {0, kBuffer}), 0);
  EXPECT_EQ(word(kBuffer), 1577836800U);
  EXPECT_EQ(word(kBuffer + 8), 0U);
  EXPECT_EQ(call(169, {kBuffer, 0}), 0);
  EXPECT_EQ(word(kBuffer + 8), 1000U) << "microseconds";
  EXPECT_EQ(call(113, {1, kBuffer}), 0);
  EXPECT_EQ(word(kBuffer + 8), 2000000U);
}

TEST_F(Rv64Linux, RandomBytesAreTheSameInEveryRun) {
  EXPECT_EQ(call(278, {kBuffer, 8, 0}), 8);
  const std::uint64_t first = word(kBuffer);
  EXPECT_NE(first, 0U);
  Linux again(machine_->memory(), {"program", kBreak, 2, true});
  EXPECT_EQ(resultOf(*machine_, again, 278, {kBuffer, 8, 0}), 8);
  EXPECT_EQ(word(kBuffer), first);
}

TEST_F(Rv64Linux, SignalsWaitWhileTheyAreBlocked) {
  constexpr std::uint64_t kAbort = 6;
  ASSERT_TRUE(machine_->memory().store<std::uint64_t>(kBuffer, 1 << (kAbort - 1)));
  EXPECT_EQ(call(135, {0, kBuffer, 0, 8}), 0);
  EXPECT_EQ(call(131, {kProcess, kProcess, kAbort}), 0);
  const CallOutcome out = outcome(135, {1, kBuffer, 0, 8});
  EXPECT_EQ(out.kind, CallOutcome::Kind::kSignalled);
  EXPECT_EQ(out.number, 6);
}

TEST_F(Rv64Linux, SignalsThatAreIgnoredDoNothing) {
  ASSERT_TRUE(machine_->memory().store<std::uint64_t>(kBuffer, 1));  // SIG_IGN
  EXPECT_EQ(call(134, {15, kBuffer, 0, 8}), 0);
  EXPECT_EQ(call(129, {kProcess, 15}), 0);
  EXPECT_EQ(call(129, {kProcess, 17}), 0) << "SIGCHLD";
  EXPECT_EQ(call(129, {kProcess + 1, 15}), -ESRCH);
  EXPECT_EQ(outcome(129, {kProcess, 9}).kind, CallOutcome::Kind::kSignalled);
}

TEST_F(Rv64Linux, NobodyElseWakesAFutex) {
  ASSERT_TRUE(machine_->memory().store<std::uint32_t>(kBuffer, 5));
  EXPECT_EQ(call(98, {kBuffer, 1, 1}), 0);
  EXPECT_EQ(call(98, {kBuffer, 0, 4, 0}), -EAGAIN);
  EXPECT_EQ(outcome(98, {kBuffer, 0, 5, 0}).kind, CallOutcome::Kind::kBlocks);
}

TEST_F(Rv64Linux, CallsHaveNames) {
  EXPECT_EQ(callName(64), "write");
  EXPECT_EQ(callName(220), "clone");
  EXPECT_EQ(callName(222), "mmap");
  EXPECT_EQ(callName(5000), "");
  EXPECT_EQ(outcome(220, {}).kind, CallOutcome::Kind::kUnknown);
}

}  // namespace
}  // namespace pimento::guest::rv64
