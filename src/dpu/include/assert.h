// An assertion that does not hold is printed to the log and ends the run of the DPU with an error.
#undef assert

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_failed(#condition, __FILE__, __LINE__, __func__))
#endif

#ifndef PIMENTO_DPU_ASSERT_H
#define PIMENTO_DPU_ASSERT_H

#ifndef __cplusplus
#define static_assert _Static_assert
#endif

__attribute__((noreturn, cold)) void __assert_failed(const char *condition, const char *file, int line,
                                                     const char *function);

#endif
