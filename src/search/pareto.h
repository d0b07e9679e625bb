// The best of what was seen so far in time and in energy.
//
// A point *rules out* another if it is no worse in both and better in one, or equal in both and has the smaller number.
// So exactly one of several equal points is left: the first. That makes the front of a set independent of the order in
// which its points come, and it lets a search leave points out: if a point is ruled out by way of a lower bound of it
// (which is no worse than the point itself), the front without it is the front with it.
//
// Proof. Let b <= x be the bound, ruled out by p. Either p is better than b in one objective, then it is better than x
// there and no worse in the other; or p = b and p has the smaller number, then p <= x, and it is better in one or equal
// with the smaller number. In both cases p rules out x. Ruling out is transitive and without circles, so everything
// that x would rule out is ruled out by p, or by what ruled out p.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace pimento::search {

class Pareto {
 public:
  struct Point {
    double time = 0;  ///< cycles, or ns where clocks differ: whole numbers below 2^53 are exact
    double energy = 0;
    std::int64_t number = 0;  ///< place in the enumeration
  };

  /// The point seen so far that rules out `p`, if there is one: its number.
  std::optional<std::int64_t> rulesOut(const Point &p) const;
  /// Takes a point in, unless it is ruled out.
  void add(const Point &p);
  /// Points that nothing rules out, by rising time (so by falling energy).
  std::vector<Point> front() const;

 private:
  struct Rest {
    double energy;
    std::int64_t number;
  };
  std::map<double, Rest> byTime_;  // energy falls as time rises
};

}  // namespace pimento::search
