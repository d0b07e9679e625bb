// What both halves know.
#pragma once

#include <stdint.h>

#ifndef TYPE
#define TYPE int32_t
#endif

#define B 4  // a block has B rows and B columns
#define MAX_BLOCKS 2048
#define MAX_BLOCK_ROWS 512
#define MAX_COLUMNS 512

typedef struct {
  uint32_t block_rows, blocks;
  // Blocks of a tasklet, and the row of blocks of its first one.
  uint32_t first_block[25], first_block_row[25];
} dpu_arguments_t;
