// The released analyzer of Eva-CiM over a stream that need not fit into memory: the counters of trees.h and counters.h
// of the whole trace, tree by tree.
//
// It keeps what a later root may still take: the last writer of every register, and what that was made of.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pimento/trace/release/counters.h"

namespace pimento::trace::release {

/// What is worked out once for each instruction of a program; registers by number.
struct AnalyzerStep {
  Kind kind = Kind::kOther;
  bool isSeen = false;  ///< false: the analyzer skips the line
  std::int32_t destination = -1;
  std::array<std::int32_t, 2> sources = {-1, -1};
  PipeCounts pipe;
};

/// Reads instructions of one program.
class AnalyzerReader {
 public:
  /// `pipe`: what it does in the pipeline each time.
  AnalyzerStep read(std::string_view disassembly, const PipeCounts &pipe);

 private:
  std::int32_t registerOf(const std::string &name);

  std::unordered_map<std::string, std::int32_t> registers_;
};

class Analyzer {
 public:
  using Step = AnalyzerStep;

  /// The next instruction; `level` counts for loads. The step outlives this.
  void add(const Step &step, Level level) {
    if (step.isSeen) take(step, level);
  }

  /// Of all trees so far.
  const Counters &counters(Configuration configuration) const {
    return counters_[static_cast<std::size_t>(configuration)];
  }
  /// Instructions that a later root may take.
  std::int64_t kept() const { return static_cast<std::int64_t>(nodes_.size() - free_.size()); }

 private:
  struct Node {
    const Step *step = nullptr;
    std::array<std::int32_t, 2> children = {-1, -1};
    std::int32_t holders = 0;  ///< registers that it wrote last, nodes that it is a child of
    Level level = Level::kDram;
    bool isTaken = false;
  };

  void take(const Step &step, Level level);
  std::int32_t newNode(const Step &step, Level level);
  /// One holder less; what nothing holds any more is gone, with all that it alone holds.
  void drop(std::int32_t node) {
    Node &n = nodes_[static_cast<std::size_t>(node)];
    if (--n.holders > 0) return;
    free_.push_back(node);
    if (n.children[0] >= 0 || n.children[1] >= 0) dropChildren(node);
  }
  void dropChildren(std::int32_t node);
  void grow(std::int32_t root);
  void list(std::int32_t node);

  std::vector<std::int32_t> writer_;  ///< by register; -1: none
  std::vector<Node> nodes_;
  std::vector<std::int32_t> free_, dropped_;
  /// A walk in post-order: a node, and which child is next.
  std::vector<std::pair<std::int32_t, std::size_t>> path_;
  // The one list of all trees: the level of its last load, and whether that one waits for what comes next.
  Level level_ = Level::kL1;
  bool isLoadOpen_ = false;
  std::array<Counters, kConfigurations> counters_;
};

}  // namespace pimento::trace::release
