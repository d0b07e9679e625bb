#include <algorithm>

#include "pimento/targets/near_bank/attention.h"

namespace pimento::targets::near_bank {

namespace {

using mapping::Mapping;
using mapping::MapSpec;

/// Divides what is left of dims by a level's instances, each part as large as the largest needs to be.
class Division {
 public:
  Division(const kernel::Kernel &kernel, const MapSpec &spec) : mapping_(spec.mapping) {
    factors_.assign(3, std::vector<std::int64_t>(kernel.dims.size(), 1));
    for (const kernel::Dim &d : kernel.dims) left_.push_back(d.extent);
  }

  /// `most`: instances, over all these dims. Returns how many are used.
  std::int64_t split(std::size_t level, const std::vector<int> &dims, std::int64_t most) {
    std::int64_t used = 1;
    for (const int dim : dims) {
      const auto d = static_cast<std::size_t>(dim);
      const std::int64_t share = ceilDiv(left_[d], std::max<std::int64_t>(1, std::min(most / used, left_[d])));
      factors_[level][d] = ceilDiv(left_[d], share);
      used *= factors_[level][d];
      left_[d] = share;
    }
    return used;
  }

  Mapping take(std::string text) {
    factors_[2] = left_;
    mapping_.text = std::move(text);
    mapping::Subspace s;
    s.factors = std::move(factors_);
    mapping_.subspaces = {std::move(s)};
    return std::move(mapping_);
  }

 private:
  Mapping mapping_;
  std::vector<std::vector<std::int64_t>> factors_;
  std::vector<std::int64_t> left_;
};

}  // namespace

Mapping attentionReference(const kernel::Graph &graph, const Attention &attention, const machine::Machine &machine,
                           const MapSpec &spec) {
  constexpr std::int64_t kDepthBanks = 4;
  Division division(graph.kernels[static_cast<std::size_t>(attention.first)], spec);
  division.split(0, attention.groupDims, machine.levels[0].count);
  const bool merges = machine.dram->organization.banksPerNode(machine.nearBank->softmax->merges) >= kDepthBanks;
  const std::int64_t used = merges ? division.split(1, {attention.depthDim}, kDepthBanks) : 1;
  division.split(1, {attention.lengthDim}, machine.levels[1].count / used);
  return division.take("reference");
}

std::vector<Mapping> attentionMappings(const kernel::Graph &graph, const Attention &attention,
                                       const machine::Machine &machine, const MapSpec &spec) {
  const kernel::Kernel &kernel = graph.kernels[static_cast<std::size_t>(attention.first)];
  const std::int64_t banks = machine.levels[1].count;
  std::vector<Mapping> found;
  for (std::int64_t groups = 1; groups <= banks; groups *= 2)
    for (std::int64_t depths = 1; groups * depths <= banks; depths *= 2) {
      Division division(kernel, spec);
      division.split(0, attention.groupDims, machine.levels[0].count);
      std::int64_t used = division.split(1, attention.groupDims, groups);
      used *= division.split(1, {attention.depthDim}, depths);
      division.split(1, {attention.lengthDim}, banks / used);
      Mapping m = division.take({});
      const bool isNew = std::ranges::none_of(
          found, [&](const Mapping &other) { return other.subspaces.front().factors == m.subspaces.front().factors; });
      if (isNew) found.push_back(std::move(m));
    }
  return found;
}

}  // namespace pimento::targets::near_bank
