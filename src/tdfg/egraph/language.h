// Operators of an e-graph: a name and a number of arguments. Literals are operators without arguments, one for each
// value. What they mean is their users' business.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pimento::tdfg::egraph {

using Op = std::uint32_t;

class Language {
 public:
  /// Arguments of an operator.
  static constexpr int kMostArguments = 15;

  /// The operator of this name and arity, which is made if it is new.
  Op intern(std::string_view name, int arity);
  const std::string &name(Op op) const { return operators_[op].name; }
  int arity(Op op) const { return operators_[op].arity; }
  std::size_t size() const { return operators_.size(); }

 private:
  struct Operator {
    std::string name;
    int arity;
  };
  std::deque<Operator> operators_;
  std::unordered_map<std::string, Op> byName_;
};

}  // namespace pimento::tdfg::egraph
