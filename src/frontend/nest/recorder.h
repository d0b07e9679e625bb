// What readers of loop nests share: where the text is right now (loops, conditions), and how a statement there is put
// down. Knows nothing of C or MLIR.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/frontend/nest/program.h"

namespace pimento::frontend {

/// The value of a loop, times `factor`.
kernel::Affine unit(int loop, std::int64_t factor = 1);

class NestRecorder {
 protected:
  using DisjointGuards = std::vector<std::vector<kernel::Affine>>;

  /// A condition on loops around the current statement.
  struct Guard {
    DisjointGuards cases;
    int condition = -1;  ///< the same as a value, where there is more than one case
  };

  explicit NestRecorder(NestProgram &program) : program_(program), pool_(program.pool) {}

  /// All conditions on data from number `first` on; -1: none.
  int predicateFrom(std::size_t first) const;
  /// Puts down a statement that has its loops and its predicate.
  void emitGuarded(NestStatement s);
  /// Stores a value in a place of its own, one element for each iteration of the loops around, and gives that buffer.
  int spill(const std::string &name, const std::string &function, int value, std::vector<kernel::Affine> &index);
  /// Before `buffer` is written: a value read from it goes into a place of its own, the same for equal ones of `kept`.
  void keepOld(int buffer, int &value, const std::string &name, const std::string &function, std::map<int, int> &kept);
  int addBuffer(NestBuffer buffer);

  NestProgram &program_;
  ExpressionPool &pool_;
  std::vector<int> loops_;       ///< around the current statement
  std::vector<Guard> guards_;    ///< likewise
  std::vector<int> predicates_;  ///< likewise: conditions on data
  bool isTrial_ = false;         ///< nothing that is put down stays

 private:
  void emitSplit(NestStatement s, int depth);
  bool protects(const NestStatement &s, const Expression &choice) const;
};

}  // namespace pimento::frontend
