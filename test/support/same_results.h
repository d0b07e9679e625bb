// Two graphs on the same data: every bit of what they compute is held against the other.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"

namespace pimento::test {

/// Results of both graphs on the same inputs. Types of one width may differ, and names, if there are as many; of `a`,
/// inputs that nothing depends on may be missing in `b`.
inline void expectSameResults(const kernel::Graph &a, const kernel::Graph &b, const std::string &text) {
  const kernel::DataSet given = kernel::makeData(a, {});
  kernel::DataSet left = given, right = kernel::makeData(b, {});
  std::vector<std::size_t> from, to;
  for (std::size_t t = 0; t < a.tensors.size(); ++t)
    if (a.tensors[t].role != kernel::Role::kTemporary) from.push_back(t);
  for (std::size_t t = 0; t < b.tensors.size(); ++t)
    if (b.tensors[t].role != kernel::Role::kTemporary) to.push_back(t);
  if (to.size() < from.size()) {
    std::set<std::string> names;
    for (const std::size_t t : to) names.insert(b.tensors[t].name);
    std::erase_if(from, [&](std::size_t t) {
      return a.tensors[t].role == kernel::Role::kInput && !names.contains(a.tensors[t].name);
    });
  }
  ASSERT_EQ(from.size(), to.size()) << text;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool isGiven =
        a.tensors[from[i]].role == kernel::Role::kInput || a.tensors[from[i]].role == kernel::Role::kInOut;
    if (isGiven && right[to[i]].bytes.size() == given[from[i]].bytes.size()) right[to[i]].bytes = given[from[i]].bytes;
  }
  const Status done = kernel::interpret(a, left), again = kernel::interpret(b, right);
  ASSERT_EQ(done.ok(), again.ok()) << (done.ok() ? again : done).diagnostics().front().str() << text;
  if (!done.ok()) return;  // an index from data of these sizes lies outside
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(left[from[i]].bytes, right[to[i]].bytes) << kernel::print(a) << kernel::print(b) << text;
  }
}

}  // namespace pimento::test
