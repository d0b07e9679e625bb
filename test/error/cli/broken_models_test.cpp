// Models that are wrong, or go with the wrong options: dialects, shapes, constants, calls, types, --convert, --dtype.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/error/cli/run_tool.h"

namespace pimento::test {
namespace {

/// Of a gemv in f32, estimated on UPMEM.
Broken converted(const std::string &rule, const std::string &code) {
  return {{"estimate", "models/f32_gemv.mlir", "--target", "upmem", "--convert", rule}, "--convert", code};
}

const std::vector<Broken> kModels = {
    // dialects and ops
    {{"estimate", "models/unknown_dialect.mlir"}, "models/unknown_dialect.mlir:2:8", "unsupported-op"},
    {{"estimate", "models/unknown_dialect_type.mlir"}, "models/unknown_dialect_type.mlir:1:17", "unsupported-type"},
    {{"estimate", "models/unknown_op_in_loop.mlir"}, "models/unknown_op_in_loop.mlir:4:10", "unsupported-op"},
    {{"estimate", "models/branches.mlir"}, "models/branches.mlir:2:3", "unsupported-op"},
    {{"estimate", "models/while.mlir"}, "models/while.mlir:4:3", "unsupported-loop"},
    {{"estimate", "models/negative_pad.mlir"}, "models/negative_pad.mlir:3:8", "unsupported-op"},
    {{"estimate", "models/vector.mlir"}, "models/vector.mlir:1:1", "no-kernel"},
    {{"estimate", "models/truncated.mlir"}, "models/truncated.mlir:3:41", "mlir-syntax"},
    // shapes
    {{"estimate", "models/dynamic_matmul.mlir"}, "models/dynamic_matmul.mlir:1:17", "missing-size"},
    {{"estimate", "models/dynamic_matmul.mlir", "--size", "A:0=4"}, "models/dynamic_matmul.mlir:1:17", "missing-size"},
    {{"estimate", "models/dynamic_matmul.mlir", "--size", "A:2=4"}, "models/dynamic_matmul.mlir", "unknown-size"},
    {{"estimate", "models/dynamic_loop.mlir", "--size", "x:0=8"}, "models/dynamic_loop.mlir:5:3", "missing-size"},
    {{"estimate", "models/dynamic_loop.mlir", "--size", "x:0=8,n=9"}, "models/dynamic_loop.mlir:8:5", "out-of-bounds"},
    {{"estimate", "models/shape_mismatch.mlir"}, "models/shape_mismatch.mlir:2:8", "mlir-invalid"},
    {{"estimate", "models/out_of_bounds_loop.mlir"}, "models/out_of_bounds_loop.mlir:4:5", "out-of-bounds"},
    {{"estimate", "models/slice_out_of_bounds.mlir"}, "models/slice_out_of_bounds.mlir:2:8", "out-of-bounds"},
    // constants
    {{"estimate", "models/constant_too_long.mlir"}, "models/constant_too_long.mlir:2:56", "mlir-syntax"},
    {{"estimate", "models/constant_wrong_rank.mlir"}, "models/constant_wrong_rank.mlir:2:51", "mlir-syntax"},
    {{"estimate", "models/constant_wrong_type.mlir"}, "models/constant_wrong_type.mlir:2:30", "mlir-syntax"},
    {{"estimate", "models/resource_too_short.mlir"}, "models/resource_too_short.mlir:2:8", "constant-size"},
    // functions
    {{"estimate", "models/recursive.mlir"}, "models/recursive.mlir:2:8", "recursive-function"},
    {{"estimate", "models/mutually_recursive.mlir"}, "models/mutually_recursive.mlir:10:8", "recursive-function"},
    {{"estimate", "models/recursive.c"}, "models/recursive.c:2:22", "c-call"},
    {{"estimate", "models/undefined_function.mlir"}, "models/undefined_function.mlir:3:8", "unsupported-call"},
    {{"estimate", "models/unknown_callee.mlir"}, "models/unknown_callee.mlir:2:8", "mlir-invalid"},
    {{"estimate", "models/two_models.mlir"}, "models/two_models.mlir", "no-function"},
    {{"estimate", "models/f32_gemv.mlir", "--function", "forward"}, "models/f32_gemv.mlir", "unknown-function"},
    // types that the file, or the machine, does not have
    {{"estimate", "models/f64_gemv.mlir"}, "models/f64_gemv.mlir:2:3", "unsupported-type"},
    {{"estimate", "models/i32_gemv.mlir"}, "models/i32_gemv.mlir:2:3", "unsupported-type"},
    {{"estimate", "models/f64_inside.mlir"}, "models/f64_inside.mlir:3:3", "unsupported-op"},
    {{"estimate", "models/gemv.c"}, "models/gemv.c:4:38", "unsupported-type"},
    {{"estimate", "models/complex.mlir"}, "models/complex.mlir:1:17", "unsupported-type"},
    {{"estimate", "models/index_tensor.mlir"}, "models/index_tensor.mlir:1:17", "unsupported-type"},
    {{"estimate", "models/f32_gemv.mlir", "--convert", "f32=bf16"}, "models/f32_gemv.mlir:2:3", "unsupported-type"},
    {{"estimate", "models/f32_gemv.mlir", "--convert", "f32=i8"}, "models/f32_gemv.mlir:2:3", "unsupported-type"},
    // --dtype that the file overrules
    {{"estimate", "models/f32_gemv.mlir", "--dtype", "f16"}, "--dtype", "dtype-overruled"},
    {{"simulate", "models/gemv.c", "--dtype", "i32"}, "--dtype", "dtype-overruled"},
    {{"compile", "too_many_blocks.cnm", "--dtype", "f64", "--emit", "cnm"}, "--dtype", "dtype-overruled"},
    {{"estimate", "models/f32_gemv.mlir", "--dtype", "f16", "--convert", "f32=f16"}, "--dtype", "dtype-overruled"},
    // --convert
    converted("f32", "convert-syntax"),
    converted("=f16", "convert-syntax"),
    converted("", "convert-syntax"),
    converted("f32=f17", "unknown-dtype"),
    converted("float=f16", "unknown-dtype"),
    converted("f32=f32", "convert-same"),
    converted("f32=f16,f32=bf16", "convert-twice"),
    converted("f64=f16", "convert-absent"),
    converted("f32=i32", "convert-type"),
    converted("i32=f16", "convert-type"),
    converted("f32=i8,f64=f32", "convert-type"),
    converted("f32=i8:0", "convert-scale"),
    converted("f32=i8:-0.1", "convert-scale"),
    converted("f32=i8:nan", "convert-scale"),
    converted("f32=i8:inf", "convert-scale"),
    converted("f32=i8:", "convert-scale"),
    converted("f32=i8:A=big", "convert-scale"),
    converted("f32=i8:B=0.1", "convert-scale"),
    converted("f32=i8:y=0.1", "convert-scale"),
    converted("f32=f16:0.1", "convert-scale"),
    {{"estimate", "models/f32_gemv.mlir", "--target", "upmem", "--convert", "f32=i8:A=0.1", "--data", "none"},
     "--convert",
     "convert-scale"},
    {{"simulate", "models/exp_model.mlir", "--target", "upmem", "--convert", "f32=i8"},
     "models/exp_model.mlir:3:8",
     "convert-quantize"},
    {{"estimate", "models/long_dot.mlir", "--target", "upmem", "--convert", "f32=i8"},
     "models/long_dot.mlir:2:3",
     "convert-range"},
    {{"estimate", "for t in 0..4 { b[i] = a[i] + a[i]; swap a, b }", "--size", "i=8", "--dtype", "f32", "--target",
      "upmem", "--convert", "f32=i8"},
     "<notation>:1:1",
     "convert-quantize"},
    {{"estimate", "two_processes.llvcnm", "--convert", "f32=f16"}, "--convert", "kernel-option"},
    // --out
    {{"simulate", "va", "--out", "z"}, "--out", "bad-out"},
    {{"simulate", "va", "--out", "x=x.npy"}, "--out", "unknown-output-tensor"},
    {{"simulate", "va", "--out", "z=z.npy", "--data", "none"}, "--out", "no-results"},
    {{"simulate", "va", "--out", "z=no_such_folder/z.npy"}, "no_such_folder/z.npy", "unwritable-file"},
    {{"simulate", "two_processes.llvcnm", "--out", "z=z.npy"}, "--out", "dpu-option"},
};

TEST(BrokenModels, GiveStatusOneAPlaceACodeAndAHint) {
  EXPECT_GE(kModels.size(), 40u);
  for (const Broken &b : kModels) {
    if (!isRunHere(b)) continue;
    SCOPED_TRACE(listed(b.arguments));
    expectRefused(b);
  }
}

}  // namespace
}  // namespace pimento::test
