// What both halves know.
#pragma once

#include <stdint.h>

#define POLYNOMIAL 0xedb88320u  // of IEEE 802.3, reflected
#define MAX_MESSAGES 64
#define MAX_BYTES 8192

struct message {
  uint32_t at, length;  // in `bytes`; at any address
};
