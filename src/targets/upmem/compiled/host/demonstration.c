/// A number for every element, the same in every run.
static inline uint32_t pattern(uint32_t tensor, int64_t element) {
  uint32_t x = (uint32_t)element * 2654435761u + tensor * 40503u;
  x = (x ^ x >> 15) * 2246822519u;
  return x ^ x >> 13;
}

static void show(const char *name, const void *values, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const uint8_t *)values)[i]) * 0x100000001b3u;
  printf("%s %016llx\n", name, (unsigned long long)hash);
}
