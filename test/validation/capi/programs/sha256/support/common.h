// What both halves know.
#pragma once

#include <stdint.h>

#define MAX_MESSAGES 64
#define MESSAGE_ROOM 256  // bytes

typedef struct {
  uint32_t word[8];
} digest_t;
