// Numbers from text. What does not fit becomes the largest number, or the smallest.
// Defines: strtol strtoul strtoll strtoull

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/// The magnitude, at most `most`; `end` becomes `text` where there is no digit.
static unsigned long long readMagnitude(const char *text, char **end, int base, bool *isNegative,
                                        unsigned long long most, unsigned long long mostNegative) {
  const char *at = text;
  while (isspace(*at)) ++at;
  *isNegative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  const unsigned long long limit = *isNegative ? mostNegative : most;
  if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && isxdigit(at[2])) {
    at += 2;
    base = 16;
  } else if (base == 0) {
    base = *at == '0' ? 8 : 10;
  }
  unsigned long long value = 0;
  bool hasDigit = false, isTooLarge = false;
  for (;; ++at) {
    const int digit = isdigit(*at) ? *at - '0' : isalpha(*at) ? (*at | 32) - 'a' + 10 : 36;
    if (digit >= base) break;
    hasDigit = true;
    if (value > (limit - (unsigned)digit) / (unsigned)base) isTooLarge = true;
    if (!isTooLarge) value = value * (unsigned)base + (unsigned)digit;
  }
  if (end != NULL) *end = (char *)(hasDigit ? at : text);
  return isTooLarge ? limit : value;
}

long long strtoll(const char *restrict text, char **restrict end, int base) {
  bool isNegative;
  const unsigned long long value = readMagnitude(text, end, base, &isNegative, LLONG_MAX, 1ull << 63);
  return (long long)(isNegative ? 0 - value : value);
}

unsigned long long strtoull(const char *restrict text, char **restrict end, int base) {
  bool isNegative;
  const unsigned long long value = readMagnitude(text, end, base, &isNegative, ULLONG_MAX, ULLONG_MAX);
  return isNegative && value != ULLONG_MAX ? 0 - value : value;
}

long strtol(const char *restrict text, char **restrict end, int base) {
  bool isNegative;
  const unsigned long long value = readMagnitude(text, end, base, &isNegative, LONG_MAX, 1ull << 31);
  return (long)(unsigned long)(isNegative ? 0 - value : value);
}

unsigned long strtoul(const char *restrict text, char **restrict end, int base) {
  bool isNegative;
  const unsigned long long value = readMagnitude(text, end, base, &isNegative, ULONG_MAX, ULONG_MAX);
  return (unsigned long)(isNegative && value != ULONG_MAX ? 0 - value : value);
}
