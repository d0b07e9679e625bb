// Assembly text to a relocatable object: the dialect of the LLVM-based DPU compiler.
//
// One instruction per line, `//` and `/* */` comments, labels, sums of numbers and symbols. In code `label + n` and
// `. + n` mean n instructions, in data n bytes; the difference of two labels counts instructions where an instruction
// uses it and bytes elsewhere. What the linker knows (labels, NR_TASKLETS) becomes a relocation. Directives: .text,
// .data, .bss, .section, .globl, .global, .weak, .local, .type, .size, .p2align, .align, .balign, .byte, .short, .half,
// .hword, .2byte, .long, .word, .int, .4byte, .quad, .dword, .8byte, .ascii, .asciz, .string, .zero, .space, .skip,
// .fill, .comm, .lcomm, .set, .equ, `name = expression`, .file, .loc; .ident, .cfi_*, .addrsig and sections of debug
// information are passed over. Lines come from .loc where the text has any, from the text itself otherwise.
#pragma once

#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/object.h"

namespace pimento::dpu {

/// `file` is for messages and lines. Every error found is reported, up to 20. Diagnostics: dpu-asm-mnemonic,
/// dpu-asm-operands, dpu-asm-register, dpu-asm-condition, dpu-asm-range, dpu-asm-expression, dpu-asm-string,
/// dpu-asm-directive, dpu-asm-argument, dpu-asm-label, dpu-asm-undefined, dpu-asm-defined-twice, dpu-asm-place,
/// dpu-asm-size.
Result<Object> assemble(std::string_view text, std::string_view file);

}  // namespace pimento::dpu
