#include "pimento/targets/upmem/compiled/point.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/scalar.h"
#include "pimento/targets/upmem/compiled/mram_element.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;
using kernel::Op;

void Point::openPair(int u) {
  pairs_.clear();
  for (std::size_t l = 0; l < scheme_.loads.size(); ++l) {
    const Reference &r = scheme_.loads[l];
    const Operand &o = a_.operand(r);
    const bool isLoaded = std::any_of(kernel_.body.begin(), kernel_.body.end(), [&](const kernel::Value &v) {
      return v.op == Op::kLoad && v.access == static_cast<int>(l) &&
             a_.isWanted(static_cast<std::size_t>(&v - kernel_.body.data()));
    });
    if (!isLoaded || !a_.isPaired(o, Accesses::lastDelta(r))) continue;
    const std::string word = fmt::format("w{}_{}", l, u);
    pairs_[static_cast<int>(l)] = word;
    c_.lines.add("const uint64_t {} = *(const uint64_t *)(q_{} + {}{});", word, o.name, u + Accesses::lastDelta(r),
                 a_.offset(r));
  }
  for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
    if (c_.stores[s] && a_.isStoredInPairs(s)) c_.lines.add("uint32_t low_y{0}_{1}, high_y{0}_{1};", s, u);
}

void Point::closePair(int u) {
  for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
    if (!c_.stores[s] || !a_.isStoredInPairs(s)) continue;
    const Reference &r = scheme_.stores[s];
    c_.lines.add("*(uint64_t *)(q_{0} + {1}{2}) = (uint64_t)high_y{3}_{4} << 32 | low_y{3}_{4};", a_.operand(r).name,
                 u + Accesses::lastDelta(r), a_.offset(r), s, u);
  }
}

void Point::write(int u, int step) {
  for (std::size_t v = 0; v < kernel_.body.size(); ++v)
    if (a_.isWanted(v)) writeValue(v, u, step);
  const bool isLimited = kernel_.limit >= 0;
  if (kernel_.predicate >= 0)
    c_.lines.open("if (v{} != 0{}) {{", kernel_.predicate,
                  isLimited ? fmt::format(" && room_{} != 0", a_.selected()->name) : "");
  for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
    if (!c_.stores[s] || kernel_.stores[s].follows >= 0 || (scheme_.isRowwise && s > 0)) continue;
    if (scheme_.followersOf(static_cast<int>(s)).empty())
      writeStore(s, u, step);
    else
      writeExtreme(s, u);
  }
  if (isLimited) c_.lines.add("--room_{};", a_.selected()->name);
  if (kernel_.predicate >= 0) c_.lines.close();
}

std::string Point::loaded(std::size_t v, int u, int step) {
  const kernel::Value &value = kernel_.body[v];
  const Reference &r = scheme_.loads[static_cast<std::size_t>(value.access)];
  const Operand &o = a_.operand(r);
  if (o.isInMram) {
    fetchElement(c_, accessOf(value), r, fmt::format("_{}", v));
    return c_.helpers.fromMemory(o.type, fmt::format("*e_{}", v));
  }
  if (a_.isInRegister(static_cast<std::size_t>(r.operand))) return "a_" + o.name;
  const auto pair = pairs_.find(value.access);
  if (step == 2 && pair != pairs_.end())
    return c_.helpers.fromWord(
        o.type, fmt::format("(uint32_t){}", u % 2 == 0 ? pair->second : fmt::format("({} >> 32)", pair->second)));
  return c_.helpers.fromMemory(o.type, a_.place(r, u));
}

void Point::writeValue(std::size_t v, int u, int step) {
  const kernel::Value &value = kernel_.body[v];
  std::string text;
  if (value.op == Op::kLoad) {
    text = loaded(v, u, step);
  } else if (value.op == Op::kIndex) {
    const std::string wide = sizeOf(value.type).value == 8 ? "(int64_t)" : "";
    text =
        fmt::format("({})({}({}){})", valueType(value.type), wide, c_.coordinate(static_cast<std::size_t>(value.dim)),
                    value.dim == a_.inner() && u > 0 ? fmt::format(" + {}", u) : "");
  } else {
    text = c_.helpers.computed(kernel_, value);
  }
  c_.lines.add("const {} v{} = {};", valueType(value.type), v, text);
}

void Point::writeStore(std::size_t s, int u, int step) {
  const kernel::Store &st = kernel_.stores[s];
  const Reference &r = scheme_.stores[s];
  const Operand &o = a_.operand(r);
  const std::string x = c_.helpers.convert(typeOf(st.value), o.type, fmt::format("v{}", st.value));
  const bool isSum = o.use != Use::kWrite && st.combine != Combine::kAssign;
  const auto summed = [&](const std::string &old) {
    c_.lines.add("const {} y{} = {};", valueType(o.type), s, x);
    return c_.helpers.operation(kernel::opOf(st.combine), o.type, old, fmt::format("y{}", s));
  };
  if (o.use == Use::kSelected) {
    c_.lines.add("*k_{}++ = {};", o.name, c_.helpers.toMemory(o.type, x));
  } else if (o.use == Use::kTable || o.isInMram) {
    writeTable(s, x);
  } else if (a_.isInRegister(static_cast<std::size_t>(r.operand))) {
    c_.lines.add("a_{} = {};", o.name, isSum ? summed("a_" + o.name) : x);
  } else if (step == 2 && a_.isStoredInPairs(s)) {
    const std::string y = o.use == Use::kPartial ? summed(a_.identity(o)) : x;
    c_.lines.add("{}_y{}_{} = {};", u % 2 == 0 ? "low" : "high", s, u - u % 2,
                 c_.helpers.toWord(o.type, fmt::format("({})", y)));
  } else {
    const std::string to = a_.place(r, u);
    std::string y = x;
    if (isSum && a_.startsFromIdentity(o)) y = summed(a_.identity(o));
    if (isSum && !a_.startsFromIdentity(o)) {
      c_.lines.add("const {} o{} = {};", valueType(o.type), s, c_.helpers.fromMemory(o.type, to));
      y = summed(fmt::format("o{}", s));
    }
    c_.lines.add("{} = {};", to, c_.helpers.toMemory(o.type, y));
  }
}

/// A minimum or maximum by comparison, with what follows it.
void Point::writeExtreme(std::size_t s, int u) {
  const kernel::Store &st = kernel_.stores[s];
  const auto converted = [&](std::size_t store) {
    const int value = kernel_.stores[store].value;
    return c_.helpers.convert(typeOf(value), a_.operand(scheme_.stores[store]).type, fmt::format("v{}", value));
  };
  const std::string type = valueType(a_.operand(scheme_.stores[s]).type);
  c_.lines.add("const {} y{} = {};", type, s, converted(s));
  c_.lines.add("const {} o{} = {};", type, s, held(s, u));
  c_.lines.open("if (y{0} {1} o{0}) {{", s, st.combine == Combine::kMin ? "<" : ">");
  put(s, u, fmt::format("y{}", s));
  for (const int f : scheme_.followersOf(static_cast<int>(s))) {
    const auto follower = static_cast<std::size_t>(f);
    const Reference &r = scheme_.stores[follower];
    if (a_.operand(r).isInMram) fetchElement(c_, kernel_.stores[follower].target, r, std::to_string(f));
    put(follower, u, converted(follower));
  }
  c_.lines.close();
}

/// What the element of a store holds.
std::string Point::held(std::size_t s, int u) {
  const Reference &r = scheme_.stores[s];
  const Operand &o = a_.operand(r);
  if (a_.isInRegister(static_cast<std::size_t>(r.operand))) return "a_" + o.name;
  if (!o.isInMram) return c_.helpers.fromMemory(o.type, a_.place(r, u));
  fetchElement(c_, kernel_.stores[s].target, r, std::to_string(s));
  return c_.helpers.fromMemory(o.type, fmt::format("*e{}", s));
}

/// Assigns to it; where it lies in MRAM, once it has been fetched.
void Point::put(std::size_t s, int u, const std::string &x) {
  const Reference &r = scheme_.stores[s];
  const Operand &o = a_.operand(r);
  if (a_.isInRegister(static_cast<std::size_t>(r.operand))) return c_.lines.add("a_{} = {};", o.name, x);
  c_.lines.add("{} = {};", o.isInMram ? fmt::format("*e{}", s) : a_.place(r, u), c_.helpers.toMemory(o.type, x));
  if (o.isInMram) c_.lines.add("mram_write(b_{}, u{}, 8);", o.name, s);
}

/// An element chosen by a value, or of a tensor that is updated anywhere.
void Point::writeTable(std::size_t s, const std::string &x) {
  const kernel::Store &st = kernel_.stores[s];
  const Operand &o = a_.operand(scheme_.stores[s]);
  const std::string type = valueType(o.type);
  const auto next = [&](const std::string &old) {
    c_.lines.add("const {} y{} = {};", type, s, x);
    if (st.combine == Combine::kAssign) return fmt::format("y{}", s);
    c_.lines.add("const {} o{} = {};", type, s, c_.helpers.fromMemory(o.type, old));
    return c_.helpers.operation(kernel::opOf(st.combine), o.type, fmt::format("o{}", s), fmt::format("y{}", s));
  };
  if (!o.isInMram) {
    c_.lines.add("{} *e{} = &{};", memoryType(o.type), s, chosen(s));
    const std::string y = next(fmt::format("*e{}", s));
    c_.lines.add("*e{} = {};", s, c_.helpers.toMemory(o.type, y));
    return;
  }
  // A whole transfer there and back: no other tasklet has this array.
  fetchElement(c_, st.target, scheme_.stores[s], std::to_string(s));
  const std::string y = next(fmt::format("*e{}", s));
  c_.lines.add("*e{} = {};", s, c_.helpers.toMemory(o.type, y));
  c_.lines.add("mram_write(b_{}, u{}, 8);", o.name, s);
}

/// The element of a table in WRAM.
std::string Point::chosen(std::size_t s) const {
  const Reference &r = scheme_.stores[s];
  const Operand &o = a_.operand(r);
  const bool moves = a_.inner() >= 0 && !a_.isFixed(o);
  std::string at = fmt::format("v{}", kernel_.stores[s].target.indirectIndex);
  for (std::size_t p = 0; p + 1 < o.positions.size(); ++p)
    if (o.positions[p].isWhole) at += fmt::format(" * ({} / {})", c_.wramPitch(o, p), o.size());
  return fmt::format("{}_{}[{}{}]", moves ? "q" : "p", o.name, at, a_.offset(r));
}

}  // namespace pimento::targets::upmem::compiled
