// Programs of RV64 that are broken, or do what the interpreter does not: each has a diagnostic, or a report of its end.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "pimento/guest/rv64/interpreter.h"
#include "test/support/folder.h"
#include "test/support/rv64_machine.h"

namespace pimento::guest::rv64 {
namespace {

using namespace test::rv64;

class Nothing final : public trace::Consumer {
 public:
  void onBlock(const trace::Block & /*block*/, int /*count*/, std::span<const trace::Access> /*accesses*/) override {}
  bool wantsMore() const override { return false; }
};

Result<GuestEnd> runOf(const std::string &bytes, const std::atomic<bool> *isStopped = nullptr,
                       const std::vector<std::string> &arguments = {}) {
  const test::Folder folder;
  ElfImage image;
  image.file = folder / "program";
  image.isa = trace::Isa::kRv64;
  image.functions = {{"f", kCodeAt, 0x1000}};
  std::ofstream(image.file, std::ios::binary) << bytes;
  GuestOptions options;
  options.program = image.file;
  options.isStopped = isStopped;
  options.arguments = arguments;
  Nothing nothing;
  return run(image, options, nothing);
}

std::string said(const Result<GuestEnd> &end) {
  if (end) return "";
  EXPECT_FALSE(end.diagnostics()[0].hint.empty());
  return end.diagnostics()[0].code + ": " + end.diagnostics()[0].message;
}

std::string codeOf(const Result<GuestEnd> &end) {
  return end ? "" : end.diagnostics()[0].code;
}

std::string good() {
  return elfOf(Assembler().exit(0).code(), "data");
}

TEST(Rv64Errors, FilesThatAreNoPrograms) {
  struct Case {
    const char *name, *code;
    std::function<void(std::string &)> change;
  };
  const auto headerAt = [](std::string &b) { return reinterpret_cast<Elf64_Ehdr *>(b.data()); };
  const auto segmentAt = [](std::string &b, int i) {
    return reinterpret_cast<Elf64_Phdr *>(b.data() + sizeof(Elf64_Ehdr)) + i;
  };
  const Case cases[] = {
      {"empty", "bad-elf", [](auto &b) { b.clear(); }},
      {"a cut header", "bad-elf", [](auto &b) { b.resize(40); }},
      {"a cut table", "bad-elf", [](auto &b) { b.resize(80); }},
      {"a cut segment", "bad-elf", [](auto &b) { b.resize(4100); }},
      {"no segments", "bad-elf", [&](auto &b) { headerAt(b)->e_phnum = 0; }},
      {"a table elsewhere", "bad-elf", [&](auto &b) { headerAt(b)->e_phoff = ~0ULL - 8; }},
      {"a table of another size", "bad-elf", [&](auto &b) { headerAt(b)->e_phentsize = 8; }},
      {"more bytes than memory", "bad-elf", [&](auto &b) { segmentAt(b, 0)->p_memsz = 1; }},
      {"overlapping segments", "bad-elf", [&](auto &b) { segmentAt(b, 1)->p_vaddr = kCodeAt + 4; }},
      {"an address beyond", "unsupported-program", [&](auto &b) { segmentAt(b, 1)->p_vaddr = 1ULL << 40; }},
      {"a size beyond", "unsupported-program", [&](auto &b) { segmentAt(b, 1)->p_memsz = ~0ULL; }},
      {"the first page", "unsupported-program", [&](auto &b) { segmentAt(b, 0)->p_vaddr = 0; }},
      {"another machine", "unsupported-program", [&](auto &b) { headerAt(b)->e_machine = EM_X86_64; }},
      {"an object", "unsupported-program", [&](auto &b) { headerAt(b)->e_type = ET_REL; }},
      {"a dynamic program", "unsupported-program", [&](auto &b) { segmentAt(b, 1)->p_type = PT_INTERP; }},
      {"no instruction", "guest-failed", [&](auto &b) { headerAt(b)->e_entry = kDataAt; }},
      {"entry to nowhere", "guest-failed", [&](auto &b) { headerAt(b)->e_entry = ~0ULL; }},
  };
  EXPECT_EQ(said(runOf(good())), "");
  for (const Case &c : cases) {
    std::string bytes = good();
    c.change(bytes);
    const std::string words = said(runOf(bytes));
    EXPECT_TRUE(words.starts_with(c.code)) << c.name << ": " << words;
  }
}

TEST(Rv64Errors, FaultsEndAProgramWithASignal) {
  struct Case {
    const char *cause;
    int signal;
    std::vector<std::uint32_t> code;
  };
  const std::uint32_t toCode = lui(kA0, kCodeAt >> 12);
  const Case cases[] = {
      {"it runs code at 0x64, where there is none", SIGSEGV, {makeI(0x67, 0, kRa, kZero, 100)}},
      {"it runs code at 0x400000, where there is none",
       SIGSEGV,
       {lui(kA0, kDataAt >> 12), makeI(0x67, 0, kRa, kA0, 0)}},
      {"it stores to 0x10000, which cannot be written", SIGSEGV, {toCode, sd(kA0, kA0, 0)}},
      {"it loads from 0x7fffffffc0000000, which",
       SIGSEGV,
       {lui(kA0, 0x80000), makeI(0x13, 5, kA0, kA0, 1), ld(kA1, kA0, 0)}},
      {"it runs an instruction that RV64GC does not have", SIGILL, {toCode, 0}},
      {"it runs an instruction that RV64GC does not have", SIGILL, {makeI(0x73, 2, kA0, kZero, 0x300)}},  // mstatus
      {"it runs an instruction that RV64GC does not have", SIGILL, {makeR(0x53, 5, 0, 0, 0, 0)}},  // rounding mode 5
      {"it runs a breakpoint", SIGTRAP, {0x00100073}},
      {"an atomic instruction goes to 0x400001, which is not aligned",
       SIGBUS,
       {lui(kA0, kDataAt >> 12), addi(kA0, kA0, 1), makeR(0x2f, 2, 0, kA1, kA0, kA1)}},
  };
  for (const Case &c : cases) {
    Assembler a;
    a.add(addi(kA1, kZero, 0));
    for (const std::uint32_t word : c.code) a.add(word);
    const Result<GuestEnd> end = runOf(elfOf(a.code(), "data"));
    ASSERT_TRUE(end.ok()) << c.cause << said(end);
    EXPECT_EQ(end->signal, c.signal) << c.cause;
    EXPECT_EQ(end->exitStatus, 0);
    EXPECT_TRUE(end->cause.starts_with(c.cause)) << end->cause << "; expected " << c.cause;
    EXPECT_GE(end->instructions, 1);
  }
}

TEST(Rv64Errors, AStackThatOverflowsIsAFault) {
  Assembler a;  // pushes for ever
  a.add(addi(kSp, kSp, -16)).add(sd(kRa, kSp, 0)).add(makeJ(kRa, -8));
  const Result<GuestEnd> end = runOf(elfOf(a.code()));
  ASSERT_TRUE(end.ok()) << said(end);
  EXPECT_EQ(end->signal, SIGSEGV);
  EXPECT_NE(end->cause.find("it stores to 0xfff7ef"), std::string::npos) << end->cause;
  EXPECT_GT(end->instructions, 1000000);
}

TEST(Rv64Errors, WithoutRoomThereIsNoGuest) {
  // So much less than the guest's address space, and enough for all else.
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = pages * 4096 + Memory::kSize / 2;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  const Result<GuestEnd> end = runOf(good());
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(codeOf(end), "guest-memory");
}

TEST(Rv64Errors, ArgumentsFitOnTheStack) {
  const Result<GuestEnd> end = runOf(good(), nullptr, {std::string(std::size_t{1} << 26, 'x')});
  EXPECT_EQ(codeOf(end), "guest-arguments");
}

TEST(Rv64Errors, CallsThatAreNotServedAreNamed) {
  EXPECT_EQ(codeOf(runOf(elfOf(Assembler().call(220).code()))), "unknown-call");
  const std::string words = said(runOf(elfOf(Assembler().call(220).code())));
  EXPECT_EQ(words,
            "unknown-call: the program makes system call 220 (clone), which the interpreter does not serve, at f + 0x8 "
            "(0x10008)");
  const std::string other = said(runOf(elfOf(Assembler().call(1999).code())));
  EXPECT_NE(other.find("system call 1999, which"), std::string::npos) << other;
}

TEST(Rv64Errors, AnEndlessLoopIsStoppedFromOutside) {
  const std::atomic<bool> isStopped = true;
  const Result<GuestEnd> end = runOf(elfOf(Assembler().add(makeJ(kZero, 0)).code()), &isStopped);
  ASSERT_TRUE(end.ok()) << said(end);
  EXPECT_EQ(end->signal, SIGKILL);
  EXPECT_GT(end->instructions, 0);
}

TEST(Rv64Errors, HandlersAreRefused) {
  Assembler a;  // sigaction(SIGSEGV, data, 0, 8), and a load from nowhere
  a.add(addi(kA0, kZero, SIGSEGV)).set(kA1, kDataAt).add(addi(kA2, kZero, 0)).add(addi(kA3, kZero, 8)).call(134);
  a.add(ld(kA0, kZero, 0));
  std::string action(24, '\0');
  action[1] = 1;  // a handler at 0x100
  EXPECT_EQ(codeOf(runOf(elfOf(a.code(), action))), "signal-handler");
  const std::string words = said(runOf(elfOf(a.code(), action)));
  EXPECT_TRUE(words.starts_with("signal-handler: signal 11 would run a handler")) << words;
}

TEST(Rv64Errors, AWaitWithoutAnotherThreadIsRefused) {
  Assembler a;
  a.set(kA0, kDataAt).add(addi(kA1, kZero, 0)).add(addi(kA2, kZero, 0)).add(addi(kA3, kZero, 0)).call(98);
  EXPECT_EQ(codeOf(runOf(elfOf(a.code(), std::string(8, '\0')))), "guest-blocks");
  const std::string words = said(runOf(elfOf(a.code(), std::string(8, '\0'))));
  EXPECT_TRUE(words.starts_with("guest-blocks: ")) << words;
}

}  // namespace
}  // namespace pimento::guest::rv64
