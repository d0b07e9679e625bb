/* Adds two arrays in a simulated cache that computes on its bitlines:
 *
 *   pimento compile vec_add --emit inf > vec_add.inf
 *   cc vec_add.c $(pkg-config --cflags --libs pimento-inf) -o vec_add
 *   ./vec_add vec_add.inf 100000
 */
#include <pimento_inf.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, inf_problem());
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FILE.inf [ELEMENTS [MACHINE]]\n", argv[0]);
    return 2;
  }
  const size_t n = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 4096;
  float *a = malloc(n * sizeof(float)), *b = malloc(n * sizeof(float)), *c = malloc(n * sizeof(float));
  if (a == NULL || b == NULL || c == NULL) return 1;
  for (size_t i = 0; i < n; i++) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)i;
  }

  inf_system *system;
  inf_program *program;
  if (inf_start(argc > 3 ? argv[3] : NULL, NULL, 0, &system) != INF_OK) return fail("inf_start");
  if (inf_open(system, argv[1], &program) != INF_OK) return fail("inf_open");
  if (inf_array(system, a, "f32", 1, &n, 0) != INF_OK || inf_array(system, b, "f32", 1, &n, 0) != INF_OK ||
      inf_array(system, c, "f32", 1, &n, 0) != INF_OK)
    return fail("inf_array");
  const inf_size sizes[] = {{"n", (long long)n}};
  const inf_operand operands[] = {{"A", a}, {"B", b}, {"C", c}};
  if (inf_cfg(program, sizes, 1, operands, 3) != INF_OK) return fail("inf_cfg");
  if (inf_end(program) != INF_OK) return fail("inf_end");

  size_t wrong = 0;
  for (size_t i = 0; i < n; i++) wrong += c[i] != a[i] + b[i];
  printf("%zu sums, %zu wrong, %.0f ns, %lld commands\n", n, wrong, inf_time_ns(program),
         inf_count(program, "compute_commands"));
  for (size_t i = 0; i < inf_warnings(program); i++) fprintf(stderr, "warning: %s\n", inf_warning(program, i));
  inf_stop(system);
  free(a);
  free(b);
  free(c);
  return wrong != 0;
}
