// What both halves know.
#pragma once

#include <stdint.h>

#define BINS 1024
#define DEPTH 12
