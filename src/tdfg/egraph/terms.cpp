#include "pimento/tdfg/egraph/terms.h"

#include <algorithm>

namespace pimento::tdfg::egraph {

std::pair<Term, bool> Terms::add(Op op, std::span<const Term> arguments) {
  std::uint64_t hash = (std::uint64_t{op} + 1) * 0x9E3779B97F4A7C15ULL;
  for (const Term a : arguments) hash = ((hash >> 29) ^ hash ^ a) * 0xBF58476D1CE4E5B9ULL;
  const auto [first, last] = byContent_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (this->op(at->second) == op && std::ranges::equal(this->arguments(at->second), arguments))
      return {at->second, false};
  const auto t = static_cast<Term>(records_.size());
  records_.push_back({op, static_cast<std::uint32_t>(arguments_.size()), static_cast<std::uint32_t>(arguments.size())});
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  byContent_.emplace(hash, t);
  return {t, true};
}

std::string Terms::text(Term t, const Language &language) const {
  const std::span<const Term> kids = arguments(t);
  if (kids.empty()) return language.name(op(t));
  std::string out = "(" + language.name(op(t));
  for (const Term kid : kids) out += " " + text(kid, language);
  return out + ")";
}

}  // namespace pimento::tdfg::egraph
