/* Ranks and DPUs one by one: where they are, and sets made of them. Names of UPMEM's public documentation.
 *
 * Handles come from sets (set.dpu, set.list.ranks) and are valid as long as their allocation. A function whose handle
 * is not gives NULL, -1 or 0.
 */
#ifndef PIMENTO_DPU_MANAGEMENT_H
#define PIMENTO_DPU_MANAGEMENT_H

#include <dpu_description.h>
#include <dpu_error.h>
#include <dpu_types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t dpu_rank_id_t;
typedef uint8_t dpu_slice_id_t;
typedef uint8_t dpu_member_id_t;

/* The description of the machine that the rank belongs to; it lives as long as the allocation. */
dpu_description_t dpu_get_description(struct dpu_rank_t *rank);

/* The number of the rank in its allocation. */
dpu_rank_id_t dpu_get_rank_id(struct dpu_rank_t *rank);
/* The DPU of a rank at a control interface (slice) and a place there (member); NULL if it has none. */
struct dpu_t *dpu_get(struct dpu_rank_t *rank, dpu_slice_id_t slice_id, dpu_member_id_t member_id);

struct dpu_rank_t *dpu_get_rank(struct dpu_t *dpu);
dpu_slice_id_t dpu_get_slice_id(struct dpu_t *dpu);
dpu_member_id_t dpu_get_member_id(struct dpu_t *dpu);
/* Simulated DPUs are never disabled: whether the handle is one of a DPU. */
bool dpu_is_enabled(struct dpu_t *dpu);

/* Sets of one rank and of one DPU; the DPU and the rank of such a set, NULL where it is of another kind. */
struct dpu_set_t dpu_set_from_rank(struct dpu_rank_t **rank);
struct dpu_set_t dpu_set_from_dpu(struct dpu_t *dpu);
struct dpu_t *dpu_from_set(struct dpu_set_t set);
struct dpu_rank_t *dpu_rank_from_set(struct dpu_set_t set);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
