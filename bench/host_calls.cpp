// What the host library costs this machine: all DPUs of the default machine, launches and transfer calls in between,
// and small blocks pushed to one DPU.
//   host_calls [DPUS [LAUNCHES [TRANSFERS [BLOCKS]]]]
// Prints processor time, peak memory and the modelled time with its parts, which must add up (exit status 1 if not).
#include <dpu.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "test/support/capi_programs.h"

namespace {

double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Whether the parts of the account are its total.
bool show(const char *what, dpu_set_t set, double seconds) {
  pimento_dpu_account_t a;
  DPU_ASSERT(pimento_dpu_account(set, &a));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double sum = a.kernel_ms + a.launch_ms + a.to_dpu_ms + a.from_dpu_ms;
  std::printf(
      "%s: %.2f s of processor time, %ld MiB at most; modelled %.3f ms = kernels %.3f + launches %.3f + to DPUs "
      "%.3f + from DPUs %.3f\n",
      what, seconds, usage.ru_maxrss / 1024, a.total_ms, a.kernel_ms, a.launch_ms, a.to_dpu_ms, a.from_dpu_ms);
  return std::fabs(sum - a.total_ms) < 1e-6 * sum;
}

bool manyDpus(std::uint32_t dpus, int launches, int transfers) {
  const double begin = processorSeconds();
  pimento::test::Dpus set(dpus, "tasklets=16");
  DPU_ASSERT(set.status);
  DPU_ASSERT(set.load(pimento::test::kMram));
  std::vector<std::vector<std::uint8_t>> buffers(dpus, std::vector<std::uint8_t>(64));
  for (int l = 0; l < launches; ++l) {
    for (int t = 0; t < transfers / launches; ++t) {
      dpu_set_t dpu;
      std::uint32_t i;
      DPU_FOREACH(set.set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, buffers[i].data()));
      DPU_ASSERT(
          dpu_push_xfer(set.set, t % 2 == 0 ? DPU_XFER_TO_DPU : DPU_XFER_FROM_DPU, "table", 0, 64, DPU_XFER_DEFAULT));
    }
    DPU_ASSERT(dpu_launch(set.set, DPU_SYNCHRONOUS));
  }
  std::printf("%u DPUs, %d launches, %d transfer calls\n", dpus, launches, transfers);
  return show("  together", set.set, processorSeconds() - begin);
}

bool smallBlocks(int blocks) {
  const double begin = processorSeconds();
  pimento::test::Dpus set(1, "tasklets=16");
  DPU_ASSERT(set.load(pimento::test::kMram));
  std::vector<std::uint8_t> block(64);
  for (int b = 0; b < blocks; ++b) {
    DPU_ASSERT(dpu_prepare_xfer(set.set, block.data()));
    DPU_ASSERT(dpu_push_xfer(set.set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 64 * static_cast<std::uint32_t>(b),
                             64, DPU_XFER_DEFAULT));
  }
  std::printf("%d blocks of 64 B to one DPU\n", blocks);
  return show("  together", set.set, processorSeconds() - begin);
}

}  // namespace

int main(int argc, char **argv) {
  const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  const bool isMany = manyDpus(static_cast<std::uint32_t>(number(1, 2560)), number(2, 10), number(3, 100));
  const bool isSmall = smallBlocks(number(4, 196608));
  return isMany && isSmall ? 0 : 1;
}
