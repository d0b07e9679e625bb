// Macros about macros: text and names made of expanded arguments.
#ifndef PIMENTO_DPU_MACRO_UTILS_H
#define PIMENTO_DPU_MACRO_UTILS_H

#define __STR_NOW(x) #x
/// The argument, expanded, as a string literal.
#define __STR(x) __STR_NOW(x)
#define __CONCAT_NOW(x, y) x##y
/// One name of two arguments, expanded.
#define __CONCAT(x, y) __CONCAT_NOW(x, y)

#endif
