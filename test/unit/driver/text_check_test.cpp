// `simulate --check`: what an answer was held against, on every target and mapping, and what is said where it was not.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

constexpr const char *kProduct =
    "void gemv(int m, int n, const float A[restrict m][n], const float x[restrict n], float y[restrict m]) {\n"
    "  for (int i = 0; i < m; i++) {\n"
    "    float s = 0;\n"
    "    for (int j = 0; j < n; j++) s += A[i][j] * x[j];\n"
    "    y[i] = s;\n"
    "  }\n"
    "}\n";

Options ofText(const std::string &file, const std::string &text, const std::string &target) {
  Options o;
  o.input = file;
  o.text = text;
  o.target = target;
  return o;
}

Json simulated(Options o) {
  o.isJson = true;
  const Outcome out = run(VerbId::kSimulate, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return out.status == 0 ? Json::parse(out.text) : Json();
}

bool warns(const Json &report, const std::string &of) {
  return std::ranges::any_of(report["warnings"],
                             [&](const Json &w) { return w.get<std::string>().find(of) != std::string::npos; });
}

TEST(TextCheck, AnAnswerInTheOrderOfTheTextHasItsBits) {
  Options o = ofText("gemv.c", kProduct, "upmem");
  o.sizes = {"m=20,n=30"};
  o.maps = {"reference"};
  EXPECT_EQ(simulated(o)["checked_against"], "C, bit for bit");
  o.maps = {"reference;tail=pad"};
  for (const char *data : {"const:0.1", "uniform:-2,3", "zero"}) {
    o.data = data;
    EXPECT_EQ(simulated(o)["checked_against"], "C, bit for bit") << data;
  }
}

TEST(TextCheck, AnAnswerInAnotherOrderIsWithinTheBound) {
  Options o = ofText("gemv.c", kProduct, "upmem");
  o.sizes = {"m=4,n=256"};
  o.maps = {"M1:{(1,1),(1,1),(1,16),(4,16)}"};
  const Json report = simulated(o);
  EXPECT_EQ(report["checked"], true);
  EXPECT_EQ(report["checked_against"], "C, within the error bound");
}

TEST(TextCheck, TheInterpreterAloneWhereTheUserSaysSoOrThereIsNoText) {
  Options o = ofText("gemv.c", kProduct, "upmem");
  o.sizes = {"m=20,n=30"};
  o.maps = {"reference"};
  o.check = "interpreter";
  EXPECT_EQ(simulated(o)["checked_against"], "interpreter");
  o.check = "text";
  EXPECT_EQ(simulated(o)["checked_against"], "C, bit for bit");
  Options notation;
  notation.input = "y[i] = a[i] + b[i]";
  notation.sizes = {"i=64"};
  EXPECT_EQ(simulated(notation)["checked_against"], "interpreter");
  notation.data = "none";
  EXPECT_TRUE(simulated(notation)["checked_against"].is_null());
}

TEST(TextCheck, MlirIsHeldAgainstMlir) {
  const std::string text = R"(
    func.func @f(%A: tensor<32x64xf16>, %x: tensor<64xf16>) -> tensor<32xf16> {
      %zero = arith.constant 0.0 : f16
      %e = tensor.empty() : tensor<32xf16>
      %s = linalg.fill ins(%zero : f16) outs(%e : tensor<32xf16>) -> tensor<32xf16>
      %y = linalg.matvec ins(%A, %x : tensor<32x64xf16>, tensor<64xf16>) outs(%s : tensor<32xf16>) -> tensor<32xf16>
      return %y : tensor<32xf16>
    })";
  for (const char *target : {"hbm-pim", "upmem"})
    EXPECT_EQ(simulated(ofText("f.mlir", text, target))["checked_against"], "MLIR, within the error bound") << target;
  const std::string sum = R"(
    func.func @f(%x: memref<100xi32>, %y: memref<100xi32>) {
      linalg.add ins(%x, %y : memref<100xi32>, memref<100xi32>) outs(%y : memref<100xi32>)
      return
    })";
  EXPECT_EQ(simulated(ofText("f.mlir", sum, "upmem"))["checked_against"], "MLIR, bit for bit");
}

TEST(TextCheck, WhatCannotBeHeldAgainstTheTextIsSaid) {
  const std::string divides =
      "void f(const int x[restrict 4], int y[restrict 4]) { for (int i = 0; i < 4; i++) y[i] = 7 / x[i]; }";
  Options o = ofText("f.c", divides, "upmem");
  o.data = "zero";
  const Json report = simulated(o);
  EXPECT_EQ(report["checked"], true);
  EXPECT_EQ(report["checked_against"], "interpreter");
  EXPECT_TRUE(warns(report, "f.c:1:91: the results were not compared with the source: on these data it divides by 0"))
      << report["warnings"];
}

TEST(TextCheck, TheTableSaysBoth) {
  Options o = ofText("gemv.c", kProduct, "upmem");
  o.sizes = {"m=20,n=30"};
  o.maps = {"reference"};
  const Outcome out = run(VerbId::kSimulate, o);
  ASSERT_EQ(out.status, 0);
  EXPECT_NE(out.text.find("checked    yes, bit for bit against the reference interpreter; source: C, bit for bit"),
            std::string::npos)
      << out.text;
}

TEST(TextCheck, WhereThereIsNoTextNothingCanBeHeldAgainstIt) {
  Options o;
  o.input = "va";
  o.check = "text";
  const Outcome out = run(VerbId::kSimulate, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics[0].code, "no-text");
}

TEST(TextCheck, AnotherWordIsAWrongOption) {
  Options o = ofText("gemv.c", kProduct, "upmem");
  o.sizes = {"m=20,n=30"};
  o.check = "texts";
  const Outcome out = run(VerbId::kSimulate, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics[0].code, "unknown-check");
  EXPECT_EQ(out.diagnostics[0].where.str(), "--check");
  EXPECT_NE(out.diagnostics[0].hint.find("did you mean 'text'?"), std::string::npos) << out.diagnostics[0].hint;
}

}  // namespace
}  // namespace pimento::driver
