// What the plugin writes and the tool reads: rings of words in shared memory, and a file of block definitions.
//
// Folder of a run:
//   PID.N.ring      a PimentoRing of the process's Nth thread; the words of the one that is recorded, or a count alone
//   PID.blocks      definitions of the blocks that the process has translated, each complete before it runs
//
// A definition: uint32 number, uint32 instructions; of each instruction uint64 address, uint8 size, uint8 length of its
// text, its bytes, its text. All little-endian.
//
// Words: a block entry, then one word for each access of its instructions, in order, with the value in a word of its
// own where values are recorded.
#pragma once

#include <stdint.h>

#define PIMENTO_RING_MAGIC UINT64_C(0x32474e4952434950) /* "PICRING2" */

/* Of a word. */
#define PIMENTO_WORD_BLOCK (UINT64_C(1) << 63) /* the number in the low 32 bits */
#define PIMENTO_WORD_VALUE (UINT64_C(1) << 61) /* the value follows */
#define PIMENTO_WORD_STORE (UINT64_C(1) << 60)
#define PIMENTO_WORD_SIZE_SHIFT 57  /* 3 bits: logarithm of the bytes */
#define PIMENTO_WORD_INDEX_SHIFT 48 /* 9 bits: which instruction of the block */
#define PIMENTO_WORD_ADDRESS ((UINT64_C(1) << 48) - 1)

/* Most instructions of a block, and most bytes of an access. */
#define PIMENTO_BLOCK_INSTRUCTIONS 512
#define PIMENTO_ACCESS_BYTES 64

typedef struct {
  uint64_t magic;
  uint64_t capacity;     /* words of data, a power of two; 0: instructions are counted alone */
  uint64_t instructions; /* of blocks that were entered */
  uint64_t pid, thread;
  uint64_t code;     /* where the program's first instructions lie in memory */
  uint64_t hasEnded; /* the program left by itself; 0: it was killed, or replaced (exec) */
  uint64_t pad0;
  uint64_t written; /* words so far, by the plugin */
  uint64_t pad[7];
  uint64_t taken;    /* words so far, by the tool */
  uint64_t isClosed; /* the tool takes no more: instructions are counted alone */
  uint64_t pad2[6];
  uint64_t data[];
} PimentoRing;
