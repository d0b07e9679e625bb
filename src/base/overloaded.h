// One function object out of several, for std::visit: each alternative of a variant gets a lambda of its own.
#pragma once

namespace pimento {

template <typename... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace pimento
