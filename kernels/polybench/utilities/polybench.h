/* The macros that programs in PolyBench's style use: arrays of fixed or variable extents, their allocation, timers. */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <stdlib.h>

/* Extents of array parameters: those of the data set, or with POLYBENCH_USE_C99_PROTO the parameters of that name. */
#ifdef POLYBENCH_USE_C99_PROTO
#define POLYBENCH_EXTENT(fixed, given) given
#else
#define POLYBENCH_EXTENT(fixed, given) fixed
#endif

/* Bounds of loops: the parameters, or with POLYBENCH_USE_SCALAR_LB those of the data set. */
#ifdef POLYBENCH_USE_SCALAR_LB
#define POLYBENCH_LOOP_BOUND(fixed, given) fixed
#else
#define POLYBENCH_LOOP_BOUND(fixed, given) given
#endif

#ifdef POLYBENCH_USE_RESTRICT
#define POLYBENCH_RESTRICT restrict
#else
#define POLYBENCH_RESTRICT
#endif

#define POLYBENCH_1D(var, n1, d1) var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(n1, d1)]
#define POLYBENCH_2D(var, n1, n2, d1, d2) var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(n1, d1)][POLYBENCH_EXTENT(n2, d2)]
#define POLYBENCH_3D(var, n1, n2, n3, d1, d2, d3) \
  var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(n1, d1)][POLYBENCH_EXTENT(n2, d2)][POLYBENCH_EXTENT(n3, d3)]

#define POLYBENCH_ALLOCATED(count, type) polybench_alloc_data((unsigned long long)(count), (int)sizeof(type))
#define POLYBENCH_1D_ARRAY_DECL(var, type, n1, d1) type(*var)[n1] = (type(*)[n1])POLYBENCH_ALLOCATED(n1, type)
#define POLYBENCH_2D_ARRAY_DECL(var, type, n1, n2, d1, d2) \
  type(*var)[n1][n2] = (type(*)[n1][n2])POLYBENCH_ALLOCATED((n1) * (n2), type)
#define POLYBENCH_3D_ARRAY_DECL(var, type, n1, n2, n3, d1, d2, d3) \
  type(*var)[n1][n2][n3] = (type(*)[n1][n2][n3])POLYBENCH_ALLOCATED((n1) * (n2) * (n3), type)
#define POLYBENCH_ARRAY(var) *var
#define POLYBENCH_FREE_ARRAY(var) free((void *)var)

#define POLYBENCH_DUMP_TARGET stderr
#define polybench_prevent_dce(call) \
  if (argc > 42 && !strcmp(argv[0], "")) call

#ifdef POLYBENCH_TIME
#define polybench_start_instruments polybench_timer_start()
#define polybench_stop_instruments polybench_timer_stop()
#define polybench_print_instruments polybench_timer_print()
#else
#define polybench_start_instruments
#define polybench_stop_instruments
#define polybench_print_instruments
#endif

extern void polybench_timer_start(void);
extern void polybench_timer_stop(void);
extern void polybench_timer_print(void);
extern void *polybench_alloc_data(unsigned long long count, int size);

#endif
