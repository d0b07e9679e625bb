// Checks of the run-time library from C: every tasklet counts what is not as it should be, and prints where.
#include <alloc.h>
#include <assert.h>
#include <atomic_bit.h>
#include <attributes.h>
#include <barrier.h>
#include <built_ins.h>
#include <ctype.h>
#include <defs.h>
#include <handshake.h>
#include <inttypes.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <perfcounter.h>
#include <profiling.h>
#include <sem.h>
#include <seqread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vmutex.h>

__host uint32_t failures;

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(mutex);
MUTEX_POOL_INIT(pool, 4);
VMUTEX_INIT(virtual, 100, 2);
SEMAPHORE_INIT(places, 2);
ATOMIC_BIT_INIT(bit);
PROFILING_INIT(section);

static __noinline void fail(int line, const char *what) {
  mutex_lock(mutex);
  ++failures;
  mutex_unlock(mutex);
  printf("line %d, tasklet %u: %s\n", line, me(), what);
}

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

__mram_noinit uint8_t area[4096];
__mram int32_t initialised[4] = {1, -2, 3, -4};
__mram int64_t wide = -5000000000;
__mram_noinit int32_t counters[2];

static __noinline void checkMramPointers(void) {
  if (me() != 0) return;
  CHECK(initialised[0] == 1 && initialised[1] == -2 && initialised[2] == 3 && initialised[3] == -4);
  CHECK(wide == -5000000000);
  __mram_ptr int8_t *const bytes = (__mram_ptr int8_t *)area;
  __mram_ptr uint16_t *const halves = (__mram_ptr uint16_t *)(area + 16);
  __mram_ptr double *const doubles = (__mram_ptr double *)(area + 32);
  for (int i = 0; i < 16; ++i) bytes[i] = (int8_t)(-i);
  for (int i = 0; i < 8; ++i) halves[i] = (uint16_t)(65535 - i);
  doubles[0] = 1.5;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += bytes[i];
  CHECK(sum == -120);
  CHECK(halves[7] == 65528 && halves[0] == 65535);
  CHECK(doubles[0] == 1.5);
  bytes[3] += 100;
  CHECK(bytes[2] == -2 && bytes[3] == 97 && bytes[4] == -4);
}

static void addOne(int32_t *value, void *args) {
  *value += *(int *)args;
}

static __noinline void checkAtomicUpdates(void) {
  int one = 1;
  if (me() == 0) mram_write_int_atomic(&counters[0], 40);
  if (me() == 0) mram_write_int_atomic(&counters[1], 2);
  barrier_wait(&everybody);
  for (int i = 0; i < 5; ++i) mram_update_int_atomic(&counters[i % 2], addOne, &one);
  for (unsigned int i = me(); i < 240; i += NR_TASKLETS) mram_write_byte_atomic(&area[1000 + i], (uint8_t)i);
  mram_write_unaligned(&"xthirteen+four"[1], &area[2000 + 13 * me()], 13);
  barrier_wait(&everybody);
  CHECK(counters[0] == 40 + 3 * NR_TASKLETS);
  CHECK(counters[1] == 2 + 2 * NR_TASKLETS);
  __dma_aligned uint8_t buffer[256];
  const uint8_t *const bytes = mram_read_unaligned(&area[1000 + 3], buffer, 237);
  for (unsigned int i = 0; i < 237; ++i) CHECK(bytes[i] == i + 3);
  for (unsigned int t = 0; t < NR_TASKLETS; ++t)
    CHECK(memcmp(mram_read_unaligned(&area[2000 + 13 * t], buffer, 13), "thirteen+four", 13) == 0);
}

static int compareInts(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static __noinline void checkUtilities(void) {
  char *end;
  CHECK(strtol("  -12x", &end, 10) == -12 && *end == 'x');
  CHECK(strtol("0x7fG", &end, 0) == 127 && *end == 'G');
  CHECK(strtol("077", NULL, 0) == 63 && strtol("z", NULL, 36) == 35);
  CHECK(strtol("99999999999", NULL, 10) == 2147483647 && strtol("-99999999999", NULL, 10) == -2147483647 - 1);
  CHECK(strtoll("-9223372036854775808", NULL, 10) == INT64_MIN);
  CHECK(strtoull("18446744073709551615", NULL, 10) == UINT64_MAX);
  CHECK(strtoull("18446744073709551616", NULL, 10) == UINT64_MAX);
  CHECK(strtol("none", &end, 10) == 0 && *end == 'n');
  CHECK(atoi("42") == 42);
  int numbers[20];
  for (int i = 0; i < 20; ++i) numbers[i] = (i * 7 + (int)me()) % 20;
  qsort(numbers, 20, sizeof(int), compareInts);
  for (int i = 0; i < 20; ++i) CHECK(numbers[i] == i);
  const int key = 13, none = 99;
  CHECK(bsearch(&key, numbers, 20, sizeof(int), compareInts) == &numbers[13]);
  CHECK(bsearch(&none, numbers, 20, sizeof(int), compareInts) == NULL);
  CHECK(div(-7, 2).quot == -3 && div(-7, 2).rem == -1 && llabs(-5000000000) == 5000000000);
  CHECK(rand() >= 0 && rand() != rand());
  CHECK(isalpha('q') && !isalpha('3') && isspace('\n') && toupper('z') == 'Z' && isxdigit('F') && ispunct('!'));
  CHECK(strcspn("hello, world", " ,") == 5 && strspn("aabbc", "ab") == 4 && *strpbrk("abc", "xc") == 'c');
  CHECK(check_stack() > 0 && check_stack() < 1024);
}

static __noinline void checkBuiltIns(void) {
  uint32_t r;
  __builtin_cao_rr(r, 0xf0f0);
  CHECK(r == 8);
  __builtin_cmpb4_rrr(r, 0x11223344, 0x11003300);
  CHECK(r == 0x01000100);
  __builtin_rol_rri(r, 0x80000001, "4");
  CHECK(r == 0x18);
  __builtin_lsl_add_rrri(r, 5, 3, "4");
  __builtin_nop_();
  CHECK(r == 53);
  __builtin_mul_sl_ul_rrr(r, 0xff, 0xff);
  CHECK((int32_t)r == -255);
  CHECK(__builtin_popcount(me() | 0x100) == __builtin_popcount(me()) + 1 && __builtin_clz(256) == 23);
  CHECK(__builtin_bswap32(0x11223344) == 0x44332211);
}

static __noinline void checkBuddy(void) {
  static void *all;
  if (me() == 0) {
    buddy_init(2048);
    CHECK(buddy_alloc(0) == NULL && buddy_alloc(2049) == NULL);
    void *const half = buddy_alloc(1000), *const small = buddy_alloc(10);
    CHECK(half != NULL && small != NULL && buddy_alloc(1024) == NULL);
    memset(half, 7, 1000);
    buddy_free(small);
    void *const whole = buddy_alloc(1024);
    CHECK(whole != NULL && whole != half);
    CHECK(buddy_alloc(1) == NULL);
    buddy_free(whole);
    char *const less = buddy_realloc(half, 100);
    CHECK(less != NULL && less[99] == 7);
    buddy_free(less);
    buddy_free(NULL);
    all = buddy_alloc(2048);
    CHECK(all != NULL);
    buddy_free(all);
  }
  barrier_wait(&everybody);
}

struct record {
  uint32_t number;
  uint8_t rest[9];
} __attribute__((packed));

static __noinline void checkSequentialReader(void) {
  if (me() == 0) {
    static __dma_aligned uint8_t buffer[1304];
    for (uint32_t i = 0; i < 100; ++i) {
      struct record *const r = (struct record *)(buffer + 13 * i);
      r->number = i;
      memset(r->rest, (int)i, sizeof(r->rest));
    }
    mram_write(buffer, area, sizeof(buffer));
  }
  barrier_wait(&everybody);
  seqreader_t reader;
  const seqreader_buffer_t cache = seqread_alloc();
  struct record *r = seqread_init(cache, area, &reader);
  for (uint32_t i = 0; i < 100; ++i) {
    CHECK(r->number == i && r->rest[8] == (uint8_t)i);
    CHECK(seqread_tell(r, &reader) == area + 13 * i);
    r = seqread_get(r, sizeof(*r), &reader);
  }
  r = seqread_seek(area + 13 * 50, &reader);
  CHECK(r->number == 50);
  uint32_t steps = 50;
  for (; steps < 95; steps += 11) {
    CHECK(r->number == steps);
    r = seqread_get(r, 11 * sizeof(*r), &reader);
  }
  barrier_wait(&everybody);
}

static __noinline void checkLocks(void) {
  static uint32_t inside, most, sum, chain;
  static uint32_t counts[4];
  sem_take(&places);
  ATOMIC_BIT_ACQUIRE(bit);
  if (++inside > most) most = inside;
  ATOMIC_BIT_RELEASE(bit);
  ATOMIC_BIT_ACQUIRE(bit);
  --inside;
  ATOMIC_BIT_RELEASE(bit);
  sem_give(&places);
  for (uint16_t i = 0; i < 20; ++i) {
    mutex_pool_lock(&pool, i);
    ++counts[i % 4];
    mutex_pool_unlock(&pool, i);
    vmutex_lock(&virtual, 77);
    ++sum;
    vmutex_unlock(&virtual, 77);
  }
  if (me() > 0) CHECK(handshake_wait_for(me() - 1) == 0);
  CHECK(chain == me());
  ++chain;
  if (me() < NR_TASKLETS - 1) handshake_notify();
  barrier_wait(&everybody);
  CHECK(most >= 1 && most <= 2);
  CHECK(sum == 20 * NR_TASKLETS && counts[0] == 5 * NR_TASKLETS && counts[3] == 5 * NR_TASKLETS);
  if (me() == 0) {
    CHECK(mutex_trylock(MUTEX_GET(mutex)));
    const bool isMineAgain = mutex_trylock(mutex);
    mutex_unlock(mutex);
    CHECK(!isMineAgain);
  }
  barrier_wait(&everybody);
}

static __noinline void checkCounter(void) {
  if (me() == 0) perfcounter_config(COUNT_INSTRUCTIONS, true);
  barrier_wait(&everybody);
  profiling_start(&section);
  const perfcounter_t before = perfcounter_get();
  for (int i = 0; i < 100; ++i) __asm__ volatile("nop");
  const perfcounter_t after = perfcounter_get();
  profiling_stop(&section);
  CHECK(after - before >= 96 && after % 16 == 0);
  CHECK(section.count[me()] >= 6);
  CHECK(CLOCKS_PER_SEC > 1000000);
}

int main(void) {
  if (me() == 0) mem_reset();
  barrier_wait(&everybody);
  checkMramPointers();
  barrier_wait(&everybody);
  checkAtomicUpdates();
  checkUtilities();
  checkBuiltIns();
  checkBuddy();
  checkSequentialReader();
  checkLocks();
  checkCounter();
  return 0;
}
