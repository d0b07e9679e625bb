// Terms: operators on terms, equal ones being one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "pimento/tdfg/egraph/language.h"

namespace pimento::tdfg::egraph {

using Term = std::uint32_t;
inline constexpr Term kNoTerm = ~Term{0};

class Terms {
 public:
  /// The term, and whether it is new.
  std::pair<Term, bool> add(Op op, std::span<const Term> arguments);
  Op op(Term t) const { return records_[t].op; }
  std::span<const Term> arguments(Term t) const { return {arguments_.data() + records_[t].first, records_[t].count}; }
  std::size_t size() const { return records_.size(); }
  /// "(+ a (* b c))".
  std::string text(Term t, const Language &language) const;

 private:
  struct Record {
    Op op;
    std::uint32_t first, count;
  };
  std::vector<Record> records_;
  std::vector<Term> arguments_;
  std::unordered_multimap<std::uint64_t, Term> byContent_;
};

}  // namespace pimento::tdfg::egraph
