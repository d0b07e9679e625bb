#include "headers.c"
//
#include <dpu>
