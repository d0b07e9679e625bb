// The built tool on broken inputs: exit status 1, messages with a place, a code and a hint; wrong usage gives 2; with
// --json nothing but JSON goes to standard output.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/error/cli/run_tool.h"
#include "test/support/folder.h"

namespace pimento::test {
namespace {

const std::vector<Broken> kBroken = {
    // machine files
    {{"estimate", "gemv", "--target", "bare_number.yaml"}, "bare_number.yaml:4:8", "bare-number"},
    {{"estimate", "gemv", "--target", "unknown_key.yaml"}, "unknown_key.yaml:4:3", "unknown-key"},
    {{"estimate", "gemv", "--target", "wrong_unit.yaml"}, "wrong_unit.yaml:4:8", "wrong-unit"},
    {{"estimate", "gemv", "--target", "not_a_power_of_two.yaml"}, "not_a_power_of_two.yaml:5:12", "impossible-value"},
    {{"estimate", "gemv", "--target", "impossible_timing.yaml"}, "impossible_timing.yaml:5:12", "impossible-value"},
    {{"estimate", "gemv", "--target", "unknown_base.yaml"}, "unknown_base.yaml:2:10", "unknown-target"},
    {{"estimate", "gemv", "--target", "extends_itself.yaml"}, "extends_itself.yaml:2:10", "extends-cycle"},
    {{"estimate", "gemv", "--target", "duplicate_key.yaml"}, "duplicate_key.yaml:5:3", "duplicate-key"},
    {{"estimate", "gemv", "--target", "syntax.yaml"}, "syntax.yaml:4:1", "yaml-syntax"},
    {{"estimate", "gemv", "--target", "no_source.yaml"}, "no_source.yaml:6:12", "missing-source"},
    {{"estimate", "gemv", "--target", "empty.yaml"}, "empty.yaml:1:1", "yaml-syntax"},
    {{"simulate", "gemv", "--target", "unknown_policy.yaml"}, "unknown_policy.yaml:4:14", "unknown-choice"},
    {{"targets", "wrong_unit.yaml"}, "wrong_unit.yaml:4:8", "wrong-unit"},
    {{"estimate", "gemv", "--target", "no_such.yaml"}, "no_such.yaml", "unreadable-file"},
    {{"estimate", "gemv", "--target", "hbm-pimm"}, "--target", "unknown-target"},
    {{"targets", "hbm-pimm"}, "hbm-pimm", "unknown-target"},
    // numbers of a machine
    {{"estimate", "gemv", "--set", "timing.tRPP=3"}, "--set timing.tRPP=3", "unknown-path"},
    {{"estimate", "gemv", "--set", "channels=3"}, "--set channels=3", "impossible-value"},
    {{"estimate", "gemv", "--set", "channels=abc"}, "--set channels=abc", "bad-number"},
    {{"estimate", "gemv", "--set", "channels"}, "--set", "bad-override"},
    {{"estimate", "conv2d", "--target", "l3-sram", "--fp", "fast"}, "--fp", "bad-fp"},
    {{"estimate", "gemv", "--target", "upmem", "--fp", "reassociate"}, "--fp", "bad-fp"},
    {{"compile", "gemv", "--emit", "tdfg", "--fp", "strict"}, "--fp", "bad-fp"},
    // MLIR
    {{"estimate", "syntax.mlir"}, "syntax.mlir:2:27", "mlir-syntax"},
    {{"estimate", "wrong_shape.mlir"}, "wrong_shape.mlir:2:8", "mlir-invalid"},
    {{"estimate", "no_size.mlir"}, "no_size.mlir:1:16", "missing-size"},
    {{"estimate", "no_size.mlir", "--size", "q=4"}, "no_size.mlir", "unknown-size"},
    {{"estimate", "two_functions.mlir", "--function", "three"}, "two_functions.mlir", "unknown-function"},
    {{"estimate", "two_functions.mlir", "--function", "one"}, "two_functions.mlir:2:8", "unsupported-op"},
    {{"estimate", "two_functions.mlir", "--function", "two"}, "two_functions.mlir:6:8", "unsupported-type"},
    {{"estimate", "no_function.mlir"}, "no_function.mlir", "no-function"},
    {{"estimate", "foreign_op.mlir"}, "foreign_op.mlir:2:3", "unsupported-op"},
    {{"estimate", "mapping_in_file.mlir", "--target", "upmem"}, "mapping_in_file.mlir:3:34", "mapping-incomplete"},
    {{"estimate", "mapping_syntax.mlir", "--target", "upmem"}, "mapping_syntax.mlir:3:54", "map-syntax"},
    // programs
    {{"estimate", "unclosed.llvcnm"}, "unclosed.llvcnm:3:8", "program-unclosed"},
    {{"estimate", "unknown_purpose.llvcnm"}, "unknown_purpose.llvcnm:3:43", "program-unknown-purpose"},
    {{"estimate", "unknown_image.llvcnm"}, "unknown_image.llvcnm:4:60", "program-unknown-image"},
    {{"simulate", "unknown_variable.llvcnm"}, "unknown_variable.llvcnm:4:26", "program-unknown-variable"},
    {{"estimate", "bank_out_of_range.llvcnm"}, "bank_out_of_range.llvcnm:3:3", "program-bank"},
    {{"simulate", "row_out_of_range.llvcnm"}, "row_out_of_range.llvcnm:4:5", "program-row"},
    {{"estimate", "two_processes.llvcnm", "--set", "channels=32"}, "two_processes.llvcnm:5:9", "program-instances"},
    {{"estimate", "two_processes.llvcnm", "--set", "channels=16"}, "two_processes.llvcnm:2:9", "program-instances"},
    {{"estimate", "two_processes.llvcnm", "--dtype", "f32"}, "--dtype", "kernel-option"},
    {{"estimate", "no_such.llvcnm"}, "no_such.llvcnm", "unreadable-file"},
    // kernels with their mappings
    {{"estimate", "unclosed.cnm"}, "unclosed.cnm:5:1", "cnm-unclosed"},
    {{"estimate", "unknown_level.cnm"}, "unknown_level.cnm:11:12", "cnm-unknown-level"},
    {{"simulate", "out_of_bounds.cnm"}, "out_of_bounds.cnm:7:3", "out-of-bounds"},
    {{"estimate", "other_levels.cnm"}, "other_levels.cnm:2:8", "cnm-levels"},
    {{"compile", "too_many_blocks.cnm", "--emit", "cnm"}, "too_many_blocks.cnm:11:22", "mapping-count"},
    {{"explain", "unknown_target.cnm"}, "unknown_target.cnm:2:8", "unknown-target"},
    {{"estimate", "other_levels.cnm", "--size", "i=3"}, "--size", "unknown-size"},
    {{"estimate", "no_such.cnm"}, "no_such.cnm", "unreadable-file"},
    // constants
    {{"estimate", "gemv", "--constant", "B"}, "--constant", "unknown-input-tensor"},
    {{"estimate", "gemv", "--constant", "y"}, "--constant", "unknown-input-tensor"},
    // networks
    {{"estimate", "rnnt", "--offload", "nothing"}, "--offload", "unknown-offload"},
    {{"estimate", "gemv", "--objective", "speed"}, "--objective", "unknown-objective"},
    {{"estimate", "alexnet", "--offload", "all"}, "alexnet", "unsupported-op"},
    {{"estimate", "resnet", "--size", "depth=34"}, "--size", "bad-extent"},
    {{"estimate", "rnnt", "--size", "frames=3"}, "--size", "unknown-size"},
    {{"estimate", "wav2", "--size", "layers=101"}, "--size", "bad-extent"},
    {{"estimate", "wav2", "--size", "frames=99999999999"}, "wav2", "too-large"},
    {{"estimate", "rnnt", "--dtype", "i8"}, "rnnt", "unsupported-type"},
    {{"estimate", "rnnt", "--variant", "tree"}, "--variant", "unknown-variant"},
    {{"estimate", "rnnt", "--map", "M1:{(64,1),(8,1),(1,16),(8,256)}"}, "<map>:1:5", "mapping-dims"},
    {{"estimate", "rnnt", "--map", "reference|reference"}, "--map", "map-count"},
    {{"compile", "red", "--target", "upmem", "--emit", "c", "--map", "auto|auto"}, "--map", "map-count"},
    {{"compile", "rnnt", "--dtype", "f32", "--target", "upmem", "--emit", "host", "--map", "reference|reference"},
     "--map",
     "map-count"},
    // notation
    {{"estimate", "y[i] = x[i"}, "<notation>:1:11", "syntax"},
    {{"estimate", "y[i] = x[i]"}, "<notation>:1:3", "unknown-extent"},
    {{"estimate", "y[i] = x[j]", "--size", "i=4,j=4"}, "<notation>:1:6", "reduction-needs-accumulation"},
    {{"estimate", "y[i - 1] = x[i]", "--size", "i=4"}, "<notation>:1:1", "negative-index"},
    {{"estimate", "y[i] = x[i]; z[i] = x[i,i]", "--size", "i=4"}, "<notation>:1:21", "rank-mismatch"},
    {{"estimate", "y[i + j] += A[i,j,k] * x[k]", "--size", "i=4,j=4,k=4"}, "<notation>:1:1", "overlapping-write"},
    {{"estimate", "y[i*i] = x[i]", "--size", "i=4"}, "<notation>:1:4", "non-affine-index"},
    {{"estimate", "y[i] = x[i]", "--size", "i=4,q=3"}, "<notation>", "unknown-size"},
    {{"estimate", "y[i] = tanh(x[i])", "--size", "i=4"}, "<notation>:1:1", "unsupported-op"},
    {{"estimate", "y[i] = x[i];\nz[i] max= y[i]", "--size", "i=4"}, "<notation>:2:1", "unsupported-op"},
    // kernels of the zoo, sizes, types
    {{"estimate", "gemvv"}, "gemvv", "unknown-input"},
    {{"kernels", "gemvv"}, "gemvv", "unknown-kernel"},
    {{"estimate", "gemv", "--size", "q=4"}, "--size", "unknown-size"},
    {{"estimate", "gemv", "--size", "m=0"}, "--size", "bad-size"},
    {{"estimate", "gemv", "--size", "m"}, "--size", "bad-size"},
    {{"estimate", "gemv", "--dtype", "f17"}, "--dtype", "unknown-dtype"},
    {{"estimate", "gemv", "--dtype", "f32"}, "gemv", "unsupported-type"},
    {{"estimate", "gemv", "--variant", "treee"}, "--variant", "unknown-variant"},
    {{"simulate", "attn", "--offload", "all"}, "attn", "unsupported-op"},
    {{"compile", "scan", "--emit", "asm"}, "scan", "unsupported-form"},
    {{"compile", "gemv", "--emit", "assembly"}, "--emit", "unknown-stage"},
    // capacity
    {{"estimate", "gemv", "--size", "m=400000,n=100000"}, "gemv", "capacity"},
    {{"simulate", "gemv", "--size", "m=400000,n=100000"}, "gemv", "capacity"},
    {{"estimate", "z[i] = x[i] + y[i]", "--size", "i=10000000000"}, "<notation>:1:1", "capacity"},
    // mappings
    {{"estimate", "gemv", "--map", "referense"}, "<map>:1:1", "map-unknown-keyword"},
    {{"estimate", "gemv", "--map", ""}, "<map>:1:1", "map-empty"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(8,1),(1,16),(8,256)"}, "<map>:1:32", "map-syntax"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(8,1),(1,16),(8)}"}, "<map>:1:25", "map-ragged"},
    {{"estimate", "gemv", "--map", "reference;tail=trunkate"}, "<map>:1:16", "map-unknown-value"},
    {{"estimate", "gemv", "--map", "M1:{(1,1)}"}, "<map>:1:1", "mapping-levels"},
    {{"estimate", "gemv", "--map", "M1:{(65,1),(8,1),(1,16),(8,256)}"}, "<map>:1:5", "mapping-count"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(8,1),(1,8),(8,512)}"}, "<map>:1:18", "mapping-not-full"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(1,8),(1,16),(64,32)}"}, "<map>:1:12", "mapping-reduction-split"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(8,1),(1,16),(8,25)}"}, "<map>:1:1", "mapping-incomplete"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(8,1),(1,16),(8,256)};cyclic(block,3)"},
     "<map>:1:34",
     "mapping-cyclic-chunk"},
    {{"estimate", "gemv", "--map", "M1:{(64,1),(8,1),(1,16),(8,256)};order(n,m)"}, "gemv", "illegal-mapping"},
    {{"estimate", "gemv", "--map", "reference;tail=truncate"}, "gemv", "illegal-mapping"},
    {{"estimate", "gemv", "--map", "reference|auto"}, "--map", "map-count"},
    // data
    {{"simulate", "gemv", "--data", "rnadom"}, "--data", "bad-data"},
    {{"simulate", "gemv", "--data", "const:x"}, "--data", "bad-data"},
    {{"simulate", "gemv", "--data", "uniform:3,1"}, "--data", "bad-data"},
    {{"simulate", "gemv", "--data", "no_such.npy"}, "no_such.npy", "unreadable-file"},
    {{"simulate", "gemv", "--size", "m=2,n=3", "--data", "text.npy"}, "text.npy", "bad-npy"},
    {{"simulate", "gemv", "--size", "m=2,n=3", "--data", "truncated.npy"}, "truncated.npy", "bad-npy"},
    {{"simulate", "gemv", "--size", "m=2,n=3", "--data", "fortran.npy"}, "fortran.npy", "unsupported-npy"},
    {{"simulate", "gemv", "--size", "m=2,n=3", "--data", "f32.npy"}, "f32.npy", "bad-data"},
    {{"simulate", "gemv", "--size", "m=2,n=3", "--data", "x=short.npy"}, "short.npy", "bad-data"},
    {{"simulate", "gemv", "--size", "m=2,n=3", "--data", "q=short.npy"}, "--data", "bad-data"},
    // points
    {{"validate", "hbm-pym"}, "hbm-pym", "unknown-suite"},
    {{"validate", "hbm-pim", "--engine", "two-slices"}, "--engine", "unknown-engine"},
    {{"estimate", "gemv", "--engine", "simulate"}, "--engine", "unknown-engine"},
    {{"validate", "hbm-pim", "--points", "no_such.csv"}, "no_such.csv", "unreadable-points"},
    {{"validate", "hbm-pim", "--points", "no_points.csv"}, "no_points.csv", "unreadable-points"},
    {{"validate", "hbm-pim", "--points", "not_a_number.csv"}, "not_a_number.csv:3", "bad-points"},
    {{"validate", "hbm-pim", "--points", "no_cycles.csv"}, "no_cycles.csv:2", "bad-points"},
    {{"validate", "hbm-pim", "--points", "no_input_dim.csv"}, "no_input_dim.csv:2", "bad-points"},
    // outputs
    {{"estimate", "gemv", "-o", "no_such_folder/x"}, "no_such_folder/x", "unwritable-file"},
    {{"simulate", "gemv", "--trace", "no_such_folder/x"}, "no_such_folder/x", "unwritable-file"},
};

TEST(BrokenInputs, GiveStatusOneAPlaceACodeAndAHint) {
  EXPECT_GE(kBroken.size(), 30u);
  for (const Broken &b : kBroken) {
    if (!isRunHere(b)) continue;
    expectRefused(b);
  }
}

TEST(BrokenInputs, GiveNothingOnStandardOutputWithJson) {
  for (const Broken &b : kBroken) {
    if (!isRunHere(b) || b.arguments[0] == "compile" || b.arguments[0] == "targets") continue;
    Arguments arguments = b.arguments;
    arguments.emplace_back("--json");
    SCOPED_TRACE(listed(arguments));
    const Answer a = run(arguments);
    EXPECT_EQ(a.status, 1);
    EXPECT_EQ(a.output, "");
    EXPECT_NE(a.messages, "");
  }
}

TEST(BrokenInputs, AnUnknownOptionIsAnsweredWithTheNearest) {
  for (const Arguments &arguments :
       {Arguments{"estimate", "gemv", "--targt", "upmem"}, {"estimate", "--targt=upmem", "gemv"}}) {
    const Answer a = run(arguments);
    EXPECT_EQ(a.status, 2);
    EXPECT_NE(a.messages.find("pimento estimate has no option '--targt': did you mean '--target'?"), std::string::npos)
        << a.messages;
  }
  // An option of another verb is one that this verb has not.
  EXPECT_NE(run({"report", "a.json", "--size", "m=4"}).messages.find("report has no option '--size'"),
            std::string::npos);
}

TEST(BrokenInputs, WrongUsageGivesStatusTwo) {
  const std::vector<Arguments> all = {
      {},
      {"estimat", "gemv"},
      {"estimate"},
      {"simulate"},
      {"validate"},
      {"compile"},
      {"estimate", "gemv", "gemv"},
      {"estimate", "gemv", "--frob"},
      {"estimate", "gemv", "--jobs", "-1"},
      {"estimate", "gemv", "--engine", "two-slice", "--alpha", "nan"},
      {"estimate", "gemv", "--engine", "two-slice", "--alpha", "inf"},
      {"estimate", "gemv", "--jobs", "many"},
      {"estimate", "gemv", "--target"},
      {"estimate", "gemv", "--size"},
      {"estimate", "gemv", "--json=maybe"},
      {"simulate", "gemv", "--seed", "abc"},
      {"estimate", "gemv", "--data"},
      {"targets", "hbm-pim", "--map", "auto"},
  };
  for (Arguments arguments : all) {
    for (const bool isJson : {false, true}) {
      if (isJson) arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--json");
      SCOPED_TRACE(listed(arguments));
      const Answer a = run(arguments);
      EXPECT_EQ(a.status, 2) << a.messages;
      EXPECT_EQ(a.output, "");
      EXPECT_NE(a.messages, "");
    }
  }
}

TEST(BrokenInputs, WhatWorksPrintsOneJsonObjectAndNothingElse) {
  const std::vector<Arguments> all = {
      {"estimate", "gemv"},
      {"estimate", "gemv", "--map", "auto", "--size", "m=300,n=100"},
      {"simulate", "mlp", "--size", "n=40,hidden=50,m=6"},
      {"simulate", "va", "--size", "n=5000", "--map", "reference;tail=truncate"},  // has a warning
      {"simulate", "gemv", "--size", "m=10,n=20", "--data", "none"},
      {"compare", "gemv", "--targets", "all"},
      {"compare", "scan", "--targets", "hbm-pim,hbm-pim-sound"},  // errors stand in the rows
      {"targets"},
      {"targets", "hbm-pim"},
      {"kernels"},
      {"kernels", "gemv"},
  };
  for (Arguments arguments : all) {
    arguments.emplace_back("--json");
    SCOPED_TRACE(listed(arguments));
    const Answer a = run(arguments);
    EXPECT_EQ(a.status, 0) << a.messages;
    const nlohmann::json json = nlohmann::json::parse(a.output, nullptr, false);
    EXPECT_TRUE(json.is_object()) << a.output;
    EXPECT_EQ(a.messages.find('\r'), std::string::npos) << "progress has no place here";
  }
}

TEST(BrokenInputs, HelpAndVersionAreNoMistakes) {
  for (const Arguments &arguments : std::vector<Arguments>{{"--help"}, {"--version"}, {"estimate", "--help"}}) {
    const Answer a = run(arguments);
    EXPECT_EQ(a.status, 0) << listed(arguments);
    EXPECT_NE(a.output, "");
    EXPECT_EQ(a.messages, "");
  }
}

TEST(BrokenInputs, WithoutItsLibraryThePredictorSaysWhatToInstall) {
  ASSERT_EQ(setenv("PIMENTO_XGBOOST", "/nowhere/libxgboost.so", 1), 0);
  const Answer a =
      run({"tune", "gemv", "--size", "m=64,n=64", "--engine", "predictor", "--store", "none", "--train", "m=32,n=64"});
  unsetenv("PIMENTO_XGBOOST");
  EXPECT_EQ(a.status, 1) << a.messages;
  EXPECT_NE(a.messages.find("[predictor-library]"), std::string::npos) << a.messages;
  EXPECT_NE(a.messages.find("libxgboost-dev"), std::string::npos) << a.messages;
}

// Started by mpirun, but installed without MPI: the module lies beside the tool, which is copied alone here.
TEST(Ranks, WithoutMpiAreADiagnostic) {
  const Folder folder;
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::copy(kTool, folder / "bin/pimento");
  const std::string out = folder / "out", err = folder / "err";
  const int status = std::system(("OMPI_COMM_WORLD_SIZE=2 PIMENTO_MACHINES=" + quoted(PIMENTO_SOURCE_DIR "/machines") +
                                  " " + quoted(folder / "bin/pimento") + " explore gemv --size m=64,n=64 >" +
                                  quoted(out) + " 2>" + quoted(err))
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(contents(out), "");
  EXPECT_NE(contents(err).find("[mpi-missing]"), std::string::npos) << contents(err);
  EXPECT_NE(contents(err).find("hint: "), std::string::npos);
}

}  // namespace
}  // namespace pimento::test
