// Strings and memory of C, in WRAM.
#ifndef PIMENTO_DPU_STRING_H
#define PIMENTO_DPU_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *memchr(const void *from, int byte, size_t bytes);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t bytes);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t bytes);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t bytes);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *part);

static inline size_t strspn(const char *text, const char *accepted) {
  size_t n = 0;
  while (text[n] != 0 && strchr(accepted, text[n]) != NULL) ++n;
  return n;
}
static inline size_t strcspn(const char *text, const char *rejected) {
  size_t n = 0;
  while (text[n] != 0 && strchr(rejected, text[n]) == NULL) ++n;
  return n;
}
static inline char *strpbrk(const char *text, const char *accepted) {
  text += strcspn(text, accepted);
  return *text != 0 ? (char *)text : NULL;
}

#endif
