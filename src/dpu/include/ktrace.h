// Messages for whoever traces the program. Here they go to the log, as those of printf do.
#ifndef PIMENTO_DPU_KTRACE_H
#define PIMENTO_DPU_KTRACE_H

#include <stdio.h>

/// As printf.
#define ktrace(...) ((void)printf(__VA_ARGS__))

#endif
