// Text from a pattern whose parts are computed in the order they stand in.
//
// C++ leaves open in which order the arguments of a function are computed, and compilers differ. A generator that draws
// the parts of a text from Choices must not: elements in braces are computed from left to right.
#pragma once

#include <fmt/args.h>
#include <fmt/format.h>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace pimento::test {

struct Part {
  Part(std::string t) : text(std::move(t)) {}
  Part(std::string_view t) : text(t) {}
  Part(const char *t) : text(t) {}
  template <std::integral Number>
  Part(Number number) : text(fmt::format("{}", number)) {}

  std::string text;
};

/// As fmt::format, with {} and {0} alone.
inline std::string filled(std::string_view pattern, std::initializer_list<Part> parts) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const Part &part : parts) arguments.push_back(std::string_view(part.text));
  return fmt::vformat(pattern, arguments);
}

}  // namespace pimento::test
