// What both halves know.
#pragma once

#include <stdint.h>

#define LOG_LENGTH 5
#define LENGTH (1 << LOG_LENGTH)
#define MAX_SIGNALS 64
#define SHIFT 14  // fractional bits of the factors

typedef struct {
  int32_t re, im;
} sample_t;

typedef struct {
  int16_t re, im;
} factor_t;  // e^(-2 pi i k / LENGTH)
