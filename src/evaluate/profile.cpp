#include "pimento/evaluate/profile.h"

#include <algorithm>

namespace pimento::evaluate {

void Attributed::add(const Attributed &other) {
  executions += other.executions;
  cycles += other.cycles;
  energy += other.energy;
  served.resize(std::max(served.size(), other.served.size()));
  for (std::size_t i = 0; i < other.served.size(); ++i) served[i] += other.served[i];
  for (std::size_t i = 0; i < operations.size(); ++i) operations[i] += other.operations[i];
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i] += other.loads[i];
  trees += other.trees;
  replaced += other.replaced;
  for (Saved Attributed::*s : {&Attributed::low, &Attributed::high, &Attributed::resimulated}) {
    (this->*s).cycles += (other.*s).cycles;
    (this->*s).energy += (other.*s).energy;
  }
}

}  // namespace pimento::evaluate
