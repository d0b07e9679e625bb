// What both halves know.
#pragma once

#include <stdint.h>

typedef int32_t element_t;

enum operation { kMap, kZip, kReduce, kFilter, kOperations };
enum function { kSquare, kNegate, kAdd, kMultiply, kMaximum, kIsOdd, kFunctions };

#define ARRAYS 4
#define MAX_ELEMENTS 2048
#define BLOCK_ELEMENTS ((1 << BL) / (int)sizeof(element_t))

struct request {
  uint32_t operation, function;
  uint32_t from, other, to;  // arrays
  uint32_t elements;
};

struct answer {
  int64_t value;      // kReduce
  uint32_t elements;  // kFilter
};

// A function of one or two elements.
static element_t apply(uint32_t function, element_t a, element_t b) {
  switch (function) {
    case kSquare:
      return (element_t)((uint32_t)a * (uint32_t)a);
    case kNegate:
      return -a;
    case kAdd:
      return a + b;
    case kMultiply:
      return (element_t)((uint32_t)a * (uint32_t)b);
    case kMaximum:
      return a > b ? a : b;
    default:
      return a & 1;
  }
}
