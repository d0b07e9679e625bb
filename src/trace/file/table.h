// What the entries of a trace refer to: instructions, blocks, variants, and the slots of their accesses; and how each
// is written.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "pimento/base/bytes.h"
#include "pimento/trace/file/models.h"
#include "pimento/trace/stream.h"

namespace pimento::trace::file {

/// An access but for its address and value.
struct Shape {
  std::uint16_t instruction = 0;
  std::uint8_t bytes = 0;
  bool isStore = false;
  std::uint32_t slot = 0;
};

struct Variant {
  std::uint32_t block = 0;
  int count = 0;
  std::vector<Shape> accesses;
};

class Table {
 public:
  std::size_t variants() const { return variants_.size(); }
  const Variant &variant(std::size_t number) const { return variants_[number]; }
  const Block &block(std::size_t number) const { return blocks_[number].block; }
  Slot &slot(std::uint32_t number) { return slots_[number]; }

  /// The number of a variant; of one that is new, variants() before, and its definition is appended to `to`.
  std::uint32_t numberOf(const Block &block, int count, std::span<const Access> accesses, std::string &to);
  /// Takes the definition of a new variant; false: it is none.
  bool define(ByteReader &from);

 private:
  struct Entry {
    Block block;
    std::vector<std::uint32_t> instructions;
    std::vector<std::uint32_t> variants;  ///< the most recent first
  };
  struct Known {
    Instruction instruction;
    std::vector<std::uint32_t> slots;  ///< of its accesses, in order
  };

  std::uint32_t blockOf(const Block &block, std::string &to);
  std::uint32_t instructionOf(const Instruction &in);
  std::uint32_t addBlock(std::vector<std::uint32_t> instructions);
  std::uint32_t addVariant(Variant v);
  bool defineBlock(ByteReader &from);

  std::vector<Known> instructions_;
  std::deque<Entry> blocks_;  ///< addresses stay
  std::vector<Variant> variants_;
  std::vector<Slot> slots_;
  // Of the writer.
  std::unordered_map<const Block *, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> instructionsAt_, blocksAt_;
};

/// `after`: the address behind the instruction before.
void putInstruction(std::string &to, const Instruction &in, std::uint64_t after);
/// False: it is none.
bool takeInstruction(ByteReader &from, std::uint64_t after, Instruction &out);

void putProgram(std::string &to, const Program &program);
/// `version`: of the trace.
bool takeProgram(ByteReader &from, Program &out, std::uint32_t version);
void putEnd(std::string &to, const ProgramEnd &end);
bool takeEnd(ByteReader &from, ProgramEnd &out);

}  // namespace pimento::trace::file
