// The mappings that searches look at, one after the other in a fixed order: what the target proposes, its best guesses
// first, and where it leaves the rest open, those of mapping::MappingSpace with each of its alternatives. All have what
// the user asked for besides.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "pimento/evaluate/target.h"
#include "pimento/mapping/mapping.h"

namespace pimento::evaluate {

class Proposals {
 public:
  /// What the arguments name must outlive it. `chunks`: of MappingSpace.
  Proposals(const Target &target, const GraphPart &part, const machine::Machine &machine, const mapping::MapSpec &spec,
            const Tools &tools, const mapping::MappingSpace::Chunks &chunks = {});

  /// The next one, whose text need not be its own (mapping::print); nothing when all were given.
  std::optional<mapping::Mapping> next();
  /// Whether MappingSpace follows.
  bool isOpen() const { return own_.empty() || !alternatives_.empty(); }
  /// Whether the target proposes mappings of its own.
  bool areOwn() const { return !own_.empty() || !alternatives_.empty(); }

 private:
  std::optional<mapping::Mapping> nextOfSpace();

  const mapping::MapSpec &spec_;
  std::vector<mapping::Mapping> own_;
  std::vector<Parameters> alternatives_;
  mapping::MappingSpace space_;
  std::optional<mapping::Mapping> current_;  // of the space
  std::size_t nextOwn_ = 0, nextAlternative_ = 0;
};

}  // namespace pimento::evaluate
