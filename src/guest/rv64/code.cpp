#include "pimento/guest/rv64/code.h"

#include "pimento/frontend/decoder/decoder.h"

namespace pimento::guest::rv64 {

void Code::flush() {
  version_ = memory_.codeVersion();
  quick_.fill(nullptr);
  current_.clear();
  for (auto &[address, blocks] : all_)
    for (const auto &b : blocks) b->next = {};
}

void Code::cutAt(std::uint64_t address) {
  cuts_.insert(address);
  for (auto &[start, blocks] : all_)
    for (auto it = blocks.begin(); it != blocks.end();) {
      (*it)->isCut = (*it)->isCut || start == address;
      if (start >= address || (*it)->end <= address) {
        ++it;
        continue;
      }
      retired_.push_back(std::move(*it));
      it = blocks.erase(it);
    }
  for (const auto &b : retired_) b->next = {};
  flush();
}

CodeBlock *Code::search(CodeBlock &block, std::uint64_t address) {
  CodeBlock *found = at(address);
  // Kept also where `at` has flushed: the block itself may be gone then, but nobody comes by it.
  if (found != nullptr && !found->isCut) block.next = {found, block.next[0]};
  return found;
}

/// Whether the code is the one that it was made of, and goes on where it ended.
bool Code::isSame(const CodeBlock &block) const {
  const std::byte *now = memory_.at(block.address, block.bytes.size(), kExecute);
  return now != nullptr && std::memcmp(now, block.bytes.data(), block.bytes.size()) == 0;
}

CodeBlock *Code::at(std::uint64_t address) {
  if (version_ != memory_.codeVersion()) flush();
  CodeBlock *&quick = quick_[address / 2 % kQuick];
  if (quick != nullptr && quick->address == address) return quick;
  CodeBlock *&known = current_[address];
  if (known == nullptr) {
    auto &candidates = all_[address];
    for (const auto &c : candidates)
      if (isSame(*c)) known = c.get();
    if (known == nullptr) {
      std::unique_ptr<CodeBlock> made = make(address);
      if (made == nullptr) return nullptr;
      known = candidates.emplace_back(std::move(made)).get();
    }
  }
  return quick = known;
}

std::unique_ptr<CodeBlock> Code::make(std::uint64_t address) const {
  auto out = std::make_unique<CodeBlock>();
  out->address = out->end = address;
  for (int i = 0; i < CodeBlock::kMost; ++i) {
    std::uint16_t low = 0, high = 0;
    if (!memory_.fetch(out->end, low)) break;
    const std::uint8_t bytes = bytesOf(low);
    if (bytes == 4 && !memory_.fetch(out->end + 2, high)) break;
    const Decoded d = decode(std::uint32_t{high} << 16 | low, out->end);
    out->code.push_back(d);
    out->bytes.append(reinterpret_cast<const char *>(&low), sizeof low);
    if (bytes == 4) out->bytes.append(reinterpret_cast<const char *>(&high), sizeof high);
    out->end += bytes;
    if (endsBlock(d.op) || cuts_.contains(out->end)) break;
  }
  if (out->code.empty()) return nullptr;
  out->isCut = cuts_.contains(address);
  out->count = static_cast<int>(out->code.size());
  out->code.push_back({.op = Op::kEndOfBlock});
  return out;
}

Result<const trace::Block *> Code::record(CodeBlock &block) {
  if (block.recorded) return block.recorded.get();
  std::vector<frontend::EncodedInstruction> code;
  std::size_t at = 0;
  for (int i = 0; i < block.count; ++i) {
    const std::size_t bytes = block.code[static_cast<std::size_t>(i)].bytes;
    code.push_back({block.address + at, block.bytes.substr(at, bytes), ""});
    at += bytes;
  }
  Result<std::vector<trace::Instruction>> decoded = frontend::decodeInstructions(trace::Isa::kRv64, code);
  if (!decoded) return decoded.diagnostics();
  block.recorded = std::make_unique<trace::Block>();
  block.recorded->instructions = std::move(*decoded);
  for (const trace::Instruction &in : block.recorded->instructions)
    undecodable_ += in.text.starts_with(".inst") ? 1 : 0;
  return block.recorded.get();
}

}  // namespace pimento::guest::rv64
