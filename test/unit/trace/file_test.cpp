// Saved traces: what is written is read back, the same stream gives the same bytes, and what is cut, altered or newer
// is told.
#include <gtest/gtest.h>

#include <deque>
#include <sstream>

#include "pimento/base/checksum.h"
#include "pimento/base/rng.h"
#include "pimento/trace/file/reader.h"
#include "pimento/trace/file/writer.h"

namespace pimento::trace::file {
namespace {

struct Entry {
  Block block;
  int count;
  std::vector<Access> accesses;
};

/// Keeps all it is given.
class Keeper final : public Consumer {
 public:
  void onStart(const Program &program, bool hasValues) override {
    this->program = program;
    this->hasValues = hasValues;
  }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    entries.push_back({block, count, {accesses.begin(), accesses.end()}});
  }
  void onEnd() override { hasEnded = true; }
  bool wantsMore() const override { return entries.size() < most; }

  std::size_t most = ~std::size_t{0};
  Program program;
  bool hasValues = false, hasEnded = false;
  std::vector<Entry> entries;
};

Instruction someInstruction(Rng &random, std::uint64_t address) {
  Instruction in;
  in.address = address;
  in.isa = static_cast<Isa>(random.below(4));
  in.bytes = random.below(2) != 0 ? 2 : 4;
  in.operation = static_cast<Operation>(random.below(kOperations));
  if (in.operation == Operation::kCim) {
    in.cim.level = static_cast<int>(random.below(3));
    for (std::uint16_t i = 0; i < 2; ++i) in.cim.steps.push_back({.kind = CimStep::Kind::kOperand, .operand = i});
    in.cim.steps.push_back({.kind = CimStep::Kind::kOperation, .operation = Operation::kXor});
    in.cim.steps.push_back({.kind = CimStep::Kind::kConstant, .constant = random.integer(-300, 70000)});
    in.cim.steps.push_back({.kind = CimStep::Kind::kOperation, .operation = Operation::kAdd});
  }
  in.width = 32;
  in.loads = random.below(2) != 0;
  in.stores = random.below(3) == 0;
  in.isConditional = random.below(5) == 0;
  in.writesBack = random.below(5) == 0;
  in.isVector = random.below(9) == 0;
  for (std::uint64_t n = random.below(20); n > 0; --n) in.reads.add(static_cast<Register>(random.below(kRegisters)));
  for (std::uint64_t n = random.below(4); n > 0; --n) in.writes.add(static_cast<Register>(random.below(kRegisters)));
  in.addressRegisters.add(static_cast<Register>(random.below(32)));
  in.operandCount = static_cast<std::uint8_t>(random.below(3));
  for (int o = 0; o < in.operandCount; ++o)
    in.operands[static_cast<std::size_t>(o)] = {random.below(2) != 0, random.below(2) != 0,
                                                static_cast<Register>(random.below(kRegisters)),
                                                static_cast<std::int64_t>(random.next())};
  in.destination = static_cast<Register>(random.below(32));
  in.hasDestination = random.below(2) != 0;
  in.text = "op " + std::to_string(random.below(1000));
  return in;
}

/// Blocks that follow each other now and again as before, with accesses that step, repeat, jump or are left out.
class SomeStream {
 public:
  explicit SomeStream(std::uint64_t seed, std::size_t entries) : random_(seed) {
    std::uint64_t address = 0x400000;
    for (int b = 0; b < 12; ++b) {
      Block &block = blocks_.emplace_back();
      for (std::uint64_t n = 1 + random_.below(8); n > 0; --n) {
        block.instructions.push_back(someInstruction(random_, address));
        address += block.instructions.back().bytes;
      }
      // Overlapping blocks share instructions.
      if (b % 4 == 3)
        block.instructions.insert(block.instructions.begin(), blocks_[0].instructions.begin(),
                                  blocks_[0].instructions.end());
    }
    for (std::size_t e = 0; e < entries; ++e) {
      const std::size_t which = random_.below(3) == 0 ? random_.below(blocks_.size()) : e % blocks_.size();
      add(blocks_[which], e);
    }
  }

  const std::vector<Entry> &entries() const { return entries_; }
  std::string write(bool hasValues, const ProgramEnd &end = {}) const {
    std::ostringstream out;
    Writer writer(out, hasValues);
    writer.onStart(program(), hasValues);
    for (std::size_t e = 0; e < entries_.size(); ++e)
      writer.onBlock(*which_[e], entries_[e].count, entries_[e].accesses);
    EXPECT_TRUE(writer.finish(end));
    return out.str();
  }
  static Program program() {
    SourceMap sources;
    sources.files = {{"/src/a.c", "0123456789abcdef0123456789abcdef"}, {"b.h", ""}};
    sources.functions = {{"main", 3}, {"inner", 0}};
    sources.frames = {{0, 0, 5, 2, -1}, {1, 1, 70000, 0, 0}, {1, 1, 9, 1, 1}};
    sources.places = {{0x400100, 2}, {0x400104, 0}, {0x400104, -1}, {0x5000000000, 1}};
    return {"prog",       Isa::kA64, 3,      {{"main", 0x400100, 0x20}, {"other", 0x400100, 8}, {"last", 0x400200, 0}},
            0x5500000000, 0x400300,  sources};
  }

 private:
  void add(const Block &block, std::size_t e) {
    Entry entry{block, static_cast<int>(block.instructions.size()), {}};
    if (random_.below(10) == 0) entry.count = 1 + static_cast<int>(random_.below(block.instructions.size()));
    for (int i = 0; i < entry.count; ++i)
      for (std::uint64_t n = random_.below(4) == 0 ? random_.below(4) : 1; n > 0; --n) {
        const std::uint64_t address = random_.below(5) == 0 ? random_.next() >> 16 : 0x7000 + 8 * e + n;
        entry.accesses.push_back({address, static_cast<std::uint16_t>(i), static_cast<std::uint8_t>(1U << (i % 5)),
                                  i % 2 == 1, random_.below(3) == 0 ? random_.next() : e});
      }
    entries_.push_back(std::move(entry));
    which_.push_back(&block);
  }

  Rng random_;
  std::deque<Block> blocks_;
  std::vector<const Block *> which_;
  std::vector<Entry> entries_;
};

Result<std::unique_ptr<Reader>> open(const std::string &bytes) {
  return Reader::open(std::make_unique<std::istringstream>(bytes), "t.ptrace");
}

/// The code of the first diagnostic, in opening or reading; empty: none.
std::string codeOf(const std::string &bytes) {
  auto reader = open(bytes);
  Diagnostics all;
  if (!reader) {
    all = reader.diagnostics();
  } else {
    Keeper keeper;
    const Status s = (*reader)->run(keeper);
    if (!s) all = s.diagnostics();
  }
  if (all.empty()) return "";
  EXPECT_FALSE(all.front().hint.empty());
  EXPECT_EQ(all.front().where.file, "t.ptrace");
  return all.front().code;
}

TEST(TraceFile, ReadsBackWhatWasWritten) {
  for (const bool hasValues : {false, true})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const SomeStream stream(seed, 3000);
      const ProgramEnd end{7, 0, true, 12345, 6, 1, 2, 99, 4, ""};
      const auto reader = open(stream.write(hasValues, end));
      ASSERT_TRUE(reader.ok()) << reader.diagnostics().front().str();
      EXPECT_EQ((*reader)->program(), SomeStream::program());
      EXPECT_EQ((*reader)->end(), end);
      Keeper keeper;
      ASSERT_TRUE((*reader)->run(keeper).ok());
      EXPECT_TRUE(keeper.hasEnded);
      EXPECT_EQ(keeper.hasValues, hasValues);
      EXPECT_EQ(keeper.program, SomeStream::program());
      ASSERT_EQ(keeper.entries.size(), stream.entries().size());
      for (std::size_t e = 0; e < keeper.entries.size(); ++e) {
        const Entry &ours = keeper.entries[e], &theirs = stream.entries()[e];
        ASSERT_EQ(ours.count, theirs.count);
        ASSERT_EQ(ours.block.instructions, theirs.block.instructions);
        ASSERT_EQ(ours.accesses.size(), theirs.accesses.size());
        for (std::size_t a = 0; a < ours.accesses.size(); ++a) {
          const Access &x = ours.accesses[a], &y = theirs.accesses[a];
          ASSERT_EQ(x.address, y.address);
          ASSERT_EQ(x.instruction, y.instruction);
          ASSERT_EQ(x.bytes, y.bytes);
          ASSERT_EQ(x.isStore, y.isStore);
          ASSERT_EQ(x.value, hasValues ? y.value : 0);
        }
      }
    }
}

TEST(TraceFile, KnowsWhereInstructionsComeFrom) {
  const SourceMap map = SomeStream::program().sources;
  EXPECT_EQ(map.frameAt(0x4000ff), -1);
  EXPECT_EQ(map.frameAt(0x400100), 2);
  EXPECT_EQ(map.frameAt(0x400103), 2);
  EXPECT_EQ(map.frameAt(0x400104), -1);
  EXPECT_EQ(map.frameAt(0x6000000000), 1);
}

TEST(TraceFile, RefusesFramesThatCallThemselves) {
  for (const std::int32_t caller : {0, 1}) {
    Program program = SomeStream::program();
    program.sources.frames = {{0, 0, 1, 1, caller}};
    program.sources.places = {};
    std::ostringstream out;
    Writer writer(out, false);
    writer.onStart(program, false);
    ASSERT_TRUE(writer.finish({}));
    EXPECT_EQ(codeOf(out.str()), "trace-contents") << caller;
  }
}

TEST(TraceFile, IsTheSameForTheSameStream) {
  EXPECT_EQ(SomeStream(5, 1000).write(true), SomeStream(5, 1000).write(true));
  EXPECT_NE(SomeStream(5, 1000).write(true), SomeStream(6, 1000).write(true));
}

TEST(TraceFile, OfALoopTakesNearlyNothing) {
  Rng random(1);
  Block block;
  for (int i = 0; i < 10; ++i)
    block.instructions.push_back(someInstruction(random, 0x1000 + 4 * static_cast<std::uint64_t>(i)));
  std::ostringstream out;
  Writer writer(out, false);
  constexpr std::uint64_t kTurns = 100'000;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    const Access accesses[] = {{0x10000 + 4 * turn, 2, 4, false, 0}, {0x90000 + 8 * turn, 7, 8, true, 0}};
    writer.onBlock(block, 10, accesses);
  }
  ASSERT_TRUE(writer.finish({}));
  EXPECT_LT(static_cast<double>(out.str().size()) * 8 / (10.0 * kTurns), 0.01) << "bits per instruction";
}

TEST(TraceFile, OfNothingIsATrace) {
  std::ostringstream out;
  Writer writer(out, false);
  ASSERT_TRUE(writer.finish({}));
  EXPECT_EQ(codeOf(out.str()), "");
}

TEST(TraceFile, ThatIsCutSaysSo) {
  const std::string whole = SomeStream(1, 20).write(true);
  ASSERT_EQ(codeOf(whole), "");
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 1 + bytes / 64)
    EXPECT_EQ(codeOf(whole.substr(0, bytes)), bytes < kMagic.size() ? "trace-magic" : "trace-length") << bytes;
  EXPECT_EQ(codeOf(whole + "x"), "trace-length");
}

TEST(TraceFile, ThatIsAlteredSaysSo) {
  const std::string whole = SomeStream(1, 20).write(true);
  for (std::size_t at = kMagic.size() + 4; at < whole.size(); at += 1 + at / 64) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 0x10);
    const std::string code = codeOf(altered);
    EXPECT_TRUE(code == "trace-checksum" || code == "trace-length") << at << ": " << code;
  }
}

TEST(TraceFile, OfAnotherVersionSaysSo) {
  std::string bytes = SomeStream(1, 20).write(false);
  bytes[kMagic.size()] = static_cast<char>(kVersion + 1);
  EXPECT_EQ(codeOf(bytes), "trace-version");
}

/// A chunk with the checksum that it must have.
std::string chunk(Chunk kind, const std::string &bytes) {
  std::string head, covered;
  putWord(head, static_cast<std::uint32_t>(kind));
  putWord(head, static_cast<std::uint32_t>(bytes.size()));
  covered = head + bytes;
  putWord(head, crc32(covered));
  return head + bytes;
}

TEST(TraceFile, ThatSaysWhatNoneCanSayIsRefused) {
  const std::string whole = SomeStream(1, 20).write(false);
  const std::string start = whole.substr(0, kMagic.size() + 4);
  constexpr std::size_t kHeadChunk = 16;
  const std::string head = whole.substr(start.size(), kHeadChunk);
  std::ostringstream empty;
  Writer writer(empty, false);
  ASSERT_TRUE(writer.finish({}));
  const std::string end = empty.str().substr(start.size() + kHeadChunk);
  EXPECT_EQ(codeOf(start + head + end), "");
  EXPECT_EQ(codeOf(start + end), "trace-contents") << "no head";
  EXPECT_EQ(codeOf(start + head + chunk(Chunk::kBlocks, "abcd") + end), "trace-contents");
  EXPECT_EQ(codeOf(start + head + chunk(Chunk::kEnd, "abcdefg")), "trace-contents");
  EXPECT_EQ(codeOf(start + chunk(Chunk::kHead, "") + end), "trace-contents");
}

TEST(TraceFile, StopsWhereNoMoreIsWanted) {
  const SomeStream stream(1, 100);
  const auto reader = open(stream.write(false));
  ASSERT_TRUE(reader.ok());
  Keeper keeper;
  keeper.most = 17;
  ASSERT_TRUE((*reader)->run(keeper).ok());
  EXPECT_EQ(keeper.entries.size(), 17U);
  EXPECT_TRUE(keeper.hasEnded);
}

}  // namespace
}  // namespace pimento::trace::file
