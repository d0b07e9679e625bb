#include "pimento/targets/upmem/compiled/accesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/data_bounds.h"

namespace pimento::targets::upmem::compiled {

using kernel::Op;

namespace {

constexpr std::int64_t kPair = 8;
constexpr int kMostUnrolled = 8;

}  // namespace

Accesses::Accesses(const Context &context)
    : c_(context), scheme_(context.scheme), kernel_(context.scheme.kernel()), inner_(context.scheme.inner()) {
  choose();
  for (const kernel::Affine &g : kernel_.guards) guardsInner_ |= inner_ >= 0 && depthOf(g) == depthOfInner();
  unroll_ = unrolling();
}

// ---- What is used ----

void Accesses::choose() {
  wanted_.assign(kernel_.body.size(), false);
  const auto want = [&](int v) {
    if (v >= 0) wanted_[static_cast<std::size_t>(v)] = true;
  };
  for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
    if (!c_.stores[s] || (scheme_.isRowwise && s > 0)) continue;
    want(kernel_.stores[s].value);
    want(kernel_.stores[s].target.indirectIndex);
    if (operand(scheme_.stores[s]).use == Use::kSelected) selected_ = &operand(scheme_.stores[s]);
  }
  want(kernel_.predicate);
  const auto accessOf = [&](const kernel::Value &load) -> const kernel::Access & {
    return kernel_.loads[static_cast<std::size_t>(load.access)];
  };
  for (std::size_t v = kernel_.body.size(); v-- > 0;) {
    if (wanted_[v] && kernel_.body[v].op == Op::kLoad) want(accessOf(kernel_.body[v]).indirectIndex);
    for (int a = 0; wanted_[v] && a < kernel::argumentCount(kernel_.body[v].op); ++a)
      want(kernel_.body[v].args[static_cast<std::size_t>(a)]);
  }
  touched_.assign(scheme_.operands.size(), false);
  for (std::size_t v = 0; v < kernel_.body.size(); ++v)
    if (wanted_[v] && kernel_.body[v].op == Op::kLoad)
      touched_[static_cast<std::size_t>(scheme_.loads[static_cast<std::size_t>(kernel_.body[v].access)].operand)] =
          true;
  for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
    if (c_.stores[s]) touched_[static_cast<std::size_t>(scheme_.stores[s].operand)] = true;
  for (const kernel::DataBounds &b : kernel_.bounds)
    for (const int v : kernel::valuesBelow(kernel_, b)) {
      const kernel::Value &value = kernel_.body[static_cast<std::size_t>(v)];
      if (value.op != Op::kLoad) continue;
      touched_[static_cast<std::size_t>(scheme_.loads[static_cast<std::size_t>(value.access)].operand)] = true;
    }
}

int Accesses::depthOf(const kernel::Affine &g) const {
  int depth = -1;
  for (std::size_t n = 0; n < scheme_.nest.size(); ++n)
    if (g.coefficients[static_cast<std::size_t>(scheme_.nest[n])] != 0) depth = static_cast<int>(n);
  return depth;
}

// What is short costs a loop's overhead most.
int Accesses::unrolling() const {
  if (inner_ < 0 || guardsInner_ || scheme_.isBounded(inner_)) return 1;
  int size = 0;
  for (std::size_t v = 0; v < kernel_.body.size(); ++v) {
    if (!wanted_[v]) continue;
    const kernel::Value &value = kernel_.body[v];
    const bool isCall = (isFloat(value.type) || value.op == Op::kDiv || value.op == Op::kRem) &&
                        value.op != Op::kLoad && value.op != Op::kConstant;
    size += isCall ? 6 : sizeOf(value.type).value == 8 ? 2 : 1;
  }
  for (const Operand &o : scheme_.operands) {
    if (o.isInMram) return 1;
    if (o.use == Use::kInPlace && o.involves(inner_)) return 1;
  }
  constexpr int kShort = 7, kLong = 14, kLonger = 28;
  return size <= kShort ? kMostUnrolled : size <= kLong ? 4 : size <= kLonger ? 2 : 1;
}

// ---- Addresses ----

std::optional<std::int64_t> Accesses::fixedStride(const Operand &o, int d) const {
  std::int64_t stride = 0;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const std::int64_t c = o.positions[p].coefficient[static_cast<std::size_t>(d)];
    if (c == 0) continue;
    if (p + 1 != o.positions.size()) return std::nullopt;
    stride += c;
  }
  return stride;
}

std::string Accesses::stride(const Operand &o, int d) const {
  std::string sum;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const std::int64_t c = o.positions[p].coefficient[static_cast<std::size_t>(d)];
    if (c == 0) continue;
    sum += fmt::format("{}{} * (int32_t){}", sum.empty() ? "" : " + ", c, c_.wramPitch(o, p));
  }
  return sum;
}

std::string Accesses::moved(const Operand &o, const std::string &pointer, const std::string &bytes) {
  return fmt::format("({})((uint8_t *){} + {})", pointerType(o), pointer, bytes);
}

std::string Accesses::offset(const Reference &r) const {
  const Operand &o = operand(r);
  std::string sum;
  for (std::size_t p = 0; p + 1 < o.positions.size(); ++p)
    if (r.delta[p] != 0) sum += fmt::format(" + {} * ({} / {})", r.delta[p], c_.wramPitch(o, p), o.size());
  return sum;
}

std::string Accesses::place(const Reference &r, int u) const {
  const Operand &o = operand(r);
  const bool moves = inner_ >= 0 && !isFixed(o);
  std::int64_t at = lastDelta(r);
  if (moves)
    if (const auto fixed = fixedStride(o, inner_)) at += u * *fixed;
  return fmt::format("{}_{}[{}{}]", moves ? "q" : "p", o.name, at, offset(r));
}

// ---- Registers and pairs ----

bool Accesses::isInRegister(std::size_t number) const {
  const Operand &o = scheme_.operands[number];
  if (!touched_[number] || o.isShared() || o.isInMram || o.use == Use::kSelected || o.use == Use::kTable || !isFixed(o))
    return false;
  const Reference *first = nullptr;
  const auto isSame = [&](const Reference &r) {
    if (r.operand != static_cast<int>(number)) return true;
    if (first == nullptr) first = &r;
    return r.delta == first->delta;
  };
  return std::all_of(scheme_.loads.begin(), scheme_.loads.end(), isSame) &&
         std::all_of(scheme_.stores.begin(), scheme_.stores.end(), isSame);
}

bool Accesses::isPaired(const Operand &o, std::int64_t delta) const {
  if (unroll_ < 2 || o.size() * 2 != kPair || !o.isAligned || o.isInMram || delta % 2 != 0 || isFixed(o)) return false;
  if (o.use != Use::kInput && o.use != Use::kWrite && o.use != Use::kPartial) return false;
  for (const int d : scheme_.nest)
    if (d != inner_ && o.positions.back().involves(d)) return false;
  return fixedStride(o, inner_) == 1;
}

bool Accesses::isStoredInPairs(std::size_t s) const {
  const Reference &r = scheme_.stores[s];
  const Operand &o = operand(r);
  return isPaired(o, lastDelta(r)) && (o.use == Use::kWrite || startsFromIdentity(o));
}

const Reference *Accesses::storeOf(std::size_t number) const {
  const int s = scheme_.operands[number].store;
  return s < 0 ? nullptr : &scheme_.stores[static_cast<std::size_t>(s)];
}

bool Accesses::startsFromIdentity(const Operand &o) const {
  return o.use == Use::kPartial && !scheme_.isScan && !needsFill(scheme_, o);
}

}  // namespace pimento::targets::upmem::compiled
