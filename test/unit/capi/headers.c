/* Every header and every macro once: this only has to compile. headers.cpp is the same in C++. */
#include <dpu.h>
#include <dpu_checkpoint.h>
#include <dpu_description.h>
#include <dpu_error.h>
#include <dpu_log.h>
#include <dpu_management.h>
#include <dpu_probe.h>
#include <dpu_program.h>
#include <dpu_types.h>
#include <pimento.h>
#include <pimento_inf.h>
#include <pimento_dpu.h>

int useEveryMacro(struct dpu_set_t set);

int useEveryMacro(struct dpu_set_t set) {
  struct dpu_set_t rank, dpu;
  uint32_t r, d;
  int n = 0;
  DPU_RANK_FOREACH(set, rank, r) DPU_FOREACH(rank, dpu, d) {
    if (d == r) continue;
    n += (int)d;
  }
  DPU_RANK_FOREACH(set, rank) {
    DPU_FOREACH(rank, dpu) n++;
  }
  DPU_CHECK(dpu_sync(set), return -1);
  DPU_ASSERT(dpu_log_read(set, stdout));
  return n;
}
