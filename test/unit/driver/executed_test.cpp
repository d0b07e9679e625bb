// Reshaped programs of RV64, executed: they do what the program does; those of plans that skip something do not.
#include "test/support/executed.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

#include "test/support/cases.h"
#include "test/support/folder.h"
#include "test/support/random_rv64_c.h"
#include "test/support/rv64_program.h"

namespace pimento {
namespace {

using namespace test::rv64;
using test::allPlans;
using test::executeAll;
using test::ExecutedRuns;
using test::Plan;
using test::Unsound;

constexpr unsigned kT0 = 5, kT1 = 6, kT2 = 7, kS0 = 8;

constexpr std::uint32_t lw(unsigned rd, unsigned rs1, int imm) {
  return makeI(0x03, 2, rd, rs1, imm);
}
constexpr std::uint32_t sw(unsigned rs2, unsigned rs1, int imm) {
  return makeS(0x23, 2, rs1, rs2, imm);
}
constexpr std::uint32_t addw(unsigned rd, unsigned rs1, unsigned rs2) {
  return makeR(0x3b, 0, 0, rd, rs1, rs2);
}
constexpr std::uint32_t addiw(unsigned rd, unsigned rs1, int imm) {
  return makeI(0x1b, 0, rd, rs1, imm);
}

/// Words 3, 10, 17, ... at kDataAt.
std::string words(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::int32_t word = 7 * i + 3;
    out.append(reinterpret_cast<const char *>(&word), sizeof word);
  }
  return out;
}

/// With the data's address in s0.
Assembler begin() {
  Assembler a;
  a.set(kS0, kDataAt);
  return a;
}

/// Those of all machines here.
std::vector<Plan> everyPlan() {
  std::vector<Plan> out = allPlans(), others = test::otherPlans();
  for (Plan &p : others) out.insert(out.begin(), std::move(p));
  return out;
}

Plan plan(const std::string &name, const std::vector<Plan> &from) {
  for (const Plan &p : from)
    if (p.name == name) return p;
  ADD_FAILURE() << "no plan " << name;
  return from.front();
}

/// Runs on every plan, and none differs. Returns what the last one counted.
ExecutedRuns expectEqual(const Assembler &code, const std::string &data) {
  const std::vector<Plan> plans = everyPlan();
  ExecutedRuns out = executeAll(elfOf(code.code(), data), plans);
  for (std::size_t i = 0; i < out.runs.size(); ++i) EXPECT_EQ(out.runs[i].failure, "") << plans[i].name;
  return out;
}

#define SKIP_WITHOUT_DECODER(runs) \
  if (!(runs).hasDecoder) GTEST_SKIP() << "not run here: no LLVM"

TEST(Executed, ATreeWhoseResultIsStored) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(lw(kT1, kS0, 4)).add(addw(kT2, kT0, kT1)).add(sw(kT2, kS0, 8));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).add(addi(kT2, kZero, 0));
  a.add(lw(kA0, kS0, 8)).call(93);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
  EXPECT_EQ(runs.exitStatus, 13);
  EXPECT_EQ(runs.runs.back().counts.computed, 1);
  EXPECT_EQ(runs.runs.back().counts.gone, 4);
  EXPECT_EQ(runs.runs.back().counts.instructions, runs.instructions - 3);
}

TEST(Executed, AResultGoesBackToItsRegister) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(lw(kT1, kS0, 4)).add(addw(kT2, kT0, kT1));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).add(addi(kA0, kT2, 1)).call(93);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
  EXPECT_EQ(runs.exitStatus, 14);
  EXPECT_EQ(runs.runs.back().counts.computed, 1);
}

TEST(Executed, AddressesOfChangedRegistersAreKept) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 4)).add(addi(kS0, kS0, 32)).add(lw(kT1, kS0, 0)).add(addw(kT2, kT0, kT1)).add(sw(kT2, kS0, 8));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).add(addi(kT2, kZero, 0)).add(lw(kA0, kS0, 8)).call(93);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
  EXPECT_EQ(runs.exitStatus, 10 + 59);
  EXPECT_EQ(runs.runs.back().counts.gone, 4);
  EXPECT_EQ(runs.runs.back().counts.instructions, runs.instructions - 2);
}

TEST(Executed, WhatTheSystemGetsIsUsed) {
  // The status is loaded, and taken by a sum, too.
  Assembler a = begin();
  a.add(lw(kA0, kS0, 4)).add(addiw(kT0, kA0, 5)).add(sw(kT0, kS0, 8)).add(addi(kT0, kZero, 0)).call(93);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
  EXPECT_EQ(runs.exitStatus, 10);
}

TEST(Executed, ResultsOfTheSystemAreNotWhatWasLoadedBefore) {
  // getpid writes a0, which a load wrote before.
  Assembler a = begin();
  a.add(lw(kA0, kS0, 4)).call(172).add(addiw(kT0, kA0, 5)).add(sw(kT0, kS0, 8)).add(addi(kT0, kZero, 0));
  a.add(addi(kA0, kZero, 0)).exit(0);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
}

TEST(Executed, TheSystemWritesBetweenALoadAndItsUse) {
  // getrandom to the word that was loaded.
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(addi(kA0, kS0, 0)).add(addi(kA1, kZero, 4)).add(addi(kA2, kZero, 0)).call(278);
  a.add(addiw(kT1, kT0, 5)).add(sw(kT1, kS0, 8)).add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).exit(0);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
}

TEST(Executed, AWideStoreOfANarrowSum) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(addiw(kT1, kT0, -9)).add(sd(kT1, kS0, 8)).add(addi(kT0, kZero, 0));
  a.add(addi(kT1, kZero, 0)).add(lw(kA0, kS0, 12)).call(93);
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
  EXPECT_EQ(runs.exitStatus, 255);
}

TEST(Executed, AnOperandInTwoLines) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 62)).add(addiw(kT1, kT0, 5)).add(sw(kT1, kS0, 126)).add(addi(kT0, kZero, 0));
  a.add(addi(kT1, kZero, 0)).exit(0);
  const ExecutedRuns runs = expectEqual(a, words(64));
  SKIP_WITHOUT_DECODER(runs);
}

TEST(Executed, AFaultIsTheSame) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(addiw(kT1, kT0, 5)).add(sw(kT1, kS0, 8)).add(addi(kT0, kZero, 0)).add(lw(kT1, kZero, 0));
  const ExecutedRuns runs = expectEqual(a, words(16));
  SKIP_WITHOUT_DECODER(runs);
  EXPECT_NE(runs.signal, 0);
}

/// The code of what is wrong with a plan; "" of a right one.
std::string failure(const Assembler &code, const std::string &data, const char *name, Unsound unsound) {
  Plan p = plan(name, allPlans());
  p.unsound = unsound;
  const ExecutedRuns runs = executeAll(elfOf(code.code(), data), {p});
  return runs.hasDecoder ? runs.runs.front().code : "no LLVM";
}

TEST(Executed, APlanThatIgnoresUsesFails) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(addiw(kT1, kT0, 5)).add(addi(kA0, kT1, 0)).add(addiw(kT2, kT1, 1)).add(sw(kT2, kS0, 8));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).add(addi(kT2, kZero, 0)).call(93);
  EXPECT_EQ(failure(a, words(16), "l1d of one level, moved", Unsound::kNone), "");
  EXPECT_EQ(failure(a, words(16), "l1d of one level, moved", Unsound::kIgnoresUses), "reshaped-differs");
}

TEST(Executed, APlanThatIgnoresStoresFails) {
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(sw(kZero, kS0, 0)).add(addiw(kT1, kT0, 5)).add(sw(kT1, kS0, 8));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).exit(0);
  EXPECT_EQ(failure(a, words(16), "l1d of one level, moved", Unsound::kNone), "");
  EXPECT_EQ(failure(a, words(16), "l1d of one level, moved", Unsound::kIgnoresStores), "reshaped-differs");
}

TEST(Executed, APlanThatIgnoresCopiesFails) {
  // Lines that follow each other lie in different banks.
  Assembler a = begin();
  a.add(lw(kT0, kS0, 0)).add(lw(kT1, kS0, 64)).add(addw(kT2, kT0, kT1)).add(sw(kT2, kS0, 8));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).add(addi(kT2, kZero, 0)).exit(0);
  EXPECT_EQ(failure(a, words(64), "l1d of one bank, moved", Unsound::kNone), "");
  EXPECT_EQ(failure(a, words(64), "l1d of one bank, moved", Unsound::kIgnoresCopies), "reshaped-differs");
}

TEST(Executed, APlanThatIgnoresWriteBacksFails) {
  // The first cache has what was stored, and the second one computes.
  Assembler a = begin();
  a.add(addi(kT0, kZero, 77)).add(sw(kT0, kS0, 0)).add(lw(kT0, kS0, 0)).add(addiw(kT1, kT0, 5)).add(sw(kT1, kS0, 64));
  a.add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).exit(0);
  EXPECT_EQ(failure(a, words(64), "l2 of one level, moved", Unsound::kNone), "");
  EXPECT_EQ(failure(a, words(64), "l2 of one level, moved", Unsound::kIgnoresWriteBacks), "reshaped-differs");
}

bool hasCompiler() {
  return std::system("riscv64-linux-gnu-gcc --version > /dev/null 2>&1") == 0;
}

std::string compiled(const std::string &text, const char *options) {
  const test::Folder folder;
  const std::string source = folder / "p.c", program = folder / "p";
  std::ofstream(source) << text;
  const std::string command = fmt::format(
      "riscv64-linux-gnu-gcc {} -w -static -nostdlib -ffreestanding -fwrapv -fno-strict-aliasing -fno-stack-protector "
      "-Wl,--no-relax "
      "{} -o {}",
      options, source, program);
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream in(program, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char *kOptions[] = {"-O1", "-O2", "-O3", "-O2 -funroll-loops"};

/// What many programs came to.
struct Sums {
  std::int64_t programs = 0, executed = 0, instructions = 0, computed = 0, gone = 0;
  double seconds = 0;
  void print() const {
    std::printf(
        "%lld programs, %lld executions: %lld instructions, %lld computed in caches, %lld gone; %.2f million "
        "instructions a second of CPU time\n",
        static_cast<long long>(programs), static_cast<long long>(executed), static_cast<long long>(instructions),
        static_cast<long long>(computed), static_cast<long long>(gone),
        static_cast<double>(instructions) / 1e6 / seconds);
  }
};

/// Of this process, on however busy a computer.
double secondsSince(std::clock_t began) {
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

void add(Sums &sums, const ExecutedRuns &runs, double seconds) {
  ++sums.programs;
  sums.seconds += seconds;
  for (const test::ExecutedRun &r : runs.runs) {
    ++sums.executed;
    sums.instructions += runs.instructions;
    sums.computed += r.counts.computed;
    sums.gone += r.counts.gone;
  }
}

TEST(ExecutedPrograms, RandomOnesDoWhatTheyDid) {
  if (!hasCompiler()) GTEST_SKIP() << "not run here: no riscv64-linux-gnu-gcc";
  const std::vector<Plan> plans = everyPlan();
  Sums sums;
  const std::int64_t count = test::caseCount(10);
  for (std::int64_t seed = 0; seed < count; ++seed) {
    test::RandomRv64C random(static_cast<std::uint64_t>(seed));
    const std::string text = random.text();
    const char *options = kOptions[seed % 4];
    const std::string bytes = compiled(text, options);
    ASSERT_FALSE(bytes.empty()) << "seed " << seed << "\n" << text;
    const std::clock_t began = std::clock();
    const ExecutedRuns runs = executeAll(bytes, plans);
    SKIP_WITHOUT_DECODER(runs);
    add(sums, runs, secondsSince(began));
    for (std::size_t i = 0; i < runs.runs.size(); ++i)
      EXPECT_EQ(runs.runs[i].failure, "") << "seed " << seed << ", " << options << ", " << plans[i].name;
  }
  sums.print();
  EXPECT_GT(sums.computed, sums.executed);
}

TEST(ExecutedPrograms, RandomOnesFailWithPlansThatSkipSomething) {
  if (!hasCompiler()) GTEST_SKIP() << "not run here: no riscv64-linux-gnu-gcc";
  constexpr std::pair<Unsound, const char *> kKinds[] = {{Unsound::kIgnoresUses, "uses"},
                                                         {Unsound::kIgnoresStores, "stores"},
                                                         {Unsound::kIgnoresCopies, "copies"},
                                                         {Unsound::kIgnoresWriteBacks, "write-backs"}};
  std::vector<Plan> plans;
  const std::vector<Plan> all = allPlans();
  for (const auto &[kind, word] : kKinds) {
    const bool isOfTrees = kind == Unsound::kIgnoresUses || kind == Unsound::kIgnoresStores;
    const char *name = kind == Unsound::kIgnoresWriteBacks ? "l2 of one level, moved"
                       : isOfTrees                         ? "l1d+l2 of one level, moved"
                                                           : "l1d+l2 of one bank, moved";
    plans.push_back(plan(name, all));
    plans.back().unsound = kind;
  }
  std::vector<int> failed(plans.size(), 0);
  // Compilers differ: more programs where no plan of a kind has failed.
  std::int64_t count = 0;
  const std::int64_t usual = test::caseCount(10), most = 10 * usual;
  for (std::int64_t seed = 0; seed < usual || (seed < most && std::ranges::find(failed, 0) != failed.end());
       ++seed, ++count) {
    const std::string bytes = compiled(test::RandomRv64C(static_cast<std::uint64_t>(seed)).text(), kOptions[seed % 4]);
    const ExecutedRuns runs = executeAll(bytes, plans);
    SKIP_WITHOUT_DECODER(runs);
    for (std::size_t i = 0; i < plans.size(); ++i) failed[i] += runs.runs[i].failure.empty() ? 0 : 1;
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::printf("plans that skip %s: %d of %d programs fail\n", kKinds[i].second, failed[i], static_cast<int>(count));
    EXPECT_GT(failed[i], 0) << kKinds[i].second;
  }
}

/// Programs that someone else has made (executed_benchmarks.py): a line for each, NAME PROGRAM ARGUMENT...
TEST(ExecutedBenchmarks, DoWhatTheyDid) {
  const char *list = std::getenv("PIMENTO_PROGRAMS"), *names = std::getenv("PIMENTO_PLANS");
  if (list == nullptr) GTEST_SKIP() << "run by executed_benchmarks.py";
  std::vector<Plan> plans;
  for (Plan &p : allPlans(true))
    if (names == nullptr || std::string(names).find("(" + p.name + ")") != std::string::npos)
      plans.push_back(std::move(p));
  ASSERT_FALSE(plans.empty()) << "PIMENTO_PLANS names none";
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(nowhere, 0);
  std::ifstream in(list);
  int programs = 0;
  for (std::string line; std::getline(in, line); ++programs) {
    std::istringstream words(line);
    std::string name, file;
    words >> name >> file;
    const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    std::ifstream program(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(program), {}};
    ASSERT_FALSE(bytes.empty()) << file;
    const std::clock_t began = std::clock();
    const ExecutedRuns runs = executeAll(bytes, plans, arguments, file, nowhere);
    SKIP_WITHOUT_DECODER(runs);
    EXPECT_EQ(runs.exitStatus, 0) << name;
    EXPECT_EQ(runs.signal, 0) << name;
    Sums sums;
    add(sums, runs, secondsSince(began));
    std::printf("%-8s %9lld instructions; ", name.c_str(), static_cast<long long>(runs.instructions));
    sums.print();
    std::fflush(stdout);
    ASSERT_EQ(runs.runs.size(), plans.size());
    for (std::size_t i = 0; i < runs.runs.size(); ++i)
      EXPECT_EQ(runs.runs[i].failure, "") << name << ", " << plans[i].name;
  }
  close(nowhere);
  EXPECT_GT(programs, 0);
}

}  // namespace
}  // namespace pimento
