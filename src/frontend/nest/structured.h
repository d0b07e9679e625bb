// Statements that are one structured kernel together: a selection and its count, a minimum or maximum and what is
// stored beside it. Knows nothing of C or MLIR.
#pragma once

#include <cstdint>
#include <optional>

#include "pimento/frontend/nest/schedule.h"

namespace pimento::frontend {

/// out[row][count[row]] = x; count[row] += 1, both under one condition.
struct NestSelection {
  int predicate = -1;       ///< without the question whether the row is full
  std::int64_t limit = -1;  ///< of a row; -1: none
};
std::optional<NestSelection> selectionOf(NestProgram &program, const NestGroup &group);

/// out[i * m + n[i]] = x, as if the array had rows: out[i][n[i]] = x.
struct NestFlatList {
  NestStatement append;
  std::int64_t width = 1;  ///< of a row
};
std::optional<NestFlatList> flatListOf(const NestProgram &program, const NestStatement &append);

/// The statement, from number `first` on, that takes a strict minimum or maximum where statement number `s` happens:
/// if (x < best) { best = x; at = i; }. Both are at the same indices, and nothing else in their loops sees either.
std::optional<std::size_t> followedBy(NestProgram &program, std::size_t s, std::size_t first = 0);

/// Whether all that statements from number `first` on store in the buffer is the count of a selection, or goes with a
/// minimum or maximum.
bool isStructured(NestProgram &program, int buffer, std::size_t first);

/// Puts what follows a minimum or maximum behind it (NestStatement::follows).
void markFollowers(NestProgram &program);

}  // namespace pimento::frontend
