// What loops of a nest are (parallel, reduction, sequential), and which statements become kernels of their own.
#include <string>
#include <vector>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

using kernel::DimKind;

std::string function(const std::string &arguments, const std::string &body) {
  return "func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n";
}

/// "pr" for a parallel loop around a reduction; 's' is sequential.
std::string kindsOf(const kernel::Kernel &k) {
  std::string kinds;
  for (const kernel::Dim &d : k.dims) kinds += "prs"[static_cast<int>(d.kind)];
  return kinds;
}

/// Kinds of the loops of a nest whose body stores to %y[index] what `op` makes of x[i][j] and %y[from].
std::string kindsOfUpdate(const std::string &index, const std::string &from, const std::string &op = "addf") {
  const Executed run(function("%x: memref<4x5xf32>, %y: memref<64xf32>",
                              "affine.for %i = 0 to 4 {\n affine.for %j = 0 to 5 {\n"
                              "%a = affine.load %x[%i, %j] : memref<4x5xf32>\n%o = affine.load %y[" +
                                  from + "] : memref<64xf32>\n%r = arith." + op +
                                  " %o, %a : f32\naffine.store %r, %y[" + index + "] : memref<64xf32>\n}\n}"));
  return run.graph.kernels.empty() ? "" : kindsOf(run.graph.kernels.back());
}

TEST(AffineKinds, ALoopThatTheTargetLacksIsAReduction) {
  EXPECT_EQ(kindsOfUpdate("%i", "%i"), "pr");
  EXPECT_EQ(kindsOfUpdate("%j", "%j"), "rp");
  EXPECT_EQ(kindsOfUpdate("3", "3"), "rr");
  for (const char *op : {"mulf", "subf", "minimumf", "maximumf"}) EXPECT_EQ(kindsOfUpdate("%i", "%i", op), "pr") << op;
}

TEST(AffineKinds, AFlattenedIndexTellsItsLoopsApart) {
  EXPECT_EQ(kindsOfUpdate("%i * 5 + %j", "%i * 5 + %j"), "pp");
  EXPECT_EQ(kindsOfUpdate("%i + %j * 4", "%i + %j * 4"), "pp");
}

TEST(AffineKinds, AReadOfAnEarlierIterationIsSequential) {
  const Executed run(function("%x: memref<8xf32>, %y: memref<8xf32>", R"(
    affine.for %i = 1 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      %o = affine.load %y[%i - 1] : memref<8xf32>
      %r = arith.addf %o, %a : f32
      affine.store %r, %y[%i] : memref<8xf32>
    })"));
  EXPECT_EQ(kindsOf(run.graph.kernels.back()), "s");
  const auto x = run.in("x"), y = run.out("y");
  float sum = static_cast<float>(run.in("y")[0]);
  for (std::size_t e = 1; e < 8; ++e) {
    sum += static_cast<float>(x[e]);
    EXPECT_EQ(y[e], sum) << e;
  }
}

TEST(AffineKinds, AReadOfALaterIterationIsSequentialToo) {
  const Executed run(function("%y: memref<8xf32>", R"(
    affine.for %i = 0 to 7 {
      %o = affine.load %y[%i + 1] : memref<8xf32>
      affine.store %o, %y[%i] : memref<8xf32>
    })"));
  EXPECT_EQ(kindsOf(run.graph.kernels.back()), "s");
  const auto old = run.in("y"), y = run.out("y");
  for (std::size_t e = 0; e < 8; ++e) EXPECT_EQ(y[e], old[e < 7 ? e + 1 : 7]) << e;
}

TEST(AffineKinds, ElementsThatNeverMeetLeaveTheLoopParallelOrInOrder) {
  const Executed run(function("%y: memref<8xf32>", R"(
    affine.for %i = 0 to 4 {
      %o = affine.load %y[%i * 2] : memref<8xf32>
      affine.store %o, %y[%i * 2 + 1] : memref<8xf32>
    })"));
  const auto old = run.in("y"), y = run.out("y");
  for (std::size_t e = 0; e < 8; ++e) EXPECT_EQ(y[e], old[e / 2 * 2]) << e;
}

TEST(AffineKinds, ADiagonalRecurrenceRunsInOrder) {
  const Executed run(function("%y: memref<4x6xf32>", R"(
    affine.for %i = 1 to 4 {
      affine.for %j = 0 to 5 {
        %o = affine.load %y[%i - 1, %j + 1] : memref<4x6xf32>
        affine.store %o, %y[%i, %j] : memref<4x6xf32>
      }
    })"));
  auto y = run.in("y");
  for (std::size_t i = 1; i < 4; ++i) {
    for (std::size_t j = 0; j < 5; ++j) y[i * 6 + j] = y[(i - 1) * 6 + j + 1];
  }
  EXPECT_EQ(run.out("y"), y);
}

TEST(AffineKinds, StatementsOfOneNestBecomeKernelsOfTheirOwn) {
  const Executed run(function("%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>", R"(
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %y[%i] : memref<8xf32>
      %c = affine.load %y[%i] : memref<8xf32>
      %d = arith.mulf %c, %a : f32
      affine.store %d, %z[%i] : memref<8xf32>
    })"));
  EXPECT_EQ(run.graph.kernels.size(), 2u);
  const auto x = run.in("x"), z = run.out("z");
  for (std::size_t e = 0; e < 8; ++e) {
    const float a = static_cast<float>(x[e]);
    EXPECT_EQ(z[e], (a + a) * a);
  }
}

TEST(AffineKinds, AStatementAfterAnInnerLoopSeesItsResult) {
  const Executed run(function("%x: memref<3x5xf32>, %y: memref<3xf32>, %z: memref<3xf32>", R"(
    %zero = arith.constant 0.0 : f32
    affine.for %i = 0 to 3 {
      affine.store %zero, %y[%i] : memref<3xf32>
      affine.for %j = 0 to 5 {
        %a = affine.load %x[%i, %j] : memref<3x5xf32>
        %o = affine.load %y[%i] : memref<3xf32>
        %r = arith.addf %o, %a : f32
        affine.store %r, %y[%i] : memref<3xf32>
      }
      %s = affine.load %y[%i] : memref<3xf32>
      %t = arith.mulf %s, %s : f32
      affine.store %t, %z[%i] : memref<3xf32>
    })"));
  EXPECT_EQ(run.graph.kernels.size(), 2u);
  const auto x = run.in("x"), z = run.out("z");
  for (std::size_t i = 0; i < 3; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < 5; ++j) sum += static_cast<float>(x[i * 5 + j]);
    EXPECT_EQ(z[i], sum * sum);
  }
}

TEST(AffineKinds, ALaterIterationThatReadsWhatAnEarlierStatementWroteBeforeIsDistributed) {
  const Executed run(function("%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>", R"(
    affine.for %i = 1 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      affine.store %a, %y[%i] : memref<8xf32>
      %b = affine.load %y[%i - 1] : memref<8xf32>
      affine.store %b, %z[%i] : memref<8xf32>
    })"));
  const auto x = run.in("x"), y = run.in("y"), z = run.out("z");
  for (std::size_t e = 1; e < 8; ++e) EXPECT_EQ(z[e], e == 1 ? y[0] : x[e - 1]) << e;
}

}  // namespace
}  // namespace pimento::frontend
