/* What a compiler asks before it emits code for a matrix-vector product: offload it, to what, with which mapping?
 *
 *   cc -std=c99 offload.c -o offload $(pkg-config --cflags --libs pimento-c)
 *   ./offload hbm-pim upmem          (no machine: all that come with the library)
 */
#include <pimento.h>
#include <stdio.h>

static int ask(const pimento_query *query) {
  pimento_answer *answer = NULL;
  size_t row, best;
  double ns, pj, host;
  int status = pimento_ask(query, &answer);
  if (status != PIMENTO_OK) fprintf(stderr, "%s\n", pimento_problem());
  for (row = 0; row < pimento_answer_rows(answer); ++row) {
    const char *target = pimento_answer_text(answer, row, "target");
    const char *where = pimento_answer_text(answer, row, "stages[0].where");
    if (!pimento_answer_ok(answer, row) || where == NULL) {
      printf("%s: %s\n", target, pimento_answer_text(answer, row, "error"));
      continue;
    }
    if (pimento_answer_number(answer, row, "time_ns", &ns) != PIMENTO_OK ||
        pimento_answer_number(answer, row, "energy_pj", &pj) != PIMENTO_OK ||
        pimento_answer_number(answer, row, "stages[0].host_time_ns", &host) != PIMENTO_OK)
      continue;
    if (where[0] == 'p')
      printf("%s: offload it: %.0f ns instead of %.0f ns, %.0f pJ\n  mapping %s\n  %s\n", target, ns, host, pj,
             pimento_answer_text(answer, row, "stages[0].mapping"),
             pimento_answer_text(answer, row, "stages[0].mapping_why"));
    else
      printf("%s: keep it on the host, %.0f ns: %s\n", target, host, pimento_answer_text(answer, row, "stages[0].why"));
  }
  if (pimento_answer_least(answer, "time_ns", &best) == PIMENTO_OK)
    printf("fastest: %s\n", pimento_answer_text(answer, best, "target"));
  pimento_answer_destroy(answer);
  return status;
}

int main(int argc, char **argv) {
  pimento_query *query = pimento_query_create();
  int status = pimento_query_set(query, "kernel", "y[i] += A[i,j] * x[j]"), i;
  if (status == PIMENTO_OK) status = pimento_query_set(query, "size", "i=4096,j=1024");
  if (status == PIMENTO_OK) status = pimento_query_set(query, "constant", "A");
  for (i = 1; i < argc && status == PIMENTO_OK; ++i) status = pimento_query_add(query, "target", argv[i]);
  if (status != PIMENTO_OK)
    fprintf(stderr, "%s\n", pimento_problem());
  else
    status = ask(query);
  pimento_query_destroy(query);
  return status == PIMENTO_OK ? 0 : 1;
}
