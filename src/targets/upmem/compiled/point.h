// What happens at one point, as C text: the values of the body (v0, v1, ...) and the stores. Internal to compiled/.
#pragma once

#include <map>
#include <string>

#include "pimento/targets/upmem/compiled/accesses.h"

namespace pimento::targets::upmem::compiled {

class Point {
 public:
  /// Both must outlive it.
  Point(Context &context, const Accesses &accesses)
      : c_(context), a_(accesses), scheme_(context.scheme), kernel_(context.scheme.kernel()) {}

  /// Point `u` of a chunk that goes on in steps of `step` points: 2 where words of 8 bytes hold two.
  void write(int u, int step);
  /// A value alone.
  void writeValue(std::size_t v, int u, int step);
  /// Around points `u` and `u` + 1 of such a chunk: their words.
  void openPair(int u);
  void closePair(int u);

  DType typeOf(int value) const { return kernel_.body[static_cast<std::size_t>(value)].type; }

 private:
  const kernel::Access &accessOf(const kernel::Value &load) const {
    return kernel_.loads[static_cast<std::size_t>(load.access)];
  }
  std::string loaded(std::size_t v, int u, int step);
  void writeStore(std::size_t s, int u, int step);
  void writeExtreme(std::size_t s, int u);
  std::string held(std::size_t s, int u);
  void put(std::size_t s, int u, const std::string &x);
  void writeTable(std::size_t s, const std::string &x);
  std::string chosen(std::size_t s) const;

  Context &c_;
  const Accesses &a_;
  const Scheme &scheme_;
  const kernel::Kernel &kernel_;
  std::map<int, std::string> pairs_;  ///< words by load
};

}  // namespace pimento::targets::upmem::compiled
