// Printing: text goes to the log that the host reads after the run.
#ifndef PIMENTO_DPU_STDIO_H
#define PIMENTO_DPU_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

/// As in C: flags, width, precision (also *), hh h l ll j z t, and d i u x X o c s p f F e E g G a A %. The text of one
/// call stays together. How much was written to the log, which is not the length of the text; numbers become text on
/// the host.
int printf(const char *restrict format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *restrict format, va_list arguments) __attribute__((format(printf, 1, 0)));
int puts(const char *text);
int putchar(int character);

#endif
