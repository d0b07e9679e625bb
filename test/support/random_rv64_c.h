// Random programs in C for guests of RV64 that need no library: loops over small arrays, through pointers that may
// overlap, with calls of functions and of the system in between. For tests of what is done with their instructions.
#pragma once

#include <cstdint>
#include <string>

#include "pimento/base/rng.h"

namespace pimento::test {

class RandomRv64C {
 public:
  explicit RandomRv64C(std::uint64_t seed) : rng_(seed) {}

  std::string text() {
    std::string out = R"(
typedef unsigned int u32;
typedef unsigned long u64;
static long call(long number, long a, long b, long c) {
  register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a7 asm("a7") = number;
  asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}
)";
    words_ = rng_.below(8) == 0 ? 512 : 64 << rng_.below(2);
    const std::string n = std::to_string(words_);
    out += "enum { N = " + n + " };\n";
    out +=
        "static int A[N + 8], B[N + 8], C[N + 8];\nstatic u32 U[N + 8];\nstatic long L[N + 8];\nstatic short H[N + "
        "8];\nstatic char K[N + 8];\n";
    out += "static int *volatile places[4] = {A, B + 1, C, A + 2};\n";
    out += "struct cell { int x, y; u32 z; struct cell *next; };\nstatic struct cell cells[16];\n";
    for (functions_ = 0; functions_ < 2; ++functions_) {
      const std::string id = std::to_string(functions_);
      out += "__attribute__((noinline)) static int f" + id +
             "(int *p, int i, int j) {\n  int s = j, t = i;\n  u32 v = 3;\n  int *q = places[" + id + "];\n" +
             statements(3, 1) + "  return s + t + (int)v;\n}\n";
    }
    out += R"(
void _start(void) {
  int s = 1, t = 2;
  u32 v = 12345;
  for (int i = 0; i < N; i++) {
    v = v * 1664525u + 1013904223u;
    A[i] = (int)(v >> 3), B[i] = (int)(v >> 7) ^ i, C[i] = i * 3, U[i] = v, L[i] = (long)v << (i & 15);
    H[i] = (short)v, K[i] = (char)(v >> 9);
  }
  for (int i = 0; i < 16; i++) cells[i] = (struct cell){i, A[i], U[i], &cells[(i * 5 + 1) & 15]};
)";
    for (std::int64_t k = rng_.integer(2, 4); k > 0; --k) {
      const std::int64_t from = rng_.integer(0, 3), step = rng_.integer(1, 4);
      const std::string repeat = std::to_string(rng_.integer(1, 4));
      out += "  {\n  int *p = places[" + std::to_string(from) + "], *q = places[" + std::to_string(rng_.integer(0, 3)) +
             "];\n  for (int j = 0; j < " + repeat + "; j++)\n  for (int i = " + std::to_string(from) +
             "; i + 4 < N; i += " + std::to_string(step) + ") {\n" + statements(rng_.integer(1, 6), 2) + "  }\n  }\n";
    }
    out += R"(
  u64 sum = (u64)(u32)s * 31 + (u32)t + v;
  for (int i = 0; i < N; i++)
    sum = sum * 31 + (u32)A[i] + (u32)B[i] * 3u + (u32)C[i] * 5u + U[i] + (u64)L[i] + (u64)H[i] + (u64)K[i];
  for (int i = 0; i < 16; i++) sum = sum * 7 + (u32)cells[i].x + (u32)cells[i].y + cells[i].z;
  call(64, 1, (long)&sum, sizeof sum);
  call(93, (long)(sum & 63), 0, 0);
  for (;;) {}
}
)";
    return out;
  }

 private:
  std::string pick(std::initializer_list<const char *> from) {
    return *(from.begin() + rng_.below(static_cast<std::uint64_t>(from.size())));
  }
  std::string constant() { return std::to_string(rng_.integer(-40, 300)); }
  std::string index() {
    switch (rng_.below(6)) {
      case 0:
        return "i + " + std::to_string(rng_.integer(0, 3));
      case 1:
        return "(i * " + std::to_string(rng_.integer(1, 9)) + " + j) & (N - 1)";
      case 2:
        return "(i ^ " + std::to_string(rng_.integer(1, 63)) + ") & (N - 1)";
      default:
        return "i";
    }
  }
  std::string element() {
    switch (rng_.below(12)) {
      case 0:
        return "U[" + index() + "]";
      case 1:
        return "p[" + std::to_string(rng_.integer(0, 3)) + "]";
      case 2:
        return "q[" + index() + "]";
      case 3:
        return "cells[i & 15]." + pick({"x", "y"});
      case 4:
        return "cells[i & 15].next->" + pick({"x", "y"});
      default:
        return pick({"A", "B", "C"}) + "[" + index() + "]";
    }
  }
  std::string expression(int depth) {
    if (depth == 0 || rng_.below(4) == 0) {
      switch (rng_.below(10)) {
        case 0:
          return constant();
        case 1:
          return pick({"s", "t", "(int)v", "i", "j"});
        case 2:
          return pick({"H", "K", "(int)L"}) + "[" + index() + "]";
        default:
          return "(int)" + element();
      }
    }
    return "(" + expression(depth - 1) + " " + pick({"+", "+", "+", "-", "&", "|", "^"}) + " " + expression(depth - 1) +
           ")";
  }
  std::string statement(int depth) {
    switch (rng_.below(16)) {
      case 0:
        return pick({"s", "t"}) + " " + pick({"+=", "^=", "-=", "&="}) + " " + expression(2) + ";";
      case 1:
        return element() + " " + pick({"+=", "-=", "^=", "|="}) + " " + expression(1) + ";";
      case 2:
        if (depth == 0) break;
        return "if (" + expression(1) + " & " + std::to_string(1 << rng_.below(4)) + ") { " + statement(depth - 1) +
               " } else { " + statement(depth - 1) + " }";
      case 3:
        return "{ const int w = A[i]; A[i] = B[i] + 1; B[i] = w; }";
      case 4:
        return "L[" + index() + "] = " + expression(1) + ";";
      case 5:
        return "H[" + index() + "] = (short)(" + expression(1) + ");";
      case 6:
        return "K[" + index() + "] = (char)(" + expression(1) + ");";
      case 7:
        if (functions_ == 0) break;
        return "s += f" + std::to_string(rng_.below(static_cast<std::uint64_t>(functions_))) + "(" +
               pick({"A", "B", "p"}) + ", i, t);";
      case 8:
        return "p = places[(" + expression(0) + ") & 3];";
      case 9:
        if (rng_.below(3) != 0 || depth < 1) break;
        return "if ((i & 63) == 7) { const int w = A[i]; call(278, (long)(A + i), " +
               std::to_string(rng_.integer(1, 12)) + ", 0); B[i] = w + C[i]; }";
      case 10:
        if (rng_.below(3) != 0 || depth < 1) break;
        return "if ((i & 63) == 9) { C[i] = A[i] + B[i]; call(64, 1, (long)(C + i), " +
               std::to_string(rng_.integer(1, 16)) + "); }";
      case 11:
        return "v = v * 5u + (u32)" + element() + ";";
      case 12:  // what a tree computes on the way is used elsewhere, too
        return "{ const int w = " + element() + " + " + element() + "; " + element() + " = w ^ " + element() +
               "; s += w; }";
      default:
        break;
    }
    return element() + " = " + expression(2) + ";";
  }
  std::string statements(std::int64_t count, int depth) {
    std::string out;
    for (; count > 0; --count) out += "    " + statement(depth) + "\n";
    return out;
  }

  Rng rng_;
  int words_ = 64;
  int functions_ = 0;
};

}  // namespace pimento::test
