#include "pimento/trace/rows.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace pimento::trace {

namespace {

/// Instructions within which iterations share a row.
constexpr std::int64_t kWindow = 4096;
constexpr std::uint64_t kMostBytes = 128;  ///< of an access

bool overlaps(const Access &a, std::uint64_t begin, std::uint64_t end) {
  return a.address < end && begin < a.address + a.bytes;
}

/// A block without some of its instructions. Those that stay take their places in the code (reshape.h).
Block without(const Block &block, std::span<const std::uint16_t> gone) {
  Block out;
  std::uint64_t from = block.instructions.front().address;
  for (std::size_t i = 0; i < block.instructions.size(); ++i) {
    const Instruction &in = block.instructions[i];
    const std::uint64_t end = in.address + in.bytes;
    const auto bytesFrom = [&](std::uint64_t begin) {
      return static_cast<std::uint8_t>(std::min<std::uint64_t>(end - begin, std::numeric_limits<std::uint8_t>::max()));
    };
    if (std::ranges::binary_search(gone, i)) {
      if (!out.instructions.empty()) out.instructions.back().bytes = bytesFrom(out.instructions.back().address);
      continue;
    }
    out.instructions.push_back(in);
    if (out.instructions.size() > 1) continue;
    out.instructions.back().address = from;
    out.instructions.back().bytes = bytesFrom(from);
  }
  return out;
}

}  // namespace

Rows::Rows(std::vector<std::uint64_t> lines, int mostWords, Consumer &to)
    : lines_(std::move(lines)), mostWords_(mostWords), to_(to) {
  for (std::uint64_t &line : lines_) line = std::min(line, kMostBytes);
}

void Rows::onBlock(const Block &block, int count, std::span<const Access> accesses) {
  Run &run = runs_.emplace_back();
  run.block = &block;
  run.first = next_;
  run.count = count;
  run.accesses.assign(accesses.begin(), accesses.end());
  next_ += count;
  // The system sees memory, and says nothing of it.
  const auto closeAll = [&] {
    while (!chains_.empty()) close(chains_.size() - 1);
  };
  const bool isSystem =
      std::ranges::any_of(block.instructions, [](const Instruction &in) { return in.operation == Operation::kSystem; });
  if (isSystem) closeAll();
  for (std::size_t first = 0; first < accesses.size();) {
    std::size_t end = first;
    while (end < accesses.size() && accesses[end].instruction == accesses[first].instruction) ++end;
    const std::uint16_t at = accesses[first].instruction;
    take(block.instructions[at], run.first + at, accesses.subspan(first, end - first));
    first = end;
  }
  for (std::size_t c = chains_.size(); c-- > 0;)
    if (next_ - chains_[c].first > kWindow) close(c);
  if (isSystem) closeAll();
  pass();
}

void Rows::onEnd() {
  while (!chains_.empty()) close(chains_.size() - 1);
  pass();
  to_.onEnd();
}

void Rows::take(const Instruction &in, std::int64_t number, std::span<const Access> accesses) {
  const bool mayShare = in.operation == Operation::kCim && in.stores && mostWords_ > 1;
  const auto own = std::ranges::find_if(
      chains_, [&](const Chain &c) { return mayShare && c.in->address == in.address && c.in->cim == in.cim; });
  if (own != chains_.end() && continues(*own, in, accesses)) {
    const Instruction *const mine = own->in;
    closeWhatConflicts(accesses, mine);
    Chain &chain = *std::ranges::find(chains_, mine, &Chain::in);  // others may be gone
    Run &before = runOf(chain.last);
    before.gone.push_back(static_cast<std::uint16_t>(chain.last - before.first));
    ++shared_;
    ++chain.words;
    chain.last = number;
    chain.in = &in;
    for (std::size_t i = 0; i < accesses.size(); ++i) chain.of[i].end += accesses[i].bytes;
    return;
  }
  if (own != chains_.end()) close(static_cast<std::size_t>(own - chains_.begin()));
  closeWhatConflicts(accesses, nullptr);
  if (!mayShare) return;
  Chain &chain = chains_.emplace_back();
  chain.in = &in;
  chain.first = chain.last = number;
  for (const Access &a : accesses) chain.of.push_back({a.address, a.address + a.bytes, a.isStore});
}

bool Rows::continues(const Chain &chain, const Instruction &in, std::span<const Access> accesses) const {
  if (chain.words == mostWords_ || chain.of.size() != accesses.size()) return false;
  const std::uint64_t line = lines_[static_cast<std::size_t>(in.cim.level)];
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access &a = accesses[i];
    const Words &w = chain.of[i];
    if (a.isStore != w.isStore || a.bytes == 0 || a.address != w.end) return false;
    if (w.begin / line != (a.address + a.bytes - 1) / line) return false;
    // What the row computes at once is none of its operands.
    for (const Words &result : chain.of)
      if (!a.isStore && result.isStore && overlaps(a, result.begin, result.end)) return false;
  }
  return true;
}

/// Chains cannot go on past accesses that would see their earlier words computed late, or change what they compute
/// with.
void Rows::closeWhatConflicts(std::span<const Access> accesses, const Instruction *but) {
  for (std::size_t c = chains_.size(); c-- > 0;) {
    const Chain &chain = chains_[c];
    if (chain.in == but) continue;
    const bool conflicts = std::ranges::any_of(accesses, [&](const Access &a) {
      return std::ranges::any_of(
          chain.of, [&](const Words &w) { return (a.isStore || w.isStore) && overlaps(a, w.begin, w.end); });
    });
    if (conflicts) close(c);
  }
}

void Rows::close(std::size_t number) {
  const Chain &chain = chains_[number];
  if (chain.words > 1) {
    Run &run = runOf(chain.last);
    std::size_t next = 0;
    for (Access &a : run.accesses) {
      if (a.instruction != chain.last - run.first) continue;
      const Words &w = chain.of[next++];
      a.address = w.begin;
      a.bytes = static_cast<std::uint8_t>(w.end - w.begin);
      a.value = 0;
    }
  }
  chains_.erase(chains_.begin() + static_cast<std::ptrdiff_t>(number));
}

Rows::Run &Rows::runOf(std::int64_t number) {
  return *std::prev(std::ranges::upper_bound(runs_, number, {}, &Run::first));
}

void Rows::pass() {
  std::int64_t until = next_;
  for (const Chain &c : chains_) until = std::min(until, c.first);
  while (!runs_.empty() && runs_.front().first + runs_.front().count <= until) {
    hand(runs_.front());
    runs_.pop_front();
  }
}

void Rows::hand(const Run &run) {
  if (run.gone.empty()) {
    to_.onBlock(*run.block, run.count, run.accesses);
    return;
  }
  // Chains end in any order.
  std::vector<std::uint16_t> gone = run.gone;
  std::ranges::sort(gone);
  std::unique_ptr<Block> &block = without_[run.block][gone];
  if (block == nullptr) block = std::make_unique<Block>(without(*run.block, gone));
  accesses_.clear();
  for (Access a : run.accesses) {
    const auto before = std::ranges::lower_bound(gone, a.instruction);
    if (before != gone.end() && *before == a.instruction) continue;
    a.instruction = static_cast<std::uint16_t>(a.instruction - (before - gone.begin()));
    accesses_.push_back(a);
  }
  const int left = run.count - static_cast<int>(gone.size());
  if (left > 0) to_.onBlock(*block, left, accesses_);
}

}  // namespace pimento::trace
