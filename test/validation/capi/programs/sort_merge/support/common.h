// What both halves know.
#pragma once

#define MAX_KEYS 4096
#define BLOCK_KEYS ((1 << BL) / 4)
