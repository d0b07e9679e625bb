/* What the DPUs of a profile are: numbers of the machine file under the names of UPMEM's public documentation.
 *
 * Only what a simulated machine has. DPUs of a rank are numbered as on real modules, 8 to a control interface.
 */
#ifndef PIMENTO_DPU_DESCRIPTION_H
#define PIMENTO_DPU_DESCRIPTION_H

#include <dpu_error.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* What executes the programs; here always FUNCTIONAL_SIMULATOR. */
typedef enum _dpu_type_t PIMENTO_DPU_INT { FUNCTIONAL_SIMULATOR, HW, BACKUP_SPI } dpu_type_t;

typedef struct _dpu_description_t {
  dpu_type_t type;
  struct {
    struct {
      uint8_t chip_id;
    } signature;
    struct {
      uint32_t fck_frequency_in_mhz; /* divided by clock_division: the clock of a DPU */
      uint32_t clock_division;
    } timings;
    struct {
      uint8_t nr_of_control_interfaces; /* of a rank */
      uint8_t nr_of_dpus_per_control_interface;
    } topology;
    struct {
      uint32_t mram_size; /* bytes */
      uint32_t wram_size; /* 32-bit words */
      uint32_t iram_size; /* instructions */
    } memories;
    struct {
      uint8_t nr_of_threads;
      uint32_t nr_of_atomic_bits;
      uint32_t nr_of_notify_bits;
      uint8_t nr_of_work_registers_per_thread;
    } dpu;
  } hw;
} *dpu_description_t;

/* The description of a profile as dpu_alloc takes it (NULL: the default machine); freed by dpu_free_description.
 * DPU_ERR_INVALID_PROFILE. */
dpu_error_t dpu_get_profile_description(const char *profile, dpu_description_t *description);
/* One more owner: dpu_free_description is called once more. */
void dpu_acquire_description(dpu_description_t description);
void dpu_free_description(dpu_description_t description);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
