// "Did you mean ...?": the nearest legal spelling of a name the user got wrong.
//
// Not a search: names are short and lists are small. Distance: optimal string alignment (Damerau 1964, Levenshtein
// 1966), case ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pimento {

/// The choice nearest to `word` if it is near enough to be a slip (at most a third of the letters, at least one);
/// empty otherwise. Ties go to the earlier choice.
std::string nearest(std::string_view word, const std::vector<std::string> &choices);

/// A hint: "did you mean 'X'? choices: a, b, c" (the first half only where something is near).
std::string suggest(std::string_view word, const std::vector<std::string> &choices);

}  // namespace pimento
