// Models that cannot be imported: what is wrong, and with which operator.
#include <gtest/gtest.h>

#include "pimento/frontend/model/import.h"
#include "pimento/frontend/onnx/read.h"

namespace pimento::frontend {
namespace {

using model::Attribute;
using model::Model;
using model::Operator;

kernel::TensorData integers(const std::vector<std::int64_t> &values) {
  kernel::TensorData data(DType::kI64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) data.setInteger(static_cast<std::int64_t>(i), values[i]);
  return data;
}

/// x of 2 x 6 into one operator, whose output is the model's.
Model one(Operator op) {
  Model m;
  m.where = {"m.onnx", 0, 0};
  m.inputs = {{"x", DType::kF32, {{2, {}}, {6, {}}}}};
  m.outputs = {"y"};
  op.outputs = {"y"};
  op.where = m.where;
  m.operators = {std::move(op)};
  return m;
}

Diagnostic first(const Model &m, const kernel::Sizes &sizes = {}) {
  const auto imported = model::importModel(m, sizes);
  EXPECT_FALSE(imported.ok());
  return imported ? Diagnostic() : imported.diagnostics().front();
}

void expectCode(const Model &m, const std::string &code, const std::string &named) {
  const Diagnostic d = first(m);
  EXPECT_EQ(d.code, code) << d.message;
  EXPECT_NE(d.message.find(named), std::string::npos) << d.message;
  EXPECT_FALSE(d.hint.empty());
  EXPECT_EQ(d.where.file, "m.onnx");
}

TEST(ModelErrors, OperatorsAreNamed) {
  expectCode(one({"Convolution", "c1", {"x"}, {}, {}, {}}), "model-operator", "Convolution 'c1'");
  EXPECT_NE(first(one({"Rellu", "", {"x"}, {}, {}, {}})).hint.find("'Relu'"), std::string::npos);
}

TEST(ModelErrors, WhatNothingMakesIsNamed) {
  expectCode(one({"Add", "", {"x", "z"}, {}, {}, {}}), "model-value", "'z'");
  expectCode(one({"Add", "", {"x"}, {}, {}, {}}), "model-value", "input 2");
  Model m = one({"Relu", "", {"x"}, {}, {}, {}});
  m.outputs = {"q"};
  expectCode(m, "model-value", "'q'");
}

TEST(ModelErrors, ShapesMustFit) {
  Model m = one({"Add", "", {"x", "z"}, {}, {}, {}});
  m.inputs.push_back({"z", DType::kF32, {{5, {}}}});
  expectCode(m, "model-shape", "2 x 6");
  m = one({"MatMul", "", {"x", "x"}, {}, {}, {}});
  expectCode(m, "model-shape", "2 x 6 times 2 x 6");
  m = one({"Reshape", "", {"x", "s"}, {}, {}, {}});
  m.constants["s"] = integers({5, 3});
  expectCode(m, "model-shape", "12");
  m = one({"Conv", "", {"x", "x"}, {}, {}, {}});
  expectCode(m, "model-shape", "weights");
}

TEST(ModelErrors, ExtentsAreNumbersThatATensorCanHave) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  Model m = one({"Reshape", "", {"x", "s"}, {}, {}, {}});
  m.constants["s"] = integers({-3, -4});
  expectCode(m, "model-value", "-3");
  m.constants["s"] = integers({kHuge, kHuge, 4});
  expectCode(m, "model-shape", "12");
  m.constants["s"] = integers({kHuge, 4, -1});
  expectCode(m, "model-shape", "12");
  m = one({"ConstantOfShape", "", {"s"}, {}, {}, {}});
  m.constants["s"] = integers({-2, -6});
  expectCode(m, "model-value", "-2");
  m.constants["s"] = integers({kHuge, 8});
  expectCode(m, "model-shape", "too many");
  m = one({"Range", "", {"a", "b", "c"}, {}, {}, {}});
  m.constants["a"] = integers({0});
  m.constants["b"] = integers({kHuge});
  m.constants["c"] = integers({1});
  expectCode(m, "model-shape", "too many");
}

TEST(ModelErrors, ReshapesThatShareNoDimensionsAreRefused) {
  Model m = one({"Reshape", "", {"x", "s"}, {}, {}, {}});
  m.inputs[0].shape = {{4, {}}, {6, {}}};
  m.constants["s"] = integers({6, 4});
  expectCode(m, "model-reshape", "4 x 6");
}

TEST(ModelErrors, WhatMustBeKnownIsKnown) {
  Model m = one({"Reshape", "", {"x", "s"}, {}, {}, {}});
  m.inputs.push_back({"s", DType::kI64, {{2, {}}}});
  expectCode(m, "model-value", "'s'");
  m = one({"Pow", "", {"x", "e"}, {}, {}, {}});
  m.inputs.push_back({"e", DType::kF32, {}});
  expectCode(m, "model-operator", "exponent");
}

TEST(ModelErrors, AttributesHaveTheirRanges) {
  expectCode(one({"Softmax", "", {"x"}, {}, {{"axis", std::int64_t{2}}}, {}}), "model-attribute", "axis 2");
  expectCode(one({"Transpose", "", {"x"}, {}, {{"perm", std::vector<std::int64_t>{0, 0}}}, {}}), "model-attribute",
             "perm");
  expectCode(one({"Cast", "", {"x"}, {}, {{"to", std::int64_t{8}}}, {}}), "model-type", "cast");
}

TEST(ModelErrors, DimensionsWithNamesNeedSizes) {
  Model m = one({"Relu", "", {"x"}, {}, {}, {}});
  m.inputs[0].shape[0] = {-1, "batch"};
  const Diagnostic d = first(m);
  EXPECT_EQ(d.code, "model-size");
  EXPECT_NE(d.hint.find("--size batch="), std::string::npos) << d.hint;
  EXPECT_TRUE(model::importModel(m, {{"batch", 3}}).ok());
  EXPECT_EQ(first(m, {{"batch", 3}, {"bach", 3}}).code, "model-size");
}

TEST(OnnxErrors, FilesThatAreNoneAreRefused) {
  for (const std::string &bytes : {std::string(), std::string("a text"), std::string(100, '\xff')}) {
    const auto read = readOnnx(bytes, "m.onnx");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.diagnostics().front().code, hasOnnx() ? "onnx-parse" : "onnx-reader");
    EXPECT_EQ(read.diagnostics().front().where.file, "m.onnx");
  }
}

}  // namespace
}  // namespace pimento::frontend
