#include "pimento/trace/file/table.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/file/format.h"

namespace pimento::trace::file {

namespace {

/// More than any block of QEMU has.
constexpr std::uint64_t kMostInstructions = 4096, kMostAccesses = 65536, kMostAccessBytes = 65;

bool fits(const Variant &v, int count, std::span<const Access> accesses) {
  const auto isSame = [](const Shape &s, const Access &a) {
    return s.instruction == a.instruction && s.bytes == a.bytes && s.isStore == a.isStore;
  };
  return v.count == count && std::equal(v.accesses.begin(), v.accesses.end(), accesses.begin(), accesses.end(), isSame);
}

}  // namespace

std::uint32_t Table::instructionOf(const Instruction &in) {
  std::vector<std::uint32_t> &here = instructionsAt_[in.address];
  for (const std::uint32_t i : here)
    if (instructions_[i].instruction == in) return i;
  here.push_back(static_cast<std::uint32_t>(instructions_.size()));
  instructions_.push_back({in, {}});
  return here.back();
}

std::uint32_t Table::addBlock(std::vector<std::uint32_t> instructions) {
  Entry &e = blocks_.emplace_back();
  for (const std::uint32_t i : instructions) e.block.instructions.push_back(instructions_[i].instruction);
  e.instructions = std::move(instructions);
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

/// Its accesses get their slots.
std::uint32_t Table::addVariant(Variant v) {
  const std::vector<std::uint32_t> &instructions = blocks_[v.block].instructions;
  std::size_t ordinal = 0;
  for (std::size_t a = 0; a < v.accesses.size(); ++a) {
    Shape &s = v.accesses[a];
    ordinal = a > 0 && v.accesses[a - 1].instruction == s.instruction ? ordinal + 1 : 0;
    std::vector<std::uint32_t> &slots = instructions_[instructions[s.instruction]].slots;
    while (slots.size() <= ordinal) {
      slots.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    s.slot = slots[ordinal];
  }
  variants_.push_back(std::move(v));
  return static_cast<std::uint32_t>(variants_.size() - 1);
}

/// The same instructions make the same block, wherever they are translated again.
std::uint32_t Table::blockOf(const Block &block, std::string &to) {
  const std::size_t before = instructions_.size();
  std::vector<std::uint32_t> instructions;
  for (const Instruction &in : block.instructions) instructions.push_back(instructionOf(in));
  std::vector<std::uint32_t> &here = blocksAt_[block.instructions.front().address];
  for (const std::uint32_t b : here)
    if (blocks_[b].instructions == instructions) {
      putNumber(to, b);
      return b;
    }
  putNumber(to, blocks_.size());
  putNumber(to, instructions.size());
  std::uint64_t known = before, expected = before, after = 0;
  for (const std::uint32_t i : instructions) {
    putSigned(to, static_cast<std::int64_t>(i) - static_cast<std::int64_t>(expected));
    const Instruction &in = instructions_[i].instruction;
    if (i == known) {
      putInstruction(to, in, after);
      ++known;
    }
    after = in.address + in.bytes;
    expected = std::uint64_t{i} + 1;
  }
  here.push_back(addBlock(std::move(instructions)));
  return here.back();
}

std::uint32_t Table::numberOf(const Block &block, int count, std::span<const Access> accesses, std::string &to) {
  const auto found = numbers_.find(&block);
  if (found != numbers_.end()) {
    std::vector<std::uint32_t> &variants = blocks_[found->second].variants;
    for (auto v = variants.begin(); v != variants.end(); ++v)
      if (fits(variants_[*v], count, accesses)) {
        std::rotate(variants.begin(), v, v + 1);
        return variants.front();
      }
  }
  std::string definition;
  const std::uint32_t number = blockOf(block, definition);
  numbers_.emplace(&block, number);
  // Perhaps of the same block, translated before.
  for (const std::uint32_t v : blocks_[number].variants)
    if (fits(variants_[v], count, accesses)) return v;
  PIMENTO_CHECK(accesses.size() < kMostAccesses && block.instructions.size() < kMostInstructions);
  Variant v;
  v.block = number;
  v.count = count;
  putNumber(definition, block.instructions.size() - static_cast<std::size_t>(count));
  putNumber(definition, accesses.size());
  std::uint16_t last = 0;
  for (const Access &a : accesses) {
    PIMENTO_CHECK(a.instruction >= last && a.instruction < count);
    putNumber(definition, static_cast<std::uint64_t>(a.instruction - last) << 1 | (a.isStore ? 1U : 0U));
    putNumber(definition, a.bytes);
    last = a.instruction;
    v.accesses.push_back({a.instruction, a.bytes, a.isStore, 0});
  }
  to += definition;
  const std::uint32_t added = addVariant(std::move(v));
  blocks_[number].variants.insert(blocks_[number].variants.begin(), added);
  return added;
}

bool Table::defineBlock(ByteReader &from) {
  std::vector<std::uint32_t> instructions(from.number(kMostInstructions));
  if (instructions.empty() || instructions.size() > from.size()) return false;
  std::uint64_t expected = instructions_.size(), after = 0;
  for (std::uint32_t &i : instructions) {
    const std::uint64_t number = expected + static_cast<std::uint64_t>(from.signedNumber());
    if (!from.isGood() || number > instructions_.size()) return false;
    i = static_cast<std::uint32_t>(number);
    if (number == instructions_.size()) {
      Instruction in;
      if (!takeInstruction(from, after, in)) return false;
      instructions_.push_back({std::move(in), {}});
    }
    const Instruction &in = instructions_[i].instruction;
    after = in.address + in.bytes;
    expected = number + 1;
  }
  addBlock(std::move(instructions));
  return true;
}

bool Table::define(ByteReader &from) {
  Variant v;
  v.block = static_cast<std::uint32_t>(from.number(blocks_.size() + 1));
  if (!from.isGood() || (v.block == blocks_.size() && !defineBlock(from))) return false;
  const std::size_t instructions = blocks_[v.block].instructions.size();
  v.count = static_cast<int>(instructions - from.number(instructions));
  const std::uint64_t accesses = from.number(kMostAccesses);
  if (accesses > from.size()) return false;
  std::uint64_t last = 0;
  for (std::uint64_t a = 0; a < accesses; ++a) {
    const std::uint64_t n = from.number(2 * kMostInstructions);
    last += n >> 1;
    Shape s;
    s.bytes = static_cast<std::uint8_t>(from.number(kMostAccessBytes));
    s.isStore = (n & 1) != 0;
    if (!from.isGood() || s.bytes == 0 || last >= static_cast<std::uint64_t>(v.count)) return false;
    s.instruction = static_cast<std::uint16_t>(last);
    v.accesses.push_back(s);
  }
  if (!from.isGood()) return false;
  addVariant(std::move(v));
  return true;
}

}  // namespace pimento::trace::file
