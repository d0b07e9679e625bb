// Which dimensions of a function must be equal, what they are called, and how large they are.
//
// A disjoint-set forest over dimensions: every dimension of every tensor and every loop is a node; an indexing map
// that uses a loop alone as an index joins the two. Knows nothing of MLIR.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/zoo.h"

namespace pimento::frontend {

class SizeClasses {
 public:
  /// A new dimension of known extent.
  int fixed(std::int64_t extent);
  /// A new dimension whose extent the user must state; `where` and `what` are for the message if he does not.
  int open(Location where, std::string what);
  /// A new dimension whose extent follows from others: bind() asks `extent` for it until that knows.
  int computed(Location where, std::string what, std::function<std::optional<std::int64_t>()> extent);
  /// Makes two dimensions equal; false if both are known and differ.
  bool unify(int a, int b);
  /// Lets the user call the dimension `name`. The first holder of a name keeps it.
  void name(int dim, const std::string &name);

  /// Gives the named dimensions their sizes. Unknown names, contradictions and dimensions left open are diagnostics.
  Status bind(const kernel::Sizes &sizes, const std::string &file);

  std::optional<std::int64_t> extent(int dim) const;

 private:
  struct Class {
    std::optional<std::int64_t> extent;
    int parent = -1;
    Location where;
    std::string what;
    bool isComputed = false;
  };
  struct Computed {
    int dim = -1;
    std::function<std::optional<std::int64_t>()> extent;
  };
  void give(const kernel::Sizes &sizes, const std::string &file, Diagnostics &found);
  void compute(Diagnostics &found);
  int root(int dim) const;
  std::vector<std::string> namesOf(int dim) const;
  Diagnostic unknown(const std::string &name, const std::string &file) const;

  mutable std::vector<Class> classes_;
  std::map<std::string, int> names_;
  std::vector<Computed> computed_;
};

}  // namespace pimento::frontend
