// Texts that are C and C++: the front end reads what the host's compiler builds, and both compute the same.
#pragma once

#include <string>
#include <utility>

#include "test/unit/frontend/c_support.h"

namespace pimento::frontend {

constexpr int kSize = 7;

/// The function's text, and the function.
#define SAME_TEXT(name, ...) \
  __VA_ARGS__                \
  constexpr const char *name##Text = "enum { kSize = 7 };\n" #__VA_ARGS__;

template <typename... Arrays, std::size_t... N>
void call(void (*f)(Arrays *...), const HostArrays &arrays, const char *names, std::index_sequence<N...> /*of*/) {
  f(static_cast<Arrays *>(arrays.at(std::string(1, names[N])))...);
}

/// `names`: the parameters, of one letter each.
template <typename... Arrays>
void expectSame(const char *text, const char *names, void (*f)(Arrays *...)) {
  SCOPED_TRACE(text);
  const kernel::Graph graph = importGoodC(text);
  expectSameAsHost(
      graph, [&](const HostArrays &arrays) { call(f, arrays, names, std::make_index_sequence<sizeof...(Arrays)>()); },
      {}, Unwritten::kCounts);
}

}  // namespace pimento::frontend
