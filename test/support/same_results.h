// Two graphs on the same data: every bit of what they compute is held against the other.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"

namespace pimento::test {

/// Results of both graphs on the same inputs, by position: names may differ, and so may types of one width.
inline void expectSameResults(const kernel::Graph &a, const kernel::Graph &b, const std::string &text) {
  const kernel::DataSet given = kernel::makeData(a, {});
  kernel::DataSet left = given, right = kernel::makeData(b, {});
  std::vector<std::size_t> from, to;
  for (std::size_t t = 0; t < a.tensors.size(); ++t)
    if (a.tensors[t].role != kernel::Role::kTemporary) from.push_back(t);
  for (std::size_t t = 0; t < b.tensors.size(); ++t)
    if (b.tensors[t].role != kernel::Role::kTemporary) to.push_back(t);
  ASSERT_EQ(from.size(), to.size()) << text;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool isGiven = a.tensors[from[i]].role == kernel::Role::kInput || a.tensors[from[i]].role == kernel::Role::kInOut;
    if (isGiven && right[to[i]].bytes.size() == given[from[i]].bytes.size()) right[to[i]].bytes = given[from[i]].bytes;
  }
  ASSERT_TRUE(kernel::interpret(a, left).ok());
  ASSERT_TRUE(kernel::interpret(b, right).ok());
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(left[from[i]].bytes, right[to[i]].bytes) << kernel::print(a) << kernel::print(b) << text;
  }
}

}  // namespace pimento::test
