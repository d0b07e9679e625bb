#include "pimento/sim/sram/writer.h"

#include <algorithm>
#include <utility>

namespace pimento::sim::sram {

namespace {

Row at(const Bits &bits, std::size_t i) {
  return i < bits.size() ? bits[i] : Row{};
}

}  // namespace

Bits slice(const Bits &bits, std::size_t first, std::size_t count) {
  const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(first);
  return Bits(begin, begin + static_cast<std::ptrdiff_t>(count));
}

Bits joined(const Bits &low, const Bits &high) {
  Bits all = low;
  all.insert(all.end(), high.begin(), high.end());
  return all;
}

Bits Writer::place(Place place, int bits) {
  Bits all;
  for (int i = 0; i < bits; ++i) all.push_back({place, static_cast<std::int16_t>(i)});
  return all;
}

Row Writer::row() {
  if (free_.empty()) return {Place::kScratch, static_cast<std::int16_t>(program_.scratchRows++)};
  const Row r = free_.back();
  free_.pop_back();
  return r;
}

Bits Writer::rows(std::size_t count) {
  Bits all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(row());
  return all;
}

void Writer::release(const Bits &bits) {
  free_.insert(free_.end(), bits.rbegin(), bits.rend());
}

void Writer::write(Sense sense, Row dest, Row a, Row b) {
  put({.sense = sense, .a = a, .b = b, .dest = dest});
}

void Writer::writeTagged(Sense sense, Row dest, Row a, Row b) {
  put({.sense = sense, .isTagged = true, .a = a, .b = b, .dest = dest});
}

void Writer::loadTag(Sense sense, Row a, Row b) {
  put({.sense = sense, .tag = TagUpdate::kLoad, .a = a, .b = b, .dest = {}});
}

void Writer::loadCarry(Sense sense, Row a, Row b) {
  put({.sense = sense, .carry = CarryUpdate::kLoad, .a = a, .b = b, .dest = {}});
}

void Writer::clearCarry() {
  // In the cycle before, if that one leaves the carry alone and does not read it.
  MicroOp *last = program_.ops.empty() ? nullptr : &program_.ops.back();
  if (last != nullptr && last->tag == TagUpdate::kLoad && last->carry == CarryUpdate::kHold) {
    last->carry = CarryUpdate::kClear;
    return;
  }
  put({.carry = CarryUpdate::kClear, .a = {}, .b = {}, .dest = {}});
}

void Writer::setCarry() {
  put({.carry = CarryUpdate::kSet, .a = {}, .b = {}, .dest = {}});
}

void Writer::copy(const Bits &dest, const Bits &from) {
  for (std::size_t i = 0; i < dest.size(); ++i) write(Sense::kA, dest[i], at(from, i));
}

void Writer::copyTagged(const Bits &dest, const Bits &from) {
  for (std::size_t i = 0; i < dest.size(); ++i) writeTagged(Sense::kA, dest[i], at(from, i));
}

void Writer::invert(const Bits &dest, const Bits &from) {
  for (std::size_t i = 0; i < dest.size(); ++i) write(Sense::kNotA, dest[i], at(from, i));
}

void Writer::clear(const Bits &dest) {
  for (const Row r : dest) write(Sense::kZero, r);
}

void Writer::clearTagged(const Bits &dest) {
  for (const Row r : dest) writeTagged(Sense::kZero, r);
}

void Writer::fillTagged(const Bits &dest) {
  for (const Row r : dest) writeTagged(Sense::kOne, r);
}

void Writer::logic(Sense sense, const Bits &dest, const Bits &a, const Bits &b) {
  for (std::size_t i = 0; i < dest.size(); ++i) write(sense, dest[i], at(a, i), at(b, i));
}

void Writer::logic(Sense sense, const Bits &dest, const Bits &a, Row b) {
  for (std::size_t i = 0; i < dest.size(); ++i) write(sense, dest[i], at(a, i), b);
}

void Writer::chain(Sense sense, const Bits &dest, const Bits &a, const Bits &b, bool isTagged) {
  for (std::size_t i = 0; i < dest.size(); ++i)
    put({.sense = sense,
         .carry = CarryUpdate::kMajority,
         .isTagged = isTagged,
         .a = at(a, i),
         .b = at(b, i),
         .dest = dest[i]});
}

void Writer::add(const Bits &dest, const Bits &a, const Bits &b) {
  chain(Sense::kSum, dest, a, b, false);
}

void Writer::addTagged(const Bits &dest, const Bits &a, const Bits &b) {
  chain(Sense::kSum, dest, a, b, true);
}

void Writer::addInverted(const Bits &dest, const Bits &a, const Bits &b) {
  chain(Sense::kNotSum, dest, a, b, false);
}

void Writer::addInvertedTagged(const Bits &dest, const Bits &a, const Bits &b) {
  chain(Sense::kNotSum, dest, a, b, true);
}

void Writer::carryOf(const Bits &a, const Bits &b) {
  chain(Sense::kZero, Bits(std::max(a.size(), b.size())), a, b, false);
}

Bits Writer::constant(std::uint64_t value, std::size_t bits) {
  Bits all(bits);
  for (std::size_t i = 0; i < bits; ++i) {
    if (i >= 64 || ((value >> i) & 1) == 0) continue;
    if (ones_.isNone()) {
      ones_ = row();
      // The carry stays: the sum it is for comes next.
      write(Sense::kOne, ones_);
    }
    all[i] = ones_;
  }
  return all;
}

void Writer::addConstant(const Bits &dest, const Bits &a, std::uint64_t value) {
  add(dest, a, constant(value, dest.size()));
}

void Writer::addConstantTagged(const Bits &dest, const Bits &a, std::uint64_t value) {
  addTagged(dest, a, constant(value, dest.size()));
}

void Writer::subtract(const Bits &dest, const Bits &a, const Bits &b) {
  const Bits inverse = rows(dest.size());
  invert(inverse, a);
  clearCarry();
  addInverted(dest, inverse, b);
  release(inverse);
}

void Writer::less(const Bits &a, const Bits &b) {
  const Bits inverse = rows(std::max(a.size(), b.size()));
  invert(inverse, a);
  clearCarry();
  carryOf(inverse, b);
  release(inverse);
}

void Writer::orOf(Row dest, const Bits &bits) {
  if (bits.size() < 2) return write(Sense::kA, dest, at(bits, 0));
  write(Sense::kOr, dest, bits[0], bits[1]);
  for (std::size_t i = 2; i < bits.size(); ++i) write(Sense::kOr, dest, dest, bits[i]);
}

void Writer::andOf(Row dest, const Bits &bits) {
  if (bits.size() < 2) return write(Sense::kA, dest, at(bits, 0));
  write(Sense::kAnd, dest, bits[0], bits[1]);
  for (std::size_t i = 2; i < bits.size(); ++i) write(Sense::kAnd, dest, dest, bits[i]);
}

void Writer::shiftLeftTagged(const Bits &bits, std::size_t distance) {
  for (std::size_t i = bits.size(); i-- > 0;)
    writeTagged(Sense::kA, bits[i], i >= distance ? bits[i - distance] : Row{});
}

void Writer::shiftRightTagged(const Bits &bits, std::size_t distance, Row fill) {
  for (std::size_t i = 0; i < bits.size(); ++i)
    writeTagged(Sense::kA, bits[i], i + distance < bits.size() ? bits[i + distance] : fill);
}

void Writer::shiftRightSticky(const Bits &bits, const Bits &distance) {
  const std::size_t most = bits.size() - 1;  // by this and more, everything falls into bit 0
  std::size_t stage = 0;
  for (; stage < distance.size() && (std::size_t{1} << stage) < most; ++stage) {
    const std::size_t by = std::size_t{1} << stage;
    loadTag(Sense::kA, distance[stage]);
    for (std::size_t i = 1; i <= by; ++i) writeTagged(Sense::kOr, bits[0], bits[0], bits[i]);
    shiftRightTagged(slice(bits, 1, most), by);
  }
  if (stage == distance.size()) return;
  if (stage + 1 == distance.size()) {
    loadTag(Sense::kA, distance[stage]);
  } else {
    const Row isFar = row();
    orOf(isFar, slice(distance, stage, distance.size() - stage));
    loadTag(Sense::kA, isFar);
    release(isFar);
  }
  for (std::size_t i = 1; i <= most; ++i) writeTagged(Sense::kOr, bits[0], bits[0], bits[i]);
  clearTagged(slice(bits, 1, most));
}

MicroProgram Writer::take() {
  return std::exchange(program_, {});
}

}  // namespace pimento::sim::sram
