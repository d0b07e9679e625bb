// Adler-32, Fletcher-16 and Fletcher-32 of a random message on every DPU, each of another length.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static struct checksums checksums_of(const uint8_t *from, uint32_t length) {
  uint32_t a = 1, b = 0, f = 0, g = 0, h = 0, k = 0;
  for (uint32_t i = 0; i < length; ++i) {
    a = (a + from[i]) % 65521, b = (b + a) % 65521;
    f = (f + from[i]) % 255, g = (g + f) % 255;
    if (i % 2 == 0) h = (h + (from[i] | (uint32_t)from[i + 1] << 8)) % 65535, k = (k + h) % 65535;
  }
  return (struct checksums){b << 16 | a, k << 16 | h, (uint16_t)(g << 8 | f), NR_TASKLETS};
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1777);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const size_t room = round_up(p.n + 2, 8);
  uint8_t *message = malloc(room * dpus);
  uint32_t *lengths = malloc(dpus * sizeof(*lengths)), state = p.seed;
  for (size_t i = 0; i < room * dpus; ++i) message[i] = (uint8_t)(random_word(&state) >> 24);
  for (d = 0; d < dpus; ++d) lengths[d] = round_up(p.n - random_below(&state, p.n / 2), 2);
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_copy_to(dpu, "length", 0, &lengths[d], sizeof(lengths[d])));
    DPU_ASSERT(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, 0, message + d * room, room));
  }
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    struct checksums got;
    DPU_ASSERT(dpu_copy_from(dpu, "checksums", 0, &got, sizeof(got)));
    const struct checksums wanted = checksums_of(message + d * room, lengths[d]);
    expect_equal("Adler-32", d, got.adler32, wanted.adler32);
    expect_equal("Fletcher-16", d, got.fletcher16, wanted.fletcher16);
    expect_equal("Fletcher-32", d, got.fletcher32, wanted.fletcher32);
    expect_equal("tasklets", d, got.tasklets, wanted.tasklets);
  }
  DPU_ASSERT(dpu_free(set));
  free(message), free(lengths);
  return verdict("adler_fletcher");
}
