// One pass over the ratings of the DPU's users for a group of items. All factors are in WRAM during a pass.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <string.h>

#include "common.h"

__host struct arguments arguments;
__mram_noinit struct rating ratings[MAX_RATINGS];
__mram_noinit factors_t user_factors[MAX_USERS];
__mram_noinit factors_t item_factors[MAX_ITEMS];

static factors_t *users, *items;

BARRIER_INIT(step_barrier, NR_TASKLETS);

static void copy_in(const __mram_ptr factors_t *from, factors_t *to, uint32_t count) {
  for (uint32_t i = me(); i < count; i += NR_TASKLETS) mram_read(from[i], to[i], sizeof(factors_t));
}

static void copy_out(const factors_t *from, __mram_ptr factors_t *to, uint32_t count) {
  for (uint32_t i = me(); i < count; i += NR_TASKLETS) mram_write(from[i], to[i], sizeof(factors_t));
}

int main() {
  const uint32_t id = me();
  if (id == 0) {
    mem_reset();
    users = mem_alloc(arguments.users * sizeof(factors_t));
    items = mem_alloc(arguments.items * sizeof(factors_t));
  }
  barrier_wait(&step_barrier);
  copy_in(user_factors, users, arguments.users);
  copy_in(item_factors, items, arguments.items);
  barrier_wait(&step_barrier);
  struct rating *cache = mem_alloc(16 * sizeof(struct rating));
  for (uint32_t step = 0; step < NR_TASKLETS; ++step) {
    const uint32_t end = arguments.first[id][step + 1];
    for (uint32_t first = arguments.first[id][step]; first < end; first += 16) {
      const uint32_t count = end - first < 16 ? end - first : 16;
      mram_read(&ratings[first], cache, count * sizeof(struct rating));
      for (uint32_t k = 0; k < count; ++k) learn(users[cache[k].user], items[cache[k].item], cache[k].value);
    }
    barrier_wait(&step_barrier);
  }
  copy_out(users, user_factors, arguments.users);
  copy_out(items, item_factors, arguments.items);
  return 0;
}
