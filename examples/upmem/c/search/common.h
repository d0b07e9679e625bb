// What both halves of search know.
#pragma once

#include <stdint.h>

#define NOT_FOUND (-1)

// The heap of MRAM holds the sorted numbers, then the queries, which become their answers.
struct arguments {
  uint32_t elements, queries;
};
