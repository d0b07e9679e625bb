// Conditions: which words an instruction form accepts, and the code that the word has in its condition field.
//
// A family is what one group of operations can test. Written from the public description of the ISA.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/dpu/instruction.h"

namespace pimento::dpu {

struct ConditionWord {
  std::string_view word;  ///< lower case
  Condition condition = Condition::kFalse;
  std::uint8_t code = 0;
};

struct ConditionFamily {
  std::string_view name;
  std::vector<ConditionWord> words;  ///< of two with the same code the first is printed

  /// Null where the family has no such code.
  const ConditionWord *withCode(unsigned code) const;
  /// Upper case, a leading `?` or `!`, `t` for true and `nsz` for snz are accepted. Null: not in this family.
  const ConditionWord *withText(std::string_view text) const;
};

/// All families; a family's name is that of the facts it was written from ("logic", "sub_set_ext").
const std::vector<ConditionFamily> &conditionFamilies();

/// Null where there is no family of this name.
const ConditionFamily *conditionFamily(std::string_view name);

/// The word of a condition in the widest family that has it.
std::string_view conditionName(Condition condition);

/// Conditions whose meaning is not established: small, large.
bool isEstablished(Condition condition);

}  // namespace pimento::dpu
