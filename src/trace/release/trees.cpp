#include "pimento/trace/release/trees.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

namespace pimento::trace::release {

namespace {

constexpr std::int64_t kNone = -1;

/// Last writers of both sources of every record, before the record's own destination is written.
std::vector<std::array<std::int64_t, 2>> childrenOf(const std::vector<Record> &records) {
  std::vector<std::array<std::int64_t, 2>> children;
  children.reserve(records.size());
  std::unordered_map<std::string, std::int64_t> writer;
  for (const Record &r : records) {
    std::array<std::int64_t, 2> of = {kNone, kNone};
    for (std::size_t s = 0; s < of.size(); ++s)
      if (const auto found = writer.find(r.sources[s]); !r.sources[s].empty() && found != writer.end())
        of[s] = found->second;
    children.push_back(of);
    if (!r.destination.empty()) writer[r.destination] = static_cast<std::int64_t>(children.size()) - 1;
  }
  return children;
}

/// A node of a walk in post-order, and which child is next.
struct Step {
  std::int64_t record;
  std::size_t next = 0;
};

}  // namespace

std::vector<Tree> growTrees(const std::vector<Record> &records) {
  const auto children = childrenOf(records);
  std::vector<bool> isTaken(records.size());
  std::vector<Tree> trees;
  std::vector<Step> path;  // chains of moves may be as long as the trace: no recursion
  for (std::size_t root = 0; root < records.size(); ++root) {
    if (!isCim(records[root].kind) || isTaken[root]) continue;
    Tree tree;
    isTaken[root] = true;
    path = {{static_cast<std::int64_t>(root)}};
    while (!path.empty()) {
      Step &step = path.back();
      const auto at = static_cast<std::size_t>(step.record);
      if (records[at].kind == Kind::kLoad || step.next == children[at].size()) {
        tree.push_back(step.record);
        path.pop_back();
        continue;
      }
      const std::int64_t child = children[at][step.next++];
      if (child == kNone || isTaken[static_cast<std::size_t>(child)]) continue;
      isTaken[static_cast<std::size_t>(child)] = true;
      path.push_back({child});
    }
    trees.push_back(std::move(tree));
  }
  return trees;
}

std::vector<std::string> print(const Tree &tree, std::int64_t number, const std::vector<Record> &records) {
  std::vector<std::string> lines = {fmt::format("{:<15}", fmt::format("#{}", number))};
  for (const std::int64_t i : tree) {
    const Record &r = records[static_cast<std::size_t>(i)];
    lines.push_back(fmt::format("{:16}{:<48}{:>8}", "", r.text, r.sequence));
  }
  return lines;
}

}  // namespace pimento::trace::release
