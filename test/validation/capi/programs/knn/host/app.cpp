// The K nearest neighbours of random queries among points that are shared out among DPUs.
#include <algorithm>
#include <dpu>
#include <iostream>
#include <vector>

#include "check.h"
#include "common.h"
#include "params.h"

namespace {

neighbour distanceOf(const point &point, const query &query) {
  std::uint32_t sum = 0;
  for (int d = 0; d < DIMENSIONS; ++d)
    sum += static_cast<std::uint32_t>((point.at[d] - query.at[d]) * (point.at[d] - query.at[d]));
  return {sum, point.label};
}

bool isNearer(const neighbour &a, const neighbour &b) {
  return is_nearer(a, b) != 0;
}

}  // namespace

int main(int argc, char **argv) try {
  const params p = input_params(argc, argv, 230);
  auto system = dpu::DpuSet::allocate(NR_DPUS);
  system.load("./bin/dpu_code");
  const std::size_t dpus = system.dpus().size();
  std::uint32_t state = p.seed;
  std::vector<std::vector<point>> points(dpus, std::vector<point>(p.n));
  std::uint32_t label = 0;
  for (auto &part : points)
    for (auto &point : part) {
      for (auto &x : point.at) x = static_cast<std::int32_t>(random_below(&state, 2000)) - 1000;
      point.label = label++;
    }
  system.copy(DPU_MRAM_HEAP_POINTER_NAME, points);
  for (int round = 0; round < 2; ++round) {
    std::vector<query> query(1);
    for (auto &x : query[0].at) x = static_cast<std::int32_t>(random_below(&state, 2000)) - 1000;
    query[0].nr_points = p.n;
    std::vector<std::vector<neighbour>> nearest(dpus, std::vector<neighbour>(K));
    std::vector<std::vector<std::uint32_t>> counts(dpus, std::vector<std::uint32_t>(1));
    if (round == 0) {
      system.copy("query", query);
      system.exec();
      system.copy(nearest, "nearest");
      system.copy(counts, "nr_nearest");
    } else {
      auto background = system.async();
      background.copy("query", query);
      background.exec();
      background.copy(nearest, "nearest");
      background.copy(counts, "nr_nearest");
      background.sync();
    }
    std::vector<neighbour> all, wanted;
    for (std::size_t d = 0; d < dpus; ++d) {
      expect_equal("number of neighbours", d, counts[d][0], std::min<std::uint32_t>(K, p.n));
      all.insert(all.end(), nearest[d].begin(), nearest[d].begin() + counts[d][0]);
      std::vector<neighbour> own;
      for (const auto &point : points[d]) own.push_back(distanceOf(point, query[0]));
      std::sort(own.begin(), own.end(), isNearer);
      for (std::size_t k = 0; k < counts[d][0]; ++k) {
        expect_equal("distance", d * K + k, nearest[d][k].distance, own[k].distance);
        expect_equal("label", d * K + k, nearest[d][k].label, own[k].label);
      }
      wanted.insert(wanted.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end(), isNearer);
    std::sort(wanted.begin(), wanted.end(), isNearer);
    for (std::size_t k = 0; k < K && k < all.size(); ++k)
      expect_equal("nearest of all", k, all[k].label, wanted[k].label);
  }
  return verdict("knn");
} catch (const dpu::DpuError &e) {
  std::cerr << e.what() << '\n';
  return 1;
}
