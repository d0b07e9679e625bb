// What PimentoMpi.so gives: messages as MPI carries them. Plain C between the two, which are compiled apart.
#pragma once

#include <cstddef>

extern "C" {

struct PimentoMpiFunctions {
  const char *version;  ///< Pimento's
  /// False: MPI did not start.
  bool (*start)(int *rank, int *count);
  void (*send)(int to, const char *bytes, std::size_t size);
  /// The size of the next message, and who sent it; -1: none is there. It is taken by `take` before another is asked
  /// for.
  long (*next)(int *from);
  void (*take)(char *bytes);
  /// Gives messages that are sent time to arrive, and leaves; with others, unless some are lost.
  void (*finish)(bool isWhole);
};

__attribute__((visibility("default"))) const PimentoMpiFunctions *pimentoMpi();
}
