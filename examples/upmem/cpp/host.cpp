// Checksums on DPUs, with the host interface in C++: in the background, and checked rank by rank as results come in.
#include <atomic>
#include <dpu>
#include <iostream>
#include <vector>

#include "common.h"

#ifndef NR_DPUS
#define NR_DPUS 70
#endif

static checksum checksumOf(const std::vector<uint32_t> &words) {
  checksum c = {0, 0};
  for (std::size_t i = 0; i < words.size(); ++i) {
    c.words += words[i];
    c.weighted += words[i] * static_cast<uint32_t>(i + 1);
  }
  return c;
}

int main() {
  try {
    auto system = dpu::DpuSet::allocate(NR_DPUS);
    const std::size_t dpus = system.dpus().size();
    system.load("checksum.dpu");

    std::vector<std::vector<uint32_t>> buffers(dpus, std::vector<uint32_t>(5002));
    for (std::size_t d = 0; d < dpus; ++d)
      for (std::size_t i = 0; i < buffers[d].size(); ++i)
        buffers[d][i] = static_cast<uint32_t>((d + 1) * 2654435761u * i);
    const std::vector<uint32_t> bytes = {static_cast<uint32_t>(buffers[0].size() * sizeof(uint32_t))};

    std::atomic<unsigned> wrong{0}, ranks{0};
    auto async = system.async();
    async.copy("bytes", bytes);
    async.copy(DPU_MRAM_HEAP_POINTER_NAME, 0, buffers);
    async.exec();
    async.call([&](dpu::DpuSet &rank, unsigned number) {
      std::vector<std::vector<checksum>> results(rank.dpus().size(), std::vector<checksum>(1));
      rank.copy(results, "result");
      for (std::size_t i = 0; i < results.size(); ++i) {
        const checksum expected = checksumOf(buffers[number * 64 + i]);
        wrong += results[i][0].words != expected.words || results[i][0].weighted != expected.weighted;
      }
      ++ranks;
    });
    async.sync();

    system.dpus()[0]->log(std::cout);
    std::cout << dpus << " DPUs, " << ranks << " ranks, " << wrong << " wrong\n";
    return wrong != 0;
  } catch (const dpu::DpuError &e) {
    std::cerr << e.what() << std::endl;
    return 2;
  }
}
