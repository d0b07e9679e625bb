// Streams whose candidates caches compute: what is left of them, and that running it gives what the program gave.
#include "pimento/trace/reshape.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "pimento/base/rng.h"
#include "pimento/trace/rows.h"
#include "test/support/cases.h"

namespace pimento::trace {
namespace {

/// What the instructions of a test mean, by their texts: of loads and stores the offset to the base, of those that
/// change it, by how much (afterwards).
struct Meaning {
  std::int64_t offset = 0, step = 0;
};
using Meanings = std::map<std::string, Meaning>;

Instruction named(Operation o, const std::string &text) {
  Instruction in;
  in.operation = o;
  in.text = text;
  in.isa = Isa::kA64;
  return in;
}
Instruction load(const std::string &text, Register to, Register base, bool writesBack = false) {
  Instruction in = named(Operation::kLoad, text);
  in.loads = in.hasDestination = true;
  in.destination = to;
  in.writes.add(to);
  in.reads.add(base);
  in.addressRegisters.add(base);
  in.writesBack = writesBack;
  if (writesBack) in.writes.add(base);
  return in;
}
Instruction store(const std::string &text, Register from, Register base, bool writesBack = false) {
  Instruction in = named(Operation::kStore, text);
  in.stores = true;
  in.operands[0].reg = from;
  in.operandCount = 1;
  in.reads.add(from);
  in.reads.add(base);
  in.addressRegisters.add(base);
  in.writesBack = writesBack;
  if (writesBack) in.writes.add(base);
  return in;
}
Instruction compute(const std::string &text, Operation o, Register to, Operand a, Operand b, int width = 32) {
  Instruction in = named(o, text);
  in.width = static_cast<std::uint8_t>(width);
  in.operands = {a, b};
  in.operandCount = 2;
  in.hasDestination = true;
  in.destination = to;
  in.writes.add(to);
  for (const Operand &x : in.operands)
    if (!x.isImmediate) in.reads.add(x.reg);
  return in;
}
Operand r(Register reg) {
  return {.reg = reg};
}
Operand imm(std::int64_t value) {
  return {.isImmediate = true, .immediate = value};
}

CimRules rulesOfTest() {
  CimRules rules;
  rules.operations = {Operation::kAdd, Operation::kSub, Operation::kAnd, Operation::kXor};
  rules.widths = {32};
  rules.levels = {true, true};
  rules.geometry = {{64, 1}, {64, 1}};
  return rules;
}

/// What one instruction works out of two numbers.
std::uint32_t result(Operation o, std::uint32_t a, std::uint32_t b) {
  switch (o) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSub:
      return a - b;
    case Operation::kAnd:
      return a & b;
    case Operation::kXor:
      return a ^ b;
    default:
      ADD_FAILURE();
      return 0;
  }
}

/// Registers and memory; runs what a stream says.
struct Host {
  std::array<std::uint64_t, kRegisters> registers{};
  std::map<std::uint64_t, std::uint32_t> memory;  ///< words

  bool operator==(const Host &) const = default;
  std::uint32_t &at(std::uint64_t address) {
    return memory.try_emplace(address, static_cast<std::uint32_t>(address * 2654435761U)).first->second;
  }
  std::uint64_t value(const Operand &o) const {
    return o.isImmediate ? static_cast<std::uint64_t>(o.immediate) : registers[o.reg];
  }
  Register base(const Instruction &in) const { return *in.addressRegisters.begin(); }

  /// An instruction of the program: its accesses are appended.
  void run(const Instruction &in, const Meaning &m, std::vector<Access> &accesses) {
    if (in.loads || in.stores) {
      const std::uint64_t address = registers[base(in)] + static_cast<std::uint64_t>(m.offset);
      if (in.loads)
        registers[in.destination] = at(address);
      else
        at(address) = static_cast<std::uint32_t>(registers[in.operands[0].reg]);
      accesses.push_back({address, 0, 4, in.stores, at(address)});
      if (in.writesBack) registers[base(in)] += static_cast<std::uint64_t>(m.step);
    } else if (in.operandCount == 2) {
      const std::uint64_t a = value(in.operands[0]), b = value(in.operands[1]);
      registers[in.destination] =
          in.width == 64 ? a + b : result(in.operation, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    } else if (in.hasDestination) {
      registers[in.destination] = static_cast<std::uint64_t>(m.offset);
    }
  }

  /// An instruction of kind kCim, on the bytes in memory: of several words, all operands are read before a result is
  /// written.
  void compute(const Instruction &in, std::span<const Access> accesses) {
    const int words = accesses.front().bytes / 4;
    std::vector<std::uint32_t> results;
    for (int w = 0; w < words; ++w) {
      std::vector<Access> one(accesses.begin(), accesses.end());
      for (Access &a : one) {
        ASSERT_EQ(a.bytes, 4 * words);
        a.address += 4U * static_cast<unsigned>(w);
      }
      results.push_back(computed(in, one));
    }
    for (int w = 0; w < words && in.stores; ++w) {
      ASSERT_TRUE(accesses.back().isStore);
      at(accesses.back().address + 4U * static_cast<unsigned>(w)) = results[static_cast<std::size_t>(w)];
    }
    if (!in.stores) registers[in.destination] = results.back();
  }

 private:
  std::uint32_t computed(const Instruction &in, std::span<const Access> accesses) {
    std::vector<std::uint32_t> results;
    for (const CimStep &s : in.cim.steps) {
      if (s.kind == CimStep::Kind::kConstant) {
        results.push_back(static_cast<std::uint32_t>(s.constant));
      } else if (s.kind == CimStep::Kind::kOperand) {
        EXPECT_FALSE(accesses[s.operand].isStore);
        results.push_back(at(accesses[s.operand].address));
      } else {
        const std::uint32_t b = results.back();
        results.pop_back();
        results.back() = result(s.operation, results.back(), b);
      }
    }
    EXPECT_EQ(results.size(), 1U);
    return results.back();
  }
};

/// Runs what it is given on a host; every address must be one that the instruction's registers have.
class Runner final : public Consumer {
 public:
  Runner(const Meanings &meanings, Host host) : meanings_(meanings), host(std::move(host)) {}

  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    std::size_t first = 0;
    for (int i = 0; i < count; ++i) {
      std::size_t end = first;
      while (end < accesses.size() && accesses[end].instruction == i) ++end;
      run(block.instructions[static_cast<std::size_t>(i)], accesses.subspan(first, end - first));
      first = end;
    }
    EXPECT_EQ(first, accesses.size());
    const Instruction &last = block.instructions[static_cast<std::size_t>(count) - 1];
    EXPECT_TRUE(after_ == 0 || block.instructions.front().address == after_) << "code has a gap";
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
      EXPECT_EQ(block.instructions[i].address, block.instructions[i - 1].address + block.instructions[i - 1].bytes);
    after_ = last.address + last.bytes;
    instructions += count;
  }
  /// A block that is left whole.
  void jump() { after_ = 0; }

  std::int64_t instructions = 0, computing = 0, additions = 0;

 private:
  void run(const Instruction &in, std::span<const Access> accesses) {
    const std::size_t space = in.text.rfind(' ');
    const std::string text = space == std::string::npos ? in.text : in.text.substr(space + 1);
    if (in.operation == Operation::kCim) {
      ++computing;
      for (const Access &a : accesses) {
        bool isThere = false;
        for (const Register reg : in.addressRegisters) {
          const std::uint64_t value = host.registers[reg];
          const std::uint64_t distance = value > a.address ? value - a.address : a.address - value;
          isThere |= reg >= kFirstAddress && reg < kFirstAddress + kAddressRegisters && a.bytes == 4
                         ? value == a.address
                         : distance <= 128;
        }
        EXPECT_TRUE(isThere) << in.text;
      }
      host.compute(in, accesses);
      return;
    }
    const Meaning &m = meanings_.at(text);
    if (in.text.starts_with("address of")) {
      ++additions;
      host.registers[*in.writes.begin()] = host.registers[*in.reads.begin()] + static_cast<std::uint64_t>(m.offset);
      return;
    }
    if (in.text.starts_with("base of")) {
      ++additions;
      host.registers[*in.writes.begin()] += static_cast<std::uint64_t>(m.step);
      return;
    }
    std::vector<Access> made;
    host.run(in, m, made);
    ASSERT_EQ(made.size(), accesses.size());
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(made[i].address, accesses[i].address);
  }

  const Meanings &meanings_;
  std::uint64_t after_ = 0;

 public:
  Host host;
};

/// A program of one block after the other, run as it is and reshaped.
class Program {
 public:
  explicit Program(CimRules rules = rulesOfTest(), int rowWords = 1) : rules_(std::move(rules)), rowWords_(rowWords) {}

  Program &add(const Instruction &in, Meaning m = {}) {
    if (blocks_.empty()) blocks_.emplace_back();
    meanings_[in.text] = m;
    blocks_.back().instructions.push_back(in);
    blocks_.back().instructions.back().address = next_;
    next_ += 4;
    return *this;
  }
  Program &block() {
    blocks_.emplace_back();
    return *this;
  }
  /// Overwrites registers, so that what they had is dead.
  Program &clear(std::initializer_list<Register> registers) {
    block();
    for (const Register reg : registers) {
      Instruction in = named(Operation::kMove, "clear" + std::to_string(reg));
      in.hasDestination = true;
      in.destination = reg;
      in.writes.add(reg);
      add(in, {.offset = 7});
    }
    return *this;
  }

  struct Both {
    Host original, reshaped;
    ReshapedCounts counts;
    CandidateCounts candidates;
    std::int64_t instructions = 0, left = 0;
    std::vector<std::string> texts;  ///< of what is left, in order
  };
  Both run(int times = 1) {
    Host host;
    for (Register base = 20; base < 24; ++base) host.registers[base] = 0x1000 + 0x40ULL * (base - 20);
    Runner runner(meanings_, host);
    Texts texts(runner);
    Candidates candidates(rules_, 64);
    Rows rows({64, 64}, rowWords_, texts);
    Reshaper reshaper(candidates, {"l1", "l2"}, rows);
    std::map<const Instruction *, Candidates::Step> steps;
    Both out;
    for (int t = 0; t < times; ++t)
      for (const Block &b : blocks_) {
        if (b.instructions.empty()) continue;
        std::vector<Access> accesses;
        for (std::size_t i = 0; i < b.instructions.size(); ++i) {
          const std::size_t before = accesses.size();
          host.run(b.instructions[i], meanings_.at(b.instructions[i].text), accesses);
          for (std::size_t a = before; a < accesses.size(); ++a)
            accesses[a].instruction = static_cast<std::uint16_t>(i);
        }
        reshaper.add(b, static_cast<int>(b.instructions.size()), accesses);
        std::size_t first = 0;
        for (std::size_t i = 0; i < b.instructions.size(); ++i) {
          const Instruction &in = b.instructions[i];
          std::size_t end = first;
          while (end < accesses.size() && accesses[end].instruction == i) ++end;
          const auto [at, isNew] = steps.try_emplace(&in);
          if (isNew) at->second = candidates.prepare(in);
          candidates.onInstruction(at->second, std::span(accesses).subspan(first, end - first),
                                   {in.loads ? 0 : -1, first < end ? accesses[first].address : 0});
          first = end;
        }
        out.instructions += static_cast<std::int64_t>(b.instructions.size());
        reshaper.pass();
      }
    candidates.finish();
    reshaper.pass();
    rows.onEnd();
    for (Register reg = kFirstAddress; reg < kFirstAddress + kAddressRegisters; ++reg) runner.host.registers[reg] = 0;
    out.original = host;
    out.reshaped = runner.host;
    out.counts = reshaper.counts();
    out.counts.shared = rows.shared();
    out.candidates = candidates.counts();
    out.left = runner.instructions;
    out.texts = texts.texts;
    EXPECT_EQ(out.left,
              out.instructions - out.counts.gone + out.counts.computing + out.counts.addresses - out.counts.shared);
    EXPECT_EQ(out.counts.computing + out.counts.stayed, out.candidates.trees);
    EXPECT_EQ(out.counts.computing - out.counts.shared, runner.computing);
    EXPECT_EQ(out.counts.addresses, runner.additions);
    if (out.counts.stayed == 0) {
      EXPECT_EQ(out.counts.gone, out.candidates.removed.all());
    }
    return out;
  }

 private:
  /// Notes the texts of what passes.
  class Texts final : public Consumer {
   public:
    explicit Texts(Runner &to) : to_(to) {}
    void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
      for (int i = 0; i < count; ++i) texts.push_back(block.instructions[static_cast<std::size_t>(i)].text);
      to_.jump();  // blocks run again, and may be gone whole
      to_.onBlock(block, count, accesses);
    }
    std::vector<std::string> texts;

   private:
    Runner &to_;
  };

  CimRules rules_;
  int rowWords_;
  std::deque<Block> blocks_;
  Meanings meanings_;
  std::uint64_t next_ = 0x4000;
};

TEST(Reshaped, LoadLoadOperationStoreIsOneInstruction) {
  // Eva-CiM, Fig. 3.
  const Program::Both both = Program()
                                 .add(load("ld1,[x20]", 1, 20))
                                 .add(load("ld2,[x21]", 2, 21))
                                 .add(compute("add", Operation::kAdd, 3, r(1), r(2)))
                                 .add(store("st,[x22]", 3, 22))
                                 .clear({1, 2, 3})
                                 .run();
  EXPECT_EQ(both.texts, (std::vector<std::string>{"CiM_add [x22], [x20], [x21], l1", "clear1", "clear2", "clear3"}));
  EXPECT_EQ(both.original, both.reshaped);
}

TEST(Reshaped, NothingOfThePapersSnippetIsLeftOut) {
  // Eva-CiM, Fig. 5 (c): its three candidates come through comparisons, which define no register, or have no load.
  Instruction first = named(Operation::kCompare, "cmps1"), second = named(Operation::kCompare, "cmps2");
  for (Instruction *in : {&first, &second}) in->writes.add(kFlags);
  const auto move = [](const char *text, Register to, std::optional<Register> from) {
    Instruction in = named(Operation::kMove, text);
    in.hasDestination = true;
    in.destination = to;
    in.writes.add(to);
    if (from) in.reads.add(*from);
    return in;
  };
  const Program::Both both = Program()
                                 .add(load("278", 11, 20))
                                 .add(first)
                                 .add(load("704", 2, 21))
                                 .add(second)
                                 .add(move("707", 5, 9))
                                 .add(compute("784", Operation::kAdd, 5, r(6), r(5)))
                                 .add(compute("785", Operation::kSub, 5, r(5), imm(512)))
                                 .add(compute("796", Operation::kXor, 1, r(5), imm(1)))
                                 .add(move("799", 4, std::nullopt))
                                 .add(compute("800", Operation::kXor, 1, r(1), r(4)))
                                 .clear({1, 2, 4, 5, 11})
                                 .run();
  EXPECT_EQ(both.counts.gone, 0);
  EXPECT_EQ(both.left, both.instructions);
}

TEST(Reshaped, AResultThatIsUsedGoesBackToItsRegister) {
  const Program::Both both = Program()
                                 .add(load("ld1,[x20]", 1, 20))
                                 .add(compute("add", Operation::kAdd, 3, r(1), imm(5)))
                                 .add(compute("use", Operation::kAdd, 4, r(3), r(3), 64))
                                 .clear({1, 3})
                                 .run();
  EXPECT_EQ(both.texts[0], "CiM_add x3, [x20], #5, l1");
  EXPECT_EQ(both.original, both.reshaped);
}

TEST(Reshaped, AChainIsOneSequenceInPostOrder) {
  // Fig. 4 (c): the result of one operation feeds a second one with another load.
  const Program::Both both = Program()
                                 .add(load("ld1,[x20]", 1, 20))
                                 .add(load("ld2,[x21]", 2, 21))
                                 .add(compute("add", Operation::kAdd, 3, r(1), r(2)))
                                 .add(load("ld3,[x23]", 4, 23))
                                 .add(compute("xor", Operation::kXor, 5, r(4), r(3)))
                                 .add(store("st,[x22]", 5, 22))
                                 .clear({1, 2, 3, 4, 5})
                                 .run();
  EXPECT_EQ(both.texts[0], "CiM_add_xor [x22], [x23], [x20], [x21], l1");
  EXPECT_EQ(both.original, both.reshaped);
}

TEST(Reshaped, AddressesOfRegistersThatChangeAreKept) {
  const Program::Both both = Program()
                                 .add(load("ld1,[x20]", 1, 20), {.offset = 4})
                                 .add(compute("bump", Operation::kAdd, 20, r(20), imm(64), 64))
                                 .add(load("ld2,[x20]", 2, 20))
                                 .add(compute("add", Operation::kAdd, 3, r(1), r(2)))
                                 .add(store("st,[x22]", 3, 22))
                                 .clear({1, 2, 3})
                                 .run();
  EXPECT_EQ(both.texts[0], "address of ld1,[x20]");
  EXPECT_EQ(both.texts[2], "CiM_add [x22], [a0], [x20], l1");
  EXPECT_EQ(both.counts.addresses, 1);
  EXPECT_EQ(both.original, both.reshaped);
}

TEST(Reshaped, CandidatesStayWhereNoRegisterKeepsAnAddress) {
  constexpr int kTrees = 30;
  const auto data = [](int i) { return static_cast<Register>(i < 19 ? 1 + i : 24 + (i - 19)); };
  Program p;
  for (int i = 0; i < kTrees; ++i) {
    const std::string id = std::to_string(i);
    p.add(load("ld" + id + ",[x20]", data(i), 20));
    p.add(compute("bump" + id, Operation::kAdd, 20, r(20), imm(4), 64));
  }
  for (int i = 0; i < kTrees; ++i) {
    const std::string id = std::to_string(i);
    p.add(compute("add" + id, Operation::kAdd, data(i), r(data(i)), imm(i)));
    p.add(store("st" + id + ",[x23]", data(i), 23), {.offset = 4 * i - 60});
  }
  p.block();
  for (int i = 0; i < kTrees; ++i) p.clear({data(i)});
  const Program::Both both = p.run();
  EXPECT_EQ(both.counts.computing, kAddressRegisters);
  EXPECT_EQ(both.counts.stayed, kTrees - kAddressRegisters);
  EXPECT_EQ(both.counts.addresses, kAddressRegisters);
  EXPECT_EQ(both.original, both.reshaped);
}

TEST(Reshaped, BasesStillChange) {
  const Program::Both both = Program()
                                 .add(load("ld1,[x20]", 1, 20, true), {.step = 4})
                                 .add(compute("add", Operation::kAdd, 3, r(1), imm(1)))
                                 .add(store("st,[x22]", 3, 22, true), {.step = 8})
                                 .clear({1, 3})
                                 .run();
  EXPECT_EQ(both.counts.addresses, 2);
  EXPECT_EQ(both.counts.gone, 3);
  EXPECT_EQ(both.original, both.reshaped);
}

TEST(Reshaped, ALoadThatIsUsedElsewhereStays) {
  const Program::Both both = Program()
                                 .add(load("ld1,[x20]", 1, 20))
                                 .add(compute("add", Operation::kAdd, 3, r(1), imm(1)))
                                 .add(store("st,[x22]", 3, 22))
                                 .add(compute("use", Operation::kAdd, 4, r(1), r(1), 64))
                                 .clear({1, 3})
                                 .run();
  EXPECT_EQ(both.texts[0], "ld1,[x20]");
  EXPECT_EQ(both.texts[1], "CiM_add [x22], [x20], #1, l1");
  EXPECT_EQ(both.original, both.reshaped);
}

/// Loads, operations, stores and changes of bases at random, in blocks that run several times.
Program randomProgram(Rng &rng, CimRules rules) {
  Program p(std::move(rules));
  constexpr Operation kOperations[] = {Operation::kAdd, Operation::kSub, Operation::kAnd, Operation::kXor};
  const auto data = [&] { return static_cast<Register>(rng.integer(1, 6)); };
  const auto base = [&] { return static_cast<Register>(rng.integer(20, 23)); };
  const std::int64_t length = rng.integer(5, 60);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::string id = std::to_string(i);
    const std::int64_t offset = 4 * rng.integer(0, 7);
    switch (rng.below(8)) {
      case 0:
      case 1:
      case 2:
        p.add(load("ld" + id + ",[x]", data(), base(), rng.below(5) == 0), {offset, 4 * rng.integer(0, 3)});
        break;
      case 3:
        p.add(store("st" + id + ",[x]", data(), base(), rng.below(5) == 0), {offset, 4 * rng.integer(0, 3)});
        break;
      case 4:
        if (rng.below(4) == 0) {
          const Register b = base();
          p.add(compute("bump" + id, Operation::kAdd, b, r(b), imm(4 * rng.integer(-4, 4)), 64));
          break;
        }
        [[fallthrough]];
      default:
        p.add(compute("op" + id, kOperations[rng.below(4)], data(), r(data()),
                      rng.below(4) == 0 ? imm(rng.integer(-9, 99)) : r(data())));
        break;
    }
    if (rng.below(9) == 0) p.block();
  }
  return p;
}

TEST(Reshaped, RandomProgramsGiveWhatTheyGave) {
  std::int64_t trees = 0, addresses = 0, stored = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::caseCount(2000)); ++seed) {
    Rng rng(seed);
    CimRules rules = rulesOfTest();
    rules.movesOperands = rng.below(2) == 0;
    const Program::Both both = randomProgram(rng, rules).run(static_cast<int>(rng.integer(1, 12)));
    ASSERT_EQ(both.original, both.reshaped) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    trees += both.candidates.trees;
    stored += both.candidates.stored;
    addresses += both.counts.addresses;
  }
  EXPECT_GT(trees, test::caseCount(2000));
  EXPECT_GT(stored, test::caseCount(200));
  EXPECT_GT(addresses, test::caseCount(200));
}

/// A sum of two rows of words, by a loop.
Program sumOfRows(int rowWords, std::int64_t step = 4) {
  Program p(rulesOfTest(), rowWords);
  p.add(load("ld1,[x20]", 1, 20, true), {.step = step})
      .add(load("ld2,[x21]", 2, 21, true), {.step = step})
      .add(compute("add", Operation::kAdd, 3, r(1), r(2)))
      .add(store("st,[x22]", 3, 22, true), {.step = step});
  return p;
}

TEST(Rows, ALoopOverALineIsOneOperation) {
  const Program::Both both = sumOfRows(64).run(17);
  EXPECT_EQ(both.original, both.reshaped);
  // 16 words of a line; the 17th begins the next one, where the second operand is the first one's.
  EXPECT_EQ(both.counts.computing, 17);
  EXPECT_EQ(both.counts.shared, 15);
  EXPECT_EQ(sumOfRows(4).run(17).counts.shared, 12) << "at most four words";
  EXPECT_EQ(sumOfRows(1).run(17).counts.shared, 0) << "off";
  EXPECT_EQ(sumOfRows(64, 8).run(17).counts.shared, 0) << "words that are not neighbours";
}

TEST(Rows, AWordThatTheIterationBeforeComputesIsNoOperand) {
  // x[i + 1] = x[i] + 1
  Program p(rulesOfTest(), 64);
  p.add(load("ld1,[x20]", 1, 20), {.offset = 0})
      .add(compute("add", Operation::kAdd, 3, r(1), imm(1)))
      .add(store("st,[x20]", 3, 20, true), {.offset = 4, .step = 4});
  const Program::Both both = p.run(12);
  EXPECT_EQ(both.original, both.reshaped);
  EXPECT_EQ(both.counts.shared, 0);
  EXPECT_GT(both.counts.computing, 0);
}

TEST(Rows, InPlaceTheyAreShared) {
  // x[i] = x[i] + 1
  Program p(rulesOfTest(), 64);
  p.add(load("ld1,[x20]", 1, 20), {.offset = 0})
      .add(compute("add", Operation::kAdd, 3, r(1), imm(1)))
      .add(store("st,[x20]", 3, 20, true), {.offset = 0, .step = 4});
  const Program::Both both = p.run(17);
  EXPECT_EQ(both.original, both.reshaped);
  EXPECT_EQ(both.counts.shared, 15);
}

TEST(Rows, RandomLoopsGiveWhatTheyGave) {
  std::int64_t shared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::caseCount(1500)); ++seed) {
    Rng rng(seed);
    Program p(rulesOfTest(), static_cast<int>(rng.integer(2, 20)));
    const auto base = [&] { return static_cast<Register>(rng.integer(20, 23)); };
    const auto step = [&] { return rng.below(6) == 0 ? 4 * rng.integer(-2, 4) : 4; };
    const std::int64_t sums = rng.integer(1, 3);
    for (std::int64_t i = 0; i < sums; ++i) {
      const std::string id = std::to_string(i);
      const auto a = static_cast<Register>(1 + 3 * i), b = static_cast<Register>(a + 1),
                 c = static_cast<Register>(a + 2);
      p.add(load("la" + id + ",[x]", a, base(), rng.below(3) > 0), {4 * rng.integer(0, 3), step()});
      p.add(load("lb" + id + ",[x]", b, base(), rng.below(3) > 0), {4 * rng.integer(0, 3), step()});
      if (rng.below(4) == 0) p.block();
      p.add(compute("op" + id, rng.below(2) == 0 ? Operation::kAdd : Operation::kXor, c, r(a), r(b)));
      p.add(store("st" + id + ",[x]", c, base(), rng.below(3) > 0), {4 * rng.integer(0, 3), step()});
    }
    if (rng.below(5) == 0) p.add(load("look,[x]", 12, base()), {4 * rng.integer(0, 15), 0});
    if (rng.below(5) == 0) p.add(store("put,[x]", 13, base()), {4 * rng.integer(0, 15), 0});
    const Program::Both both = p.run(static_cast<int>(rng.integer(2, 40)));
    ASSERT_EQ(both.original, both.reshaped) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    shared += both.counts.shared;
  }
  EXPECT_GT(shared, test::caseCount(1500));
}

TEST(Reshaped, PlansThatSkipACheckGiveOtherResults) {
  for (const CimRules::Unsound skipped : {CimRules::Unsound::kIgnoresUses, CimRules::Unsound::kIgnoresStores}) {
    int others = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Rng rng(seed);
      CimRules rules = rulesOfTest();
      rules.unsound = skipped;
      const Program::Both both = randomProgram(rng, rules).run(3);
      others += both.original == both.reshaped ? 0 : 1;
    }
    EXPECT_GT(others, 10);
  }
}

}  // namespace
}  // namespace pimento::trace
