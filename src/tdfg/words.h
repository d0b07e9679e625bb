// Words of the language that the printer writes and the reader takes. Internal to the room.
#pragma once

#include <array>
#include <string_view>

namespace pimento::tdfg {

// By the number of an enumerator.
inline constexpr std::array<std::string_view, 4> kRoleWords{"input", "output", "inout", "temporary"};
inline constexpr std::array<std::string_view, 3> kStreamFormWords{"affine", "indirect", "select"};
inline constexpr std::array<std::string_view, 3> kDimWords{"parallel", "reduction", "sequential"};
inline constexpr std::array<std::string_view, 5> kStepWords{"node", "copy", "spill", "refill", "store"};

/// Whether a bare word is a stream's value: "v12".
inline bool isValueWord(std::string_view word) {
  return word.size() > 1 && word[0] == 'v' && word.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace pimento::tdfg
