// Built for symbols_test.cpp: a function with two levels of calls that are inlined, and one that stands by itself.
static inline int square(int x) {
  return x * x;
}

static inline int sumOfSquares(int a, int b) {
  return square(a) + square(b);
}

__attribute__((noinline)) int apart(int x) {
  return x ^ 21;
}

int entry(int a, int b) {
  int sum = sumOfSquares(a, b);
  return sum + apart(a);
}
