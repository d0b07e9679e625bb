// What both halves know.
#pragma once

#include <stdint.h>

#define AES_BLOCK 16
#define ROUNDS 10

struct job {
  uint32_t blocks, first_counter;
  uint8_t key[16];
  uint8_t nonce[8];
};
