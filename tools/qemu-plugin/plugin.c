// Plugin of QEMU's user mode that records what a program executes: block entries and accesses to memory, into a ring in
// shared memory (src/guest/ring.h). It only writes records; everything else is the reader's business.
//
//   qemu-aarch64 -plugin libpimento_qemu.so,folder=DIR[,values=on][,words=N] PROG
//
// The first thread of the process that was started is recorded; of other threads, and of processes it forks,
// instructions are counted. QEMU's plugin interface (version 1) is declared here, since Debian does not package its
// header.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "pimento/guest/ring.h"

// QEMU's plugin interface, version 1: what is used of it.
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
  const char *target_name;
  struct {
    int min, cur;
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus, max_vcpus;
  } system;
} qemu_info_t;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };
typedef void (*TranslateCallback)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*ExecuteCallback)(unsigned vcpu, void *data);
typedef void (*MemoryCallback)(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t address, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, TranslateCallback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, ExecuteCallback, enum qemu_plugin_cb_flags, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, MemoryCallback, enum qemu_plugin_cb_flags,
                                      enum qemu_plugin_mem_rw, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
uint64_t qemu_plugin_start_code(void);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

// What a block's execution callback gets: its number, and how many instructions it has.
#define COUNT_BITS 16

static char folder[4096];
static bool hasValues;
static uint64_t capacity = UINT64_C(1) << 20;
static uintptr_t guestBase;
static pid_t recorded;  // the process whose first thread is recorded
static pthread_mutex_t blocksLock = PTHREAD_MUTEX_INITIALIZER;
static int blocksFile = -1;
static uint32_t blockCount;
static _Atomic unsigned threadCount;  // of this process; QEMU numbers threads again once they are gone
static PimentoRing *firstRing;        // of this process
// Of each thread: a few bytes, for which the C library has room in every thread, so that no call looks them up.
#define OF_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
OF_THREAD PimentoRing *ring;
OF_THREAD bool isWritten;        // words go to the ring
OF_THREAD uint64_t head, limit;  // words written; words that may be written before `taken` is read again

static void fail(const char *what) {
  fprintf(stderr, "pimento: plugin for QEMU: %s: %s\n", what, strerror(errno));
  _exit(125);
}

static PimentoRing *makeRing(void) {
  const unsigned thread = atomic_fetch_add(&threadCount, 1);
  char name[4200];
  snprintf(name, sizeof name, "%s/%d.%u.ring", folder, (int)getpid(), thread);
  const int file = open(name, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail(name);
  const uint64_t words = thread == 0 && getpid() == recorded ? capacity : 0;
  const size_t bytes = sizeof(PimentoRing) + words * sizeof(uint64_t);
  if (ftruncate(file, (off_t)bytes) != 0) fail(name);
  PimentoRing *r = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (r == MAP_FAILED) fail(name);
  close(file);
  r->capacity = words;
  r->pid = (uint64_t)getpid();
  r->thread = thread;
  r->code = qemu_plugin_start_code();
  isWritten = words != 0;
  if (thread == 0) firstRing = r;
  __atomic_store_n(&r->magic, PIMENTO_RING_MAGIC, __ATOMIC_RELEASE);
  return r;
}

// A forked process has the parent's rings in its memory: they are not its own.
static void afterFork(void) {
  ring = firstRing = NULL;
  isWritten = false;
  atomic_store(&threadCount, 0);
  head = limit = 0;
  if (blocksFile >= 0) close(blocksFile);
  blocksFile = -1;
  pthread_mutex_init(&blocksLock, NULL);
}

static void waitForRoom(void) {
  for (unsigned turns = 0;; ++turns) {
    limit = __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE) + ring->capacity;
    if (head < limit) return;
    if (__atomic_load_n(&ring->isClosed, __ATOMIC_ACQUIRE) != 0) {
      isWritten = false;
      return;
    }
    const struct timespec nap = {0, turns < 16 ? 20000 : 200000};
    nanosleep(&nap, NULL);
  }
}

static inline void put(uint64_t word) {
  if (__builtin_expect(head >= limit, 0)) {
    waitForRoom();
    if (!isWritten) return;
  }
  ring->data[head & (ring->capacity - 1)] = word;
  ++head;
}

// The reader may take what is before `written`; published per block, so that a thread that dies loses at most one.
static inline void publish(void) {
  __atomic_store_n(&ring->written, head, __ATOMIC_RELEASE);
}

static void onBlock(unsigned vcpu, void *data) {
  (void)vcpu;
  if (__builtin_expect(ring == NULL, 0)) ring = makeRing();
  const uintptr_t block = (uintptr_t)data;
  ring->instructions += block & ((1u << COUNT_BITS) - 1);
  if (!isWritten) return;
  put(PIMENTO_WORD_BLOCK | (block >> COUNT_BITS));
  publish();
}

// The first 8 bytes of it; sizes that the compiler knows, so that no call copies them.
static inline uint64_t valueAt(const void *place, unsigned shift) {
  uint8_t byte;
  uint16_t half;
  uint32_t word;
  uint64_t value;
  switch (shift) {
    case 0:
      memcpy(&byte, place, sizeof byte);
      return byte;
    case 1:
      memcpy(&half, place, sizeof half);
      return half;
    case 2:
      memcpy(&word, place, sizeof word);
      return word;
    default:
      memcpy(&value, place, sizeof value);
      return value;
  }
}

static void onAccess(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
  (void)vcpu;
  if (!isWritten) return;
  const unsigned shift = qemu_plugin_mem_size_shift(info);
  uint64_t word = (address & PIMENTO_WORD_ADDRESS) | ((uint64_t)(uintptr_t)data << PIMENTO_WORD_INDEX_SHIFT) |
                  ((uint64_t)shift << PIMENTO_WORD_SIZE_SHIFT);
  if (qemu_plugin_mem_is_store(info)) word |= PIMENTO_WORD_STORE;
  if (!hasValues) {
    put(word);
  } else {
    const uint64_t value = valueAt((const void *)(uintptr_t)(address + guestBase), shift);
    put(word | PIMENTO_WORD_VALUE);
    if (isWritten) put(value);
  }
  publish();
}

static void writeAll(int file, const char *from, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = write(file, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("block definitions");
    from += n;
    bytes -= (size_t)n;
  }
}

static void onTranslation(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  (void)id;
  const size_t n = qemu_plugin_tb_n_insns(block);
  static char text[512 * 400];  // under the lock: definitions are made one at a time
  pthread_mutex_lock(&blocksLock);
  const uint32_t number = blockCount++;
  size_t at = 0;
  const uint32_t head32[2] = {number, (uint32_t)n};
  memcpy(text, head32, sizeof head32);
  at += sizeof head32;
  for (size_t i = 0; i < n; ++i) {
    struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(block, i);
    const uint64_t address = qemu_plugin_insn_vaddr(in);
    if (guestBase == 0) guestBase = (uintptr_t)qemu_plugin_insn_haddr(in) - (uintptr_t)address;
    char *words = qemu_plugin_insn_disas(in);
    const uint8_t size = (uint8_t)qemu_plugin_insn_size(in);
    const size_t length = words != NULL && strlen(words) < 255 ? strlen(words) : 0;
    if (at + 10 + size + length > sizeof text) fail("a block of too many instructions");
    memcpy(text + at, &address, sizeof address);
    at += sizeof address;
    text[at++] = (char)size;
    text[at++] = (char)length;
    memcpy(text + at, qemu_plugin_insn_data(in), size);
    at += size;
    memcpy(text + at, words, length);
    at += length;
    free(words);
    qemu_plugin_register_vcpu_mem_cb(in, onAccess, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)i);
  }
  if (blocksFile < 0) {
    char name[4200];
    snprintf(name, sizeof name, "%s/%d.blocks", folder, (int)getpid());
    blocksFile = open(name, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (blocksFile < 0) fail(name);
  }
  writeAll(blocksFile, text, at);
  pthread_mutex_unlock(&blocksLock);
  qemu_plugin_register_vcpu_tb_exec_cb(block, onBlock, QEMU_PLUGIN_CB_NO_REGS,
                                       (void *)(((uintptr_t)number << COUNT_BITS) | n));
}

static void onExit(qemu_plugin_id_t id, void *data) {
  (void)id;
  (void)data;
  if (firstRing != NULL) firstRing->hasEnded = 1;
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                                               char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "folder=", 7) == 0) snprintf(folder, sizeof folder, "%s", argv[i] + 7);
    if (strcmp(argv[i], "values=on") == 0) hasValues = true;
    if (strncmp(argv[i], "words=", 6) == 0) capacity = strtoull(argv[i] + 6, NULL, 10);
  }
  if (folder[0] == 0 || capacity == 0 || (capacity & (capacity - 1)) != 0) {
    fprintf(stderr, "pimento: plugin for QEMU: needs folder=DIR, and words=N a power of two\n");
    return 1;
  }
  recorded = getpid();
  pthread_atfork(NULL, NULL, afterFork);
  qemu_plugin_register_vcpu_tb_trans_cb(id, onTranslation);
  qemu_plugin_register_atexit_cb(id, onExit, NULL);
  return 0;
}
