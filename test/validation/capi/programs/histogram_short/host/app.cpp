// A histogram of random pixels over all DPUs. The host half is C++.
#include <dpu.h>

#include <cstdlib>
#include <iostream>
#include <vector>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

namespace {

using Histogram = std::vector<std::uint32_t>;

class Dpus {
 public:
  explicit Dpus(std::uint32_t count) {
    DPU_ASSERT(dpu_alloc(count, nullptr, &set_));
    DPU_ASSERT(dpu_load(set_, DPU_BINARY, nullptr));
  }
  ~Dpus() { DPU_ASSERT(dpu_free(set_)); }
  Dpus(const Dpus &) = delete;
  Dpus &operator=(const Dpus &) = delete;

  std::uint32_t size() const {
    std::uint32_t count = 0;
    DPU_ASSERT(dpu_get_nr_dpus(set_, &count));
    return count;
  }

  std::vector<Histogram> run(std::vector<std::vector<pixel_t>> &images, std::uint32_t pixels) {
    dpu_set_t dpu;
    std::uint32_t d = 0;
    DPU_ASSERT(dpu_broadcast_to(set_, "nr_pixels", 0, &pixels, sizeof(pixels), DPU_XFER_DEFAULT));
    DPU_FOREACH(set_, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, images[d].data()));
    }
    DPU_ASSERT(dpu_push_xfer(set_, DPU_XFER_TO_DPU, "pixels", 0, images[0].size() * sizeof(pixel_t), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set_, DPU_SYNCHRONOUS));
    std::vector<Histogram> histograms(images.size(), Histogram(BINS));
    DPU_FOREACH(set_, dpu, d) {
      DPU_ASSERT(dpu_prepare_xfer(dpu, histograms[d].data()));
    }
    DPU_ASSERT(dpu_push_xfer(set_, DPU_XFER_FROM_DPU, "histogram", 0, BINS * sizeof(std::uint32_t), DPU_XFER_DEFAULT));
    return histograms;
  }

 private:
  dpu_set_t set_;
};

}  // namespace

int main(int argc, char **argv) {
  const params p = input_params(argc, argv, 1801);
  Dpus dpus(NR_DPUS);
  std::uint32_t state = p.seed;
  std::vector<std::vector<pixel_t>> images(dpus.size(), std::vector<pixel_t>(round_up(p.n, 4)));
  for (auto &image : images)
    for (auto &pixel : image) pixel = static_cast<pixel_t>(random_below(&state, 1U << DEPTH));
  const auto histograms = dpus.run(images, p.n);
  for (std::size_t d = 0; d < images.size(); ++d) {
    Histogram wanted(BINS);
    for (std::uint32_t i = 0; i < p.n; ++i) ++wanted[bin_of(images[d][i])];
    for (std::size_t bin = 0; bin < BINS; ++bin) expect_equal("bin", d * BINS + bin, histograms[d][bin], wanted[bin]);
  }
  std::cout << images.size() << " images\n";
  return verdict("histogram_short");
}
