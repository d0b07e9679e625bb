// The mappings a search looks at, one after the other in a fixed order: the mapping space, each mapping with every loop
// order that the problem names.
#pragma once

#include <optional>
#include <string>

#include "pimento/tune/problem.h"

namespace pimento::tune {

class Candidates {
 public:
  /// `problem` must outlive it.
  explicit Candidates(const Problem &problem);

  /// The next one, as printed text; nothing when all were given.
  std::optional<std::string> next();

 private:
  const Problem &problem_;
  std::vector<mapping::Mapping> own_;  // of the target, where it has its own that are wanted; in place of space_
  std::size_t nextOwn_ = 0;
  mapping::MappingSpace space_;
  mapping::Mapping current_;
  std::size_t order_;  // of the next candidate; orders.size(): take the next mapping
};

}  // namespace pimento::tune
