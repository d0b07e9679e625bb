// Programs in C, run here and in QEMU: from main to exit the same instructions with the same accesses. Needs QEMU and a
// cross compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <unordered_map>

#include "pimento/guest/rv64/interpreter.h"
#include "pimento/guest/rv64/machine.h"
#include "test/support/cases.h"
#include "test/support/folder.h"

namespace pimento::guest::rv64 {
namespace {

/// What runs from main to exit.
class FromMainToExit final : public trace::Consumer {
 public:
  void onStart(const trace::Program &program, bool /*hasValues*/) override {
    for (const trace::Function &f : program.functions) {
      if (f.name == "main") main_ = f.address;
      if (f.name == "exit") exit_ = f.address;
    }
  }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    const std::uint64_t first = block.instructions.front().address;
    isIn_ = (isIn_ || first == main_) && first != exit_;
    if (!isIn_) return;
    for (int i = 0; i < count; ++i) addresses.push_back(block.instructions[static_cast<std::size_t>(i)].address);
    for (const trace::Access &a : accesses) {
      const trace::Instruction &in = block.instructions[a.instruction];
      // The stack lies elsewhere: addresses in it count from the first access, which saves ra.
      constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;
      if (a.address >= kHigh && stack_ == 0) stack_ = a.address;
      const std::uint64_t address = a.address >= kHigh ? a.address - stack_ : a.address;
      // Pointers into the stack are other values.
      const bool isPointer = a.bytes == 8 && a.value >= kHigh && a.value >> 40 == 0;
      this->accesses.push_back({in.address, address, isPointer ? 0 : a.value, a.bytes, a.isStore});
    }
  }

  struct Access {
    std::uint64_t instruction, address, value;
    std::uint8_t bytes;
    bool isStore;
    bool isSamePlace(const Access &o) const {
      return instruction == o.instruction && address == o.address && bytes == o.bytes && isStore == o.isStore;
    }
  };
  std::vector<std::uint64_t> addresses;
  std::vector<Access> accesses;

 private:
  std::uint64_t main_ = 0, exit_ = 0, stack_ = 0;
  bool isIn_ = false;
};

bool runsHere(const char *command) {
  return std::system((std::string(command) + " > /dev/null 2>&1").c_str()) == 0;
}

std::string contents(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The same instructions and accesses, and the same output.
void compare(const std::string &text, const char *options) {
  if (test::isSanitized()) GTEST_SKIP() << "not run here: QEMU loads no plugin with sanitizers";
  if (!runsHere("qemu-riscv64 --version")) GTEST_SKIP() << "not run here: no qemu-riscv64";
  if (!runsHere("riscv64-linux-gnu-gcc --version")) GTEST_SKIP() << "not run here: no riscv64-linux-gnu-gcc";
  const test::Folder folder;
  const std::string source = folder / "p.c", program = folder / "p";
  std::ofstream(source) << text;
  ASSERT_EQ(
      std::system(
          ("riscv64-linux-gnu-gcc " + std::string(options) + " -static " + source + " -o " + program + " -lm").c_str()),
      0);
  const Result<ElfImage> image = readElfImage(program);
  ASSERT_TRUE(image.ok()) << image.diagnostics()[0].str();
  ASSERT_TRUE(runs(*image));
  FromMainToExit own, qemus;
  GuestOptions o;
  o.program = program;
  o.recordsValues = true;
  o.stdoutFile = folder / "own";
  const Result<GuestEnd> end = run(*image, o, own);
  if (!end && (end.diagnostics()[0].code == "needs-llvm" || end.diagnostics()[0].code == "llvm-module"))
    GTEST_SKIP() << "not run here: no LLVM";
  ASSERT_TRUE(end.ok()) << end.diagnostics()[0].str();
  o.stdoutFile = folder / "qemus";
  const Result<GuestEnd> other = runGuest(*image, o, qemus);
  if (!other && (other.diagnostics()[0].code == "missing-plugin" || other.diagnostics()[0].code == "wrong-qemu"))
    GTEST_SKIP() << "not run here: " << other.diagnostics()[0].str();
  ASSERT_TRUE(other.ok()) << other.diagnostics()[0].str();
  EXPECT_EQ(end->exitStatus, other->exitStatus);
  EXPECT_EQ(end->signal, other->signal);
  EXPECT_FALSE(contents(folder / "own").empty());
  EXPECT_EQ(contents(folder / "own"), contents(folder / "qemus"));
  constexpr std::size_t kFew = 1000;
  EXPECT_GT(own.addresses.size(), kFew);
  EXPECT_EQ(own.addresses.size(), qemus.addresses.size());
  EXPECT_EQ(own.accesses.size(), qemus.accesses.size());
  for (std::size_t i = 0; i < std::min(own.addresses.size(), qemus.addresses.size()); ++i)
    ASSERT_EQ(own.addresses[i], qemus.addresses[i]) << "instruction " << i << std::hex << " at " << own.addresses[i];
  // Few values are the system's: how much memory there is, a random key of malloc.
  std::set<std::pair<std::uint64_t, std::uint64_t>> systems;
  for (std::size_t i = 0; i < std::min(own.accesses.size(), qemus.accesses.size()); ++i) {
    const auto &a = own.accesses[i], &b = qemus.accesses[i];
    ASSERT_TRUE(a.isSamePlace(b)) << "access " << i << std::hex << " of " << a.instruction << " to " << a.address
                                  << "; QEMU: of " << b.instruction << " to " << b.address;
    if (a.value != b.value) systems.emplace(a.value, b.value);
  }
  constexpr std::size_t kMostValues = 6;
  EXPECT_LE(systems.size(), kMostValues);
}

TEST(Rv64Stream, SortingOnTheHeap) {
  compare(R"(
    #include <stdio.h>
    #include <stdlib.h>
    static int order(const void *a, const void *b) { return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b); }
    int main(void) {
      int n = 700, *v = malloc(n * sizeof *v);
      unsigned x = 1;
      for (int i = 0; i < n; i++) v[i] = (x = x * 1664525 + 1013904223) >> 8;
      qsort(v, n, sizeof *v, order);
      long sum = 0;
      for (int i = 0; i < n; i++) sum = sum * 31 + v[i];
      printf("%ld\n", sum);
      free(v);
      return sum & 127;
    })",
          "-O2");
}

TEST(Rv64Stream, Matrices) {
  compare(R"(
    #include <stdio.h>
    static double a[16][16], b[16][16], c[16][16];
    int main(void) {
      for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) a[i][j] = i * 0.3 - j, b[i][j] = 1.0 / (i + j + 1);
      for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
          for (int k = 0; k < 16; k++) c[i][j] += a[i][k] * b[k][j];
      printf("%.17g %.17g\n", c[3][5], c[15][15]);
      return 0;
    })",
          "-O2");
}

TEST(Rv64Stream, Lists) {
  compare(R"(
    #include <stdio.h>
    #include <stdlib.h>
    struct item { struct item *next; long key; };
    int main(void) {
      struct item *first = 0;
      for (long i = 0; i < 300; i++) {
        struct item *n = malloc(sizeof *n + i % 7 * 8);
        n->key = i * i % 101, n->next = first, first = n;
        if (i % 3 == 0) { first = n->next; free(n); }
      }
      long sum = 0;
      for (struct item *p = first; p; p = p->next) sum = sum * 7 + p->key;
      printf("%lx\n", sum);
      return 3;
    })",
          "-O1");
}

TEST(Rv64Stream, Texts) {
  compare(R"(
    #include <stdio.h>
    #include <string.h>
    #include <ctype.h>
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    int main(void) {
      char text[400] = "";
      for (int i = 0; i < 12; i++) {
        char part[40];
        snprintf(part, sizeof part, "%d:%s,%5.2f;", fib(i), i % 2 ? "odd" : "even", i / 7.0);
        strcat(text, part);
      }
      for (char *p = text; *p; p++) *p = toupper(*p);
      char *found = strstr(text, "89:");
      puts(text);
      puts(found ? found : "none");
      return strlen(text) & 63;
    })",
          "-O0");
}

TEST(Rv64Stream, FunctionsOfMathematicsAndAtomics) {
  compare(R"(
    #include <math.h>
    #include <stdio.h>
    static int shared;
    static long wide;
    int main(void) {
      float f = 0;
      double s = 0;
      for (int i = 1; i < 60; i++) {
        s += sin(i) / sqrt(i) + pow(1.01, i) + fma(s, 0.5, -i);
        f = f * 0.75f + (float)s + (float)(unsigned)i;
        __atomic_fetch_add(&shared, i, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&wide, (long)s, __ATOMIC_RELAXED);
        int old = shared;
        __atomic_compare_exchange_n(&shared, &old, old - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      }
      printf("%.17g %.9g %d %ld\n", s, f, shared, wide);
      return shared & 15;
    })",
          "-O2");
}

/// What runs from main to exit, in digests of so many instructions each: streams of any length can be compared.
class Digests final : public trace::Consumer {
 public:
  static constexpr std::int64_t kPart = 1 << 16;

  void onStart(const trace::Program &program, bool /*hasValues*/) override {
    for (const trace::Function &f : program.functions) {
      if (f.name == "main") main_ = f.address;
      if (f.name == "exit") exit_ = f.address;
    }
    pointers_ = (static_cast<std::uint64_t>(program.arguments) + 3) * 8;
  }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    const std::uint64_t first = block.instructions.front().address;
    if (stack_ == 0 && !accesses.empty() && accesses.front().address >= kHigh) stack_ = accesses.front().address;
    isIn_ = (isIn_ || first == main_) && first != exit_;
    if (!isIn_) return;
    auto a = accesses.begin();
    for (int i = 0; i < count; ++i) {
      if (instructions++ % kPart == 0) parts.push_back(kSeed);
      add(block.instructions[static_cast<std::size_t>(i)].address);
      for (; a != accesses.end() && a->instruction == i; ++a, ++this->accesses) {
        add(relative(a->address));
        add(static_cast<std::uint64_t>(a->bytes) * 2 + (a->isStore ? 1 : 0));
      }
    }
  }

  std::int64_t instructions = 0, accesses = 0;
  std::vector<std::uint64_t> parts;

 private:
  static constexpr std::uint64_t kSeed = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  static constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;

  void add(std::uint64_t x) { parts.back() = (parts.back() ^ x) * kPrime; }
  /// Stack, arguments and mappings lie elsewhere. In the stack addresses count from the stack pointer at the start,
  /// which the first access of all has; in texts of arguments from the first access; and pages of mappings in the order
  /// in which they are used.
  std::uint64_t relative(std::uint64_t address) {
    constexpr std::uint64_t kTexts = 4096, kStack = std::uint64_t{1} << 26, kPage = 4096;
    if (address < kHigh) return address;
    const std::uint64_t texts = stack_ + pointers_;
    if (address >= texts && address < texts + kTexts) {
      if (texts_ == 0) texts_ = address;
      return kHigh / 2 + (address - texts_);
    }
    if (address < texts && address + kStack > stack_) return kHigh + (address - stack_);
    const std::uint64_t page = pages_.try_emplace(address / kPage, pages_.size()).first->second;
    return 2 * kHigh + page * kPage + address % kPage;
  }

  std::uint64_t main_ = 0, exit_ = 0;
  bool isIn_ = false;
  std::uint64_t pointers_ = 0;  ///< bytes of argc and argv
  std::uint64_t texts_ = 0;     ///< of arguments: the first access
  std::uint64_t stack_ = 0;     ///< its pointer at the start
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;
};

/// Programs that someone else has made (test/unit/driver/executed_benchmarks.py).
TEST(Rv64Benchmarks, HaveTheInstructionsAndAccessesThatQemuSees) {
  const char *list = std::getenv("PIMENTO_PROGRAMS");
  if (list == nullptr) GTEST_SKIP() << "run by executed_benchmarks.py";
  if (!runsHere("qemu-riscv64 --version")) GTEST_SKIP() << "not run here: no qemu-riscv64";
  const test::Folder folder;
  std::ifstream in(list);
  int programs = 0;
  double seconds = 0, millions = 0;
  for (std::string line; std::getline(in, line); ++programs) {
    std::istringstream words(line);
    std::string name;
    GuestOptions o;
    words >> name >> o.program;
    o.arguments.assign(std::istream_iterator<std::string>(words), {});
    const Result<ElfImage> image = readElfImage(o.program);
    ASSERT_TRUE(image.ok());
    Digests own, qemus;
    o.stdoutFile = folder / "own";
    const Result<GuestEnd> end = run(*image, o, own);
    ASSERT_TRUE(end.ok()) << end.diagnostics()[0].str();
    o.stdoutFile = folder / "qemus";
    const Result<GuestEnd> other = runGuest(*image, o, qemus);
    ASSERT_TRUE(other.ok()) << other.diagnostics()[0].str();
    EXPECT_EQ(end->exitStatus, other->exitStatus) << name;
    EXPECT_EQ(contents(folder / "own"), contents(folder / "qemus")) << name;
    EXPECT_EQ(own.instructions, qemus.instructions) << name;
    EXPECT_EQ(own.accesses, qemus.accesses) << name;
    EXPECT_EQ(own.parts == qemus.parts, true)
        << name << ": other from instruction "
        << Digests::kPart * (std::ranges::mismatch(own.parts, qemus.parts).in1 - own.parts.begin()) << " on";
    // The interpreter alone, without accesses.
    const auto machine = Machine::make(*image, contents(o.program), {o.arguments, 2, false, false});
    ASSERT_TRUE(machine.ok());
    const std::clock_t began = std::clock();
    while (!(*machine)->hasEnded()) ASSERT_TRUE((*machine)->run(1 << 20).ok());
    seconds += static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    millions += static_cast<double>((*machine)->hart().instructions()) / 1e6;
    std::printf("%-8s %9lld instructions and %9lld accesses from main to exit\n", name.c_str(),
                static_cast<long long>(own.instructions), static_cast<long long>(own.accesses));
    std::fflush(stdout);
  }
  EXPECT_GT(programs, 0);
  std::printf("%d programs; the interpreter runs %.1f million instructions a second of CPU time\n", programs,
              millions / seconds);
}

}  // namespace
}  // namespace pimento::guest::rv64
