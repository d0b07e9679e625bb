#include "pimento/trace/selection.h"

#include <algorithm>

namespace pimento::trace {

void Selection::onStart(const Program &program, bool hasValues) {
  loadedAt_ = program.loadedAt;
  for (std::optional<Marker> *m : {&part_.start, &part_.stop})
    if (*m) (*m)->address += program.loadedAt;
  to_.onStart(program, hasValues);
}

/// Counts; once it has come it is gone.
bool Selection::comes(std::optional<Marker> &marker, std::uint64_t address) {
  if (!marker || marker->address != address || --marker->count > 0) return false;
  marker.reset();
  return true;
}

const Block &Selection::rest(const Block &block, int first) {
  if (first == 0) return block;
  std::unique_ptr<Block> &b = rests_[{&block, first}];
  if (!b) {
    b = std::make_unique<Block>();
    b->instructions.assign(block.instructions.begin() + first, block.instructions.end());
  }
  return *b;
}

void Selection::pass(const Block &block, int first, int end, std::span<const Access> accesses) {
  if (first >= end) return;
  passed_ += end - first;
  if (first == 0 && (accesses.empty() || accesses.back().instruction < end)) {
    to_.onBlock(block, end, accesses);
    return;
  }
  accesses_.clear();
  for (Access a : accesses) {
    if (a.instruction < first || a.instruction >= end) continue;
    a.instruction = static_cast<std::uint16_t>(a.instruction - first);
    accesses_.push_back(a);
  }
  to_.onBlock(rest(block, first), end - first, accesses_);
}

void Selection::onBlock(const Block &block, int count, std::span<const Access> accesses) {
  if (isWhole_) {
    passed_ += count;
    to_.onBlock(block, count, accesses);
    return;
  }
  if (isOver_) return;
  int first = 0;
  if (part_.start) {
    while (first < count && !comes(part_.start, block.instructions[static_cast<std::size_t>(first)].address)) ++first;
    if (part_.start) return;
  }
  int end = count;
  if (part_.stop) {
    for (end = first; end < count; ++end)
      if (comes(part_.stop, block.instructions[static_cast<std::size_t>(end)].address)) break;
    isOver_ = !part_.stop;
  }
  const auto skipped = static_cast<int>(std::min<std::int64_t>(part_.skip, end - first));
  part_.skip -= skipped;
  first += skipped;
  const std::int64_t room = part_.most - passed_;
  if (end - first >= room) {
    end = first + static_cast<int>(room);
    isOver_ = true;
  }
  pass(block, first, end, accesses);
}

}  // namespace pimento::trace
