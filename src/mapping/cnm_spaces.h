// Parses the statements of a CNM kernel that say how it is spread: spaces with their loops, and what the mapping
// notation calls extensions. Internal to the room.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pimento/mapping/cnm.h"
#include "pimento/mapping/cnm_text.h"

namespace pimento::mapping {

class CnmSpaces {
 public:
  /// `module` has the target and its levels; `kernel` gets its induction variables before the first statement here.
  CnmSpaces(CnmText &text, const CnmModule &module, const kernel::Kernel &kernel)
      : text_(text), module_(module), kernel_(kernel) {}

  /// First words of the statements.
  static const std::vector<std::string> &words();
  /// The rest of the statement that `word` begins. False: it has a mistake, and the line is to be left. Nothing: a
  /// block that was left open.
  std::optional<bool> statement(const std::string &word, const Location &where);
  /// What all of them say, nothing if there was none.
  std::optional<MapSpec> take();

 private:
  bool remember(const std::string &key, const Location &where);
  bool mappingStatement(const Location &where);
  bool order();
  bool cyclic(const Location &where);
  bool choice(const std::string &statement);
  std::optional<bool> space(const Location &where);
  bool spaceHeader(Subspace &into);
  bool loop(Subspace &into, std::vector<bool> &hasLoop);
  bool loopLevels(Subspace &into, std::size_t d);
  bool factor(Subspace &into, std::size_t row, std::size_t d, std::string_view what);
  bool finish(const Subspace &space, const std::vector<bool> &hasLoop);
  bool level(std::size_t &into);
  bool induction(std::size_t &into);

  CnmText &text_;
  const CnmModule &module_;
  const kernel::Kernel &kernel_;
  Mapping mapping_;
  std::optional<MapSpec> stated_;  ///< by `mapping`
  Location statedWhere_, firstWhere_;
  bool isAny_ = false;
};

}  // namespace pimento::mapping
