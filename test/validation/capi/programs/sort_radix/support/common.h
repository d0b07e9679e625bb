// What both halves know.
#pragma once

#ifndef DIGIT_BITS
#define DIGIT_BITS 4
#endif
#define DIGITS (1 << DIGIT_BITS)
#define MAX_KEYS 1024
