// Random instructions of RV64GC, run here and in QEMU: all registers and all memory are the same afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pimento/base/rng.h"
#include "pimento/guest/rv64/instruction.h"
#include "pimento/guest/rv64/interpreter.h"
#include "test/support/cases.h"
#include "test/support/folder.h"
#include "test/support/rv64_program.h"

namespace pimento::guest::rv64 {
namespace {

using namespace test::rv64;

class Nothing final : public trace::Consumer {
 public:
  void onBlock(const trace::Block & /*block*/, int /*count*/, std::span<const trace::Access> /*accesses*/) override {}
  bool wantsMore() const override { return false; }
};

// Registers that keep their values: addresses, and where a sequence's values lie.
constexpr unsigned kBase = 30, kValues = 31, kShortBase = 8;
constexpr std::uint64_t kScratch = 4096, kSlot = 512;
constexpr int kInstructions = 24;

bool isKept(unsigned reg) {
  return reg == kSp || reg == kShortBase || reg == kBase || reg == kValues;
}
bool isBase(unsigned reg) {
  return reg == kSp || reg == kShortBase || reg == kBase;
}

/// Numbers where something happens at the edges, and others.
std::uint64_t interesting(Rng &rng) {
  static constexpr std::uint64_t kEdges[] = {
      0, 1, ~0ull, 1ull << 63, (1ull << 63) - 1, 0x80000000, 0x7fffffff, 0xffffffff, 0xffffffff80000000,
      // doubles
      0x8000000000000000, 0x3ff0000000000000, 0xbff8000000000000, 0x7ff0000000000000, 0xfff0000000000000,
      0x7ff8000000000000, 0x7ff0000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 1ull << 51,
      0x43e0000000000000, 0x41dfffffffc00000, 0x3fe0000000000000, 0x3ca0000000000000, 0x36a0000000000000,
      // singles, boxed
      0xffffffff00000000, 0xffffffff3f800000, 0xffffffffbfc00000, 0xffffffff7f800000, 0xffffffff7fc00000,
      0xffffffff7f800001, 0xffffffff007fffff, 0xffffffff00800000, 0xffffffff7f7fffff, 0xffffffff5f000000,
      0xffffffff00000001, 0xffffffff80000000, 0xffffffff4f000000, 0x000000003f800000};
  // Few bits, at both ends: their sums and products lie half way between two numbers now and then.
  const std::uint64_t few = rng.below(4) << 50 | rng.below(4);
  switch (rng.below(6)) {
    case 0:
      return rng.next();
    case 1:
      return 0xffffffff00000000 | rng.next() >> 32;
    case 2:  // a double of a moderate size
      return (rng.next() & 0x800fffffffffffff) | (1023 - 40 + rng.below(80)) << 52;
    case 3:
      return rng.below(2) << 63 | (1023 + 52 * rng.below(3) - rng.below(3)) << 52 | few;
    case 4:
      return 0xffffffff00000000 | rng.below(2) << 31 | (127 + 23 * rng.below(3) - rng.below(3)) << 23 |
             (few >> 50) << 21 | (few & 3);
    default:
      return kEdges[rng.below(std::size(kEdges))];
  }
}

bool isLoadOrStore(Op op) {
  return (op >= Op::kLb && op <= Op::kSd) || (op >= Op::kFlw && op <= Op::kFsd);
}
bool isAtomic(Op op) {
  return op >= Op::kLrW && op <= Op::kAmoD;
}
bool isStoreOfInteger(Op op) {
  return op >= Op::kSb && op <= Op::kSd;
}
bool writesFloat(Op op) {
  return op == Op::kFlw || op == Op::kFld || op == Op::kNarrow || op == Op::kWiden ||
         (op >= Op::kMaddS && op <= Op::kMaxS) || (op >= Op::kMaddD && op <= Op::kMaxD) || op == Op::kFromIntegerS ||
         op == Op::kFromIntegerD || op == Op::kMoveFromXS || op == Op::kMoveFromXD;
}

/// Whether an instruction stays within the sequence and its memory.
bool isTame(const Decoded &d) {
  constexpr std::uint8_t kDynamic = 7, kMostModes = 4;
  if (d.op == Op::kIllegal || endsBlock(d.op) || d.op == Op::kFence) return false;
  if (d.op >= Op::kCsrrw && d.op <= Op::kCsrrc) return d.constant == 1 && !isKept(d.rd);  // fflags
  if (isAtomic(d.op)) return d.rs1 == kBase && !isKept(d.rd);
  if (isLoadOrStore(d.op)) {
    if (!isBase(d.rs1)) return false;
    return isStoreOfInteger(d.op) || d.op == Op::kFsw || d.op == Op::kFsd || writesFloat(d.op) || !isKept(d.rd);
  }
  if (d.op >= Op::kMaddS && d.rounding > kMostModes && d.rounding != kDynamic) return false;
  return writesFloat(d.op) || !isKept(d.rd);
}

/// Floating-point instructions on registers that nothing else writes, f0 to f15, so that they keep their values.
void addFloat(Rng &rng, Assembler &to) {
  static constexpr std::uint32_t kOpcodes[] = {0x43, 0x47, 0x4b, 0x4f, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53};
  for (;;) {
    auto word = static_cast<std::uint32_t>(rng.next());
    word = (word & ~0x7fU) | kOpcodes[rng.below(std::size(kOpcodes))];
    if (rng.below(2) == 0) word &= ~(30U << 20);
    const Decoded d = decode(word, to.here());
    constexpr std::uint8_t kHalf = 16;
    if (!isTame(d) || d.rs1 >= kHalf || d.rs3 >= kHalf || (writesFloat(d.op) && d.rd < kHalf)) continue;
    to.add(word);
    return;
  }
}

/// One that is drawn from all 32-bit words of the opcodes that there are, or a compressed one.
void addRandom(Rng &rng, Assembler &to, bool mayBeShort) {
  static constexpr std::uint32_t kOpcodes[] = {0x03, 0x07, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x33,
                                               0x33, 0x33, 0x37, 0x3b, 0x3b, 0x43, 0x47, 0x4b, 0x4f,
                                               0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x73};
  static constexpr std::uint32_t kFunctions[] = {0, 0, 1, 0x20};  // what most words have in bits 25 to 31
  for (;;) {
    auto word = static_cast<std::uint32_t>(rng.next());
    if (mayBeShort && rng.below(3) == 0) {
      word &= 0xffff;
      if ((word & 3) == 3 || !isTame(decode(word, to.here()))) continue;
      to.addShort(static_cast<std::uint16_t>(word));
      return;
    }
    word = (word & ~0x7fU) | kOpcodes[rng.below(std::size(kOpcodes))];
    const std::uint32_t opcode = word & 0x7f;
    if (opcode == 0x33 || opcode == 0x3b)
      word = (word & 0x1ffffffU) | kFunctions[rng.below(std::size(kFunctions))] << 25;
    const bool isMemory = opcode == 0x03 || opcode == 0x07 || opcode == 0x23 || opcode == 0x27 || opcode == 0x2f;
    if (isMemory) word = (word & ~(31U << 15)) | kBase << 15;
    if (opcode == 0x53 && rng.below(2) == 0) word &= ~(30U << 20);  // fields that are codes in conversions
    if (opcode == 0x73) word = (word & 0xfffffU) | 1U << 20;
    if (!isTame(decode(word, to.here()))) continue;
    to.add(word);
    return;
  }
}

/// Loads all registers, runs random instructions, stores all registers.
void addSequence(Rng &rng, Assembler &to) {
  for (unsigned r = 1; r < 32; ++r)
    if (!isKept(r)) to.add(ld(r, kValues, static_cast<int>(8 * r)));
  for (unsigned f = 0; f < 32; ++f) to.add(makeI(0x07, 3, f, kValues, static_cast<int>(256 + 8 * f)));
  to.add(makeI(0x73, 5, kZero, static_cast<unsigned>(rng.below(5)), 2));  // csrwi frm
  to.add(makeI(0x73, 5, kZero, rng.below(3) == 0 ? static_cast<unsigned>(rng.below(32)) : 0, 1));
  const bool isFloat = rng.below(2) == 0;
  for (int i = 0; i < kInstructions; ++i) {
    if (isFloat) {
      addFloat(rng, to);
      continue;
    }
    const auto reg = static_cast<unsigned>(rng.below(32)), other = static_cast<unsigned>(rng.below(32));
    static constexpr unsigned kConditions[] = {0, 1, 4, 5, 6, 7};
    switch (rng.below(16)) {
      case 0:  // over one instruction, or not
        to.add(makeB(kConditions[rng.below(6)], reg, rng.below(3) == 0 ? reg : other, 8));
        addRandom(rng, to, false);
        break;
      case 1:
        to.add(makeJ(isKept(reg) ? 0 : reg, 8));
        addRandom(rng, to, false);
        break;
      case 2:
        to.add(0x17 | 28U << 7);  // auipc x28, 0
        to.add(makeI(0x67, 0, isKept(reg) ? 1 : reg, 28, static_cast<int>(8 + rng.below(2))));
        break;
      case 3: {  // lr, sc
        const unsigned width = 2 + static_cast<unsigned>(rng.below(2));
        to.add(makeR(0x2f, width, 2 << 2, isKept(reg) ? 1 : reg, kBase, 0));
        to.add(makeR(0x2f, width, 3 << 2, 29, kBase, other));
        break;
      }
      default:
        addRandom(rng, to, true);
    }
  }
  for (unsigned r = 1; r < 32; ++r) to.add(sd(r, kValues, static_cast<int>(8 * r)));
  for (unsigned f = 0; f < 32; ++f) to.add(makeS(0x27, 3, kValues, f, static_cast<int>(256 + 8 * f)));
  to.add(makeI(0x73, 2, 1, 0, 3));  // csrr ra, fcsr
  to.add(sd(1, kValues, 0));
  to.add(addi(kValues, kValues, static_cast<int>(kSlot)));
}

std::string contents(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void check(std::uint64_t sequences, Rng &rng) {
  Assembler program;
  const std::uint64_t bytes = kScratch + sequences * kSlot;
  std::string data(bytes, '\0');
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t value = interesting(rng);
    std::memcpy(data.data() + at, &value, sizeof value);
  }
  for (const unsigned base : {kBase, kSp, kShortBase}) program.set(base, kDataAt + kScratch / 2);
  program.set(kValues, kDataAt + kScratch);
  std::vector<std::uint64_t> starts;
  for (std::uint64_t s = 0; s < sequences; ++s) {
    starts.push_back(program.here());
    addSequence(rng, program);
  }
  program.set(kA1, kDataAt).set(kA2, static_cast<std::uint32_t>(bytes)).add(addi(kA0, kZero, 1)).call(64).exit(7);

  const test::Folder folder;
  const std::string file = folder / "program", own = folder / "own", qemus = folder / "qemus";
  std::ofstream(file, std::ios::binary) << elfOf(program.code(), data);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const int status = std::system(("qemu-riscv64 -cpu rv64 " + file + " > " + qemus).c_str());
  ASSERT_EQ(WEXITSTATUS(status), 7);
  ElfImage image;
  image.file = file;
  image.isa = trace::Isa::kRv64;
  GuestOptions options;
  options.program = file;
  options.stdoutFile = own;
  Nothing nothing;
  const Result<GuestEnd> end = run(image, options, nothing);
  ASSERT_TRUE(end.ok()) << end.diagnostics()[0].str();
  ASSERT_EQ(end->exitStatus, 7) << end->cause;
  const std::string a = contents(own), b = contents(qemus);
  ASSERT_EQ(a.size(), bytes);
  ASSERT_EQ(b.size(), bytes);
  int differing = 0;
  for (std::uint64_t at = 0; at < bytes && differing < 20; at += 8) {
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, a.data() + at, 8);
    std::memcpy(&y, b.data() + at, 8);
    if (x == y) continue;
    ++differing;
    const std::uint64_t sequence = at < kScratch ? 0 : (at - kScratch) / kSlot;
    ADD_FAILURE() << "word " << (at < kScratch ? at / 8 : (at - kScratch) % kSlot / 8) << " of "
                  << (at < kScratch ? "memory" : "sequence ") << sequence << " (code from " << std::hex
                  << starts[sequence] << "): " << x << ", QEMU has " << y;
  }
  if (differing > 0 && std::getenv("PIMENTO_KEEP") != nullptr)
    std::filesystem::copy_file(file, std::getenv("PIMENTO_KEEP"), std::filesystem::copy_options::overwrite_existing);
}

TEST(Rv64AgainstQemu, RandomInstructionsLeaveTheSameRegistersAndMemory) {
  if (std::system("qemu-riscv64 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "not run here: no qemu-riscv64";
  constexpr std::int64_t kOfAProgram = 1000;
  Rng rng(20);
  for (std::int64_t left = test::caseCount(600); left > 0 && !HasFailure(); left -= kOfAProgram)
    check(static_cast<std::uint64_t>(std::min(left, kOfAProgram)), rng);
}

}  // namespace
}  // namespace pimento::guest::rv64
