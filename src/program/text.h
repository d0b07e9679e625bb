// The text form of a Program: readable, complete, and read back exactly.
//
// The model is CoMoNM's llvcnm assembly (section IV-D): processes of nested loops, with the device's own commands and
// addresses affine in named loop variables. Not here: what addresses mean (program.h) and whether they fit a machine
// (verify). One statement per line; comments run from ';' or '#' to the end of the line:
//
//   program hbm-pim                         ; the target
//   image weights bursts 4096 per-channel   ; data that writes send; one copy for all channels without `per-channel`
//   process channel x64 {                   ; 64 channels receive this stream
//     RD rank 0 bank 0 row 4096 column 0 host_read
//     loop j 8 {                            ; j counts 0 to 7
//       loop k 4 {
//         RD rank 0 bank 0 row 2*j+16 column k*8 barrier pim_mac
//         WR rank 0 bank 1 row 16383 column 8+k broadcast data weights[4*j+k]
//       }
//     }
//   }
//
// or, with virtual instructions (virtual.h) in place of commands:
//
//   program cnm-pipeline
//   process unit x128 threads 16 {          ; 128 units; 16 threads of each execute this
//     array x bank f32[4096] shared         ; in the unit's bank, one for all threads
//     array tile scratchpad f32[64]         ; one for each thread
//     param first 3841                      ; a number from 0 to 3840 that the host gives each thread
//     loop t 4 {
//       MOVE tile[0] x[first+64*t] 64       ; 64 elements from bank to scratchpad
//       loop i 64 {
//         LOAD %0 tile[i]
//         MUL f32 %0 %0 %0
//         STORE tile[i] %0
//       }
//     }
//   }
//
//   program  = "program" NAME { image | named } { process }   (images and commands come before use)
//   named    = "command" VARIABLE ("read" | "write")       (a row of the machine's command table; writes send data)
//   image    = "image" NAME "bursts" NUMBER ["per-channel"]
//   process  = "process" NAME "x" NUMBER ["threads" NUMBER] "{" { loop | command | declaration | instruction } "}"
//                                                          (the last two with threads, commands without)
//   loop     = "loop" VARIABLE NUMBER ["label" NAME] "{" { loop | command } "}"
//   command  = ("RD" | "WR") "rank" NUMBER "bank" NUMBER "row" AFFINE "column" AFFINE ["length" NUMBER] ["barrier"]
//              PURPOSE ["data" NAME "[" AFFINE "]"]         (data: writes only)
//            | VARIABLE ["rank" NUMBER] ["bank" NUMBER] ["row" AFFINE] ["column" AFFINE] ["length" NUMBER] ["barrier"]
//              PURPOSE ["data" NAME "[" AFFINE "]"]         (a named command; what is left out is 0)
//   declaration = "array" NAME ("bank" | "scratchpad") TYPE "[" NUMBER "]" ["shared"] | "param" VARIABLE NUMBER
//   instruction = "SET" TYPE REG CONSTANT | "INDEX" TYPE REG AFFINE | "TEST" REG AFFINE
//                 | "LOAD" REG DATUM ["if" REG] | "STORE" DATUM REG ["if" REG] | "MOVE" ELEMENT ELEMENT NUMBER
//                 | OPERATION TYPE REG { REG }
//   ELEMENT  = NAME "[" AFFINE "]"       REG = "%" NUMBER       OPERATION = ADD, MUL, ..., as kernel::Op in capitals
//   DATUM    = NAME "[" AFFINE ["," REG "of" NUMBER ["by" NUMBER]] "]"       (the register's number, below the first,
//              times the second, or 1, on top of the affine form)
//   CONSTANT = an integer; of floating types also 1.5, -2, 1e-3, inf, -inf, nan
//   AFFINE   = sum of NUMBER, VARIABLE (of a loop around it, or a parameter), NUMBER*VARIABLE, VARIABLE*NUMBER with +
//   and - NAME     = letters, digits and _ . : -, or a quoted text with \\ \" \xHH PURPOSE  = host_read, host_write,
//   control, program, broadcast, pim_read, pim_mac, pim_alu, pim_move, pim_store
//
// A variable is the loop's label where that is an identifier no enclosing loop uses; otherwise it gets the depth as a
// suffix and `label` keeps the loop's own name.
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/program/program.h"

namespace pimento::program {

/// The text of `program`. `parse(print(p)) == p` if no process is machine code, names of images, arrays and parameters
/// differ, parameters are identifiers that no loop is labelled with, NaN constants are the quiet one, indices exist,
/// only writes have data, named commands exist, have names of their own and
/// are writes where these are, and operands and nesting keep to the enclosing loops and kMaxDepth; what breaks these is
/// printed with a '?' that parse() refuses.
std::string print(const Program &program);

/// Reads the text form; `file` names it in diagnostics. At most 20 diagnostics, each with its place: program-syntax,
/// program-unknown-purpose, program-unknown-variable, program-duplicate-variable, program-unknown-image,
/// program-duplicate-image, program-duplicate-command, program-read-data, program-range, program-trip,
/// program-instances, program-depth, program-unclosed, program-too-large; with virtual instructions program-threads,
/// program-unknown-array, program-duplicate-array, program-unknown-type, program-number, program-count. `places`, if
/// given, gets where processes and commands stand.
Result<Program> parse(std::string_view text, std::string file = {}, Places *places = nullptr);

/// The target that a text names, and `where`; empty where it names none.
std::string targetOf(std::string_view text, Location *where = nullptr);

}  // namespace pimento::program
