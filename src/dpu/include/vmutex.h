// Virtual mutexes: as many as there are bits of WRAM to spare. Each is one bit there, changed under one of a few atomic
// bits; so tasklets may hold several, and wait by trying again.
#ifndef PIMENTO_DPU_VMUTEX_H
#define PIMENTO_DPU_VMUTEX_H

#include <mutex.h>

struct vmutex {
  uint8_t *vmutexes;    ///< eight to a byte
  uint8_t *hw_mutexes;  ///< first of consecutive atomic bits; they guard whole bytes
  uint32_t hash_mask;
};

/// Defines NB_VMUTEXES virtual mutexes under NB_HW_MUTEXES (a power of two) atomic bits, at file scope.
#define VMUTEX_INIT(NAME, NB_VMUTEXES, NB_HW_MUTEXES)                                                      \
  _Static_assert((NB_HW_MUTEXES) > 0 && ((NB_HW_MUTEXES) & ((NB_HW_MUTEXES) - 1)) == 0, "a power of two"); \
  uint8_t __vmutex_bits_##NAME[((NB_VMUTEXES) + 7) / 8];                                                   \
  uint8_t __atomic_bit __atomic_bits_vmutex_##NAME[NB_HW_MUTEXES];                                         \
  extern const struct vmutex NAME;                                                                         \
  const struct vmutex NAME = {__vmutex_bits_##NAME, __atomic_bits_vmutex_##NAME, (NB_HW_MUTEXES) - 1};

static inline void vmutex_lock(const struct vmutex *vmutex, uint16_t id) {
  const uint8_t bit = (uint8_t)(1u << (id & 7));
  uint8_t *const byte = vmutex->vmutexes + (id >> 3);
  const mutex_id_t guard = vmutex->hw_mutexes + ((id >> 3) & vmutex->hash_mask);
  for (;;) {
    mutex_lock(guard);
    const uint8_t bits = *byte;
    *byte = bits | bit;
    mutex_unlock(guard);
    if ((bits & bit) == 0) return;
  }
}

static inline void vmutex_unlock(const struct vmutex *vmutex, uint16_t id) {
  uint8_t *const byte = vmutex->vmutexes + (id >> 3);
  const mutex_id_t guard = vmutex->hw_mutexes + ((id >> 3) & vmutex->hash_mask);
  mutex_lock(guard);
  *byte &= (uint8_t)~(1u << (id & 7));
  mutex_unlock(guard);
}

#endif
