/* Probes: modelled time and energy of what all DPUs of this process did between start and stop. */
#ifndef PIMENTO_DPU_PROBE_H
#define PIMENTO_DPU_PROBE_H

#include <dpu_error.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum _dpu_probe_quantity_t PIMENTO_DPU_INT {
  DPU_ENERGY, /* J: DPUs, MRAM and transfers, modelled (docs/models/upmem.md), not measured */
  DPU_TIME    /* s: launches, kernels and transfers; what the host computes in between is not known */
} dpu_probe_quantity_t;

typedef enum _dpu_probe_statistic_t PIMENTO_DPU_INT {
  DPU_ACCUMULATE, /* over all intervals from start to stop */
  DPU_AVERAGE,    /* of one interval */
  DPU_MIN,
  DPU_MAX,
  DPU_TOTAL = DPU_ACCUMULATE
} dpu_probe_statistic_t;

struct dpu_probe_t {
  const char *name;
  uint64_t intervals;
  int is_running;
  /* By quantity: at the last start, over all intervals, of the shortest and of the longest one. */
  double begin[2], total[2], least[2], most[2];
};

dpu_error_t dpu_probe_init(const char *name, struct dpu_probe_t *probe);
dpu_error_t dpu_probe_start(struct dpu_probe_t *probe);
dpu_error_t dpu_probe_stop(struct dpu_probe_t *probe);
dpu_error_t dpu_probe_get(struct dpu_probe_t *probe, dpu_probe_quantity_t quantity, dpu_probe_statistic_t statistic,
                          double *value);
dpu_error_t dpu_probe_deinit(struct dpu_probe_t *probe);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
