// Macros about macros: text and names made of expanded arguments.
#ifndef PIMENTO_DPU_MACRO_UTILS_H
#define PIMENTO_DPU_MACRO_UTILS_H

#define __STR_NOW(x) #x
/// The argument, expanded, as a string literal.
#define __STR(x) __STR_NOW(x)
#define __CONCAT_NOW(x, y) x##y
/// One name of two arguments, expanded.
#define __CONCAT(x, y) __CONCAT_NOW(x, y)

/// Targets of branches in built-ins: the instruction itself, and the one behind it.
#define __AT_THIS_INSTRUCTION "."
#define __AT_NEXT_INSTRUCTION ". + 1"

#endif
