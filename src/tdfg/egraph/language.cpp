#include "pimento/tdfg/egraph/language.h"

#include "pimento/base/diagnostics.h"

namespace pimento::tdfg::egraph {

Op Language::intern(std::string_view name, int arity) {
  PIMENTO_CHECK(arity >= 0 && arity <= kMostArguments);
  std::string key(name);
  key += '/';
  key += std::to_string(arity);
  const auto [at, isNew] = byName_.try_emplace(std::move(key), static_cast<Op>(operators_.size()));
  if (isNew) operators_.push_back({std::string(name), arity});
  return at->second;
}

}  // namespace pimento::tdfg::egraph
