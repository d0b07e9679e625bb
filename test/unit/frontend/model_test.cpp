// Models as lists of operators: their text, what simplification joins, and what stays on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "pimento/frontend/model/import.h"
#include "pimento/frontend/model/simplify.h"
#include "pimento/frontend/model/text.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::frontend::model {
namespace {

using kernel::TensorData;

TensorData number(double x, std::vector<std::int64_t> shape = {}) {
  TensorData data(DType::kF32, std::move(shape));
  for (std::int64_t n = 0; n < data.elements(); ++n) data.setDouble(n, x + static_cast<double>(n));
  return data;
}

Operator op(std::string kind, std::vector<std::string> inputs, std::string output,
            std::map<std::string, Attribute> attributes = {}) {
  return {std::move(kind), "", std::move(inputs), {std::move(output)}, std::move(attributes), {"m", 0, 0}};
}

/// x of 2 x 6 through operators to y.
Model modelOf(std::vector<Operator> operators) {
  Model m;
  m.name = "m";
  m.where = {"m", 0, 0};
  m.inputs = {{"x", DType::kF32, {{2, {}}, {6, {}}}}};
  m.outputs = {"y"};
  m.constants = {{"root2", number(std::sqrt(2.0))},
                 {"one", number(1)},
                 {"half", number(0.5)},
                 {"two", number(2)},
                 {"eps", number(1e-5)},
                 {"scale", number(1, {6})},
                 {"bias", number(0.25, {6})},
                 {"rootHalf", number(std::sqrt(0.5))}};
  m.operators = std::move(operators);
  return m;
}

std::vector<std::string> kinds(const Model &m) {
  std::vector<std::string> out;
  for (const Operator &o : m.operators) out.push_back(o.kind);
  return out;
}

using Kinds = std::vector<std::string>;

TEST(Simplify, GeluInAnyOrderOfItsFactors) {
  const std::vector<Operator> head = {op("Div", {"x", "root2"}, "a"), op("Erf", {"a"}, "b"),
                                      op("Add", {"b", "one"}, "c")};
  const std::vector<std::vector<Operator>> tails = {
      {op("Mul", {"x", "c"}, "d"), op("Mul", {"d", "half"}, "y")},
      {op("Mul", {"half", "c"}, "d"), op("Mul", {"d", "x"}, "y")},
      {op("Mul", {"x", "half"}, "d"), op("Mul", {"d", "c"}, "y")},
  };
  for (const auto &tail : tails) {
    std::vector<Operator> all = head;
    all.insert(all.end(), tail.begin(), tail.end());
    Model m = modelOf(all);
    simplify(m);
    EXPECT_EQ(kinds(m), Kinds{"Gelu"});
    EXPECT_EQ(m.operators[0].inputs, Kinds{"x"});
  }
  Model m = modelOf({op("Mul", {"x", "rootHalf"}, "a"), op("Erf", {"a"}, "b"), op("Add", {"one", "b"}, "c"),
                     op("Mul", {"c", "x"}, "d"), op("Mul", {"half", "d"}, "y")});
  simplify(m);
  EXPECT_EQ(kinds(m), Kinds{"Gelu"});
}

TEST(Simplify, WhatIsNearlyGeluStays) {
  // Another factor, another summand, and a value that someone else reads.
  Model m = modelOf({op("Div", {"x", "root2"}, "a"), op("Erf", {"a"}, "b"), op("Add", {"b", "one"}, "c"),
                     op("Mul", {"x", "c"}, "d"), op("Mul", {"d", "two"}, "y")});
  simplify(m);
  EXPECT_EQ(m.operators.size(), 5u);
  m = modelOf({op("Div", {"x", "root2"}, "a"), op("Erf", {"a"}, "b"), op("Add", {"b", "two"}, "c"),
               op("Mul", {"x", "c"}, "d"), op("Mul", {"d", "half"}, "y")});
  simplify(m);
  EXPECT_EQ(m.operators.size(), 5u);
  m = modelOf({op("Div", {"x", "root2"}, "a"), op("Erf", {"a"}, "b"), op("Add", {"b", "one"}, "c"),
               op("Mul", {"x", "c"}, "d"), op("Mul", {"d", "half"}, "e"), op("Add", {"e", "c"}, "y")});
  simplify(m);
  EXPECT_EQ(m.operators.size(), 6u);
}

TEST(Simplify, LayerNormalizationAndItsRelatives) {
  const std::vector<std::int64_t> last = {-1};
  const auto parts = [&](bool isPower) {
    return std::vector<Operator>{op("ReduceMean", {"x"}, "mean", {{"axes", last}}),
                                 op("Sub", {"x", "mean"}, "d"),
                                 isPower ? op("Pow", {"d", "two"}, "p") : op("Mul", {"d", "d"}, "p"),
                                 op("ReduceMean", {"p"}, "v", {{"axes", last}}),
                                 op("Add", {"v", "eps"}, "s"),
                                 op("Sqrt", {"s"}, "r"),
                                 op("Div", {"d", "r"}, "n"),
                                 op("Mul", {"n", "scale"}, "w"),
                                 op("Add", {"w", "bias"}, "y")};
  };
  for (const bool isPower : {true, false}) {
    Model m = modelOf(parts(isPower));
    simplify(m);
    ASSERT_EQ(kinds(m), Kinds{"LayerNormalization"});
    EXPECT_EQ(m.operators[0].inputs, (Kinds{"x", "scale", "bias"}));
    EXPECT_EQ(std::get<std::int64_t>(m.operators[0].attributes.at("axis")), -1);
  }
  Model m = modelOf(parts(true));
  m.operators[0].attributes["axes"] = std::vector<std::int64_t>{0};
  simplify(m);
  EXPECT_EQ(m.operators.size(), 9u);
  m = modelOf({op("Sigmoid", {"x"}, "s"), op("Mul", {"x", "s"}, "y")});
  simplify(m);
  EXPECT_EQ(kinds(m), Kinds{"Silu"});
  m = modelOf({op("Div", {"one", "x"}, "y")});
  simplify(m);
  EXPECT_EQ(kinds(m), Kinds{"Reciprocal"});
}

/// Joined and in pieces, the same numbers to the last digits.
TEST(Simplify, ComputesTheSame) {
  Model pieces = modelOf({op("Div", {"x", "root2"}, "a"), op("Erf", {"a"}, "b"), op("Add", {"b", "one"}, "c"),
                          op("Mul", {"x", "c"}, "d"), op("Mul", {"d", "half"}, "e"), op("Identity", {"b"}, "z"),
                          op("Add", {"e", "z"}, "y")});  // b is read twice, so nothing is joined
  Model joined = modelOf(
      {op("Gelu", {"x"}, "e"), op("Div", {"x", "root2"}, "a"), op("Erf", {"a"}, "b"), op("Add", {"e", "b"}, "y")});
  std::vector<double> results[2];
  for (const Model *m : {&pieces, &joined}) {
    const auto imported = importModel(*m, {});
    ASSERT_TRUE(imported.ok()) << imported.diagnostics().front().str();
    kernel::DataSet data = kernel::makeData(imported->graph, {});
    for (const auto &[t, bytes] : imported->contents) data[static_cast<std::size_t>(t)].bytes = bytes;
    ASSERT_TRUE(kernel::interpret(imported->graph, data).ok());
    for (std::size_t t = 0; t < data.size(); ++t)
      if (imported->graph.tensors[t].role == kernel::Role::kOutput)
        for (std::int64_t n = 0; n < data[t].elements(); ++n)
          results[m == &joined ? 1 : 0].push_back(data[t].asDouble(n));
  }
  ASSERT_EQ(results[0].size(), 12u);
  ASSERT_EQ(results[1].size(), 12u);
  for (std::size_t n = 0; n < results[0].size(); ++n) EXPECT_NEAR(results[0][n], results[1][n], 1e-6);
}

TEST(Simplify, WhatNoOutputNeedsIsLeftOut) {
  Model m = modelOf({op("Relu", {"x"}, "y"), op("Nonsense", {"x"}, "z"), op("Exp", {"z"}, "q")});
  simplify(m);
  EXPECT_EQ(kinds(m), Kinds{"Relu"});
}

TEST(Host, TakesResultsAndGivesInputs) {
  Model m = modelOf({op("Relu", {"x"}, "a"), op("TopK", {"a"}, "b"), op("Exp", {"b"}, "y")});
  m.known["b"] = {"b", DType::kF32, {{2, {}}, {3, {}}}};
  const auto imported = importModel(m, {});
  ASSERT_TRUE(imported.ok()) << imported.diagnostics().front().str();
  std::map<std::string, kernel::Role> roles;
  for (const kernel::Tensor &t : imported->graph.tensors) roles[t.name] = t.role;
  EXPECT_EQ(roles.at("a"), kernel::Role::kOutput);
  EXPECT_EQ(roles.at("b"), kernel::Role::kInput);
  EXPECT_EQ(roles.at("y"), kernel::Role::kOutput);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].code, "model-host");
  EXPECT_NE(imported->warnings[0].message.find("TopK 'b' stays on the host, untimed: it takes a and makes b"),
            std::string::npos)
      << imported->warnings[0].message;
}

TEST(Host, MayMakeAnOutput) {
  Model m = modelOf({op("Relu", {"x"}, "a"), op("TopK", {"a"}, "y")});
  m.known["y"] = {"y", DType::kF32, {{2, {}}, {3, {}}}};
  const auto imported = importModel(m, {});
  ASSERT_TRUE(imported.ok()) << imported.diagnostics().front().str();
  EXPECT_EQ(imported->graph.kernels.size(), 1u);
}

std::string textOf(const std::string &head, const std::string &contents = "") {
  return head + "\n" + contents;
}

constexpr const char *kRelu =
    R"({"model":1,"name":"m","opset":17,"files":["m.py"],"inputs":[{"name":"x","type":"f32","shape":[2,"n"]}],)"
    R"("outputs":["y"],"constants":[{"name":"c","type":"f32","shape":[1],"at":0}],"known":[],)"
    R"("operators":[{"op":"Add","name":"a","inputs":["x","c"],"outputs":["y"],)"
    R"("attributes":{"i":1,"f":0.5,"s":"t","is":[1,2],"fs":[0.5,2]},"place":[3,0,0]}]})";

TEST(Text, SaysWhatAModelHolds) {
  const float c = 1.5F;
  std::string contents(sizeof c, '\0');
  std::memcpy(contents.data(), &c, sizeof c);
  const Result<Model> m = readModel(textOf(kRelu, contents), "t.model");
  ASSERT_TRUE(m.ok()) << m.diagnostics().front().str();
  EXPECT_EQ(m->constants.at("c").asDouble(0), 1.5);
  EXPECT_EQ(m->inputs.at(0).shape.at(1).name, "n");
  const Operator &add = m->operators.at(0);
  EXPECT_EQ(add.where.str(), "m.py:3");
  EXPECT_EQ(std::get<std::int64_t>(add.attributes.at("i")), 1);
  EXPECT_EQ(std::get<double>(add.attributes.at("f")), 0.5);
  EXPECT_EQ(std::get<std::string>(add.attributes.at("s")), "t");
  EXPECT_EQ(std::get<std::vector<double>>(add.attributes.at("fs")).at(1), 2.0);
  EXPECT_TRUE(importModel(*m, {{"n", 4}}).ok());
}

TEST(Text, ThatIsNoneIsRefused) {
  const auto refused = [](const std::string &text, const std::string &why) {
    const Result<Model> m = readModel(text, "t.model");
    ASSERT_FALSE(m.ok()) << text;
    EXPECT_EQ(m.diagnostics().front().code, "model-syntax");
    EXPECT_EQ(m.diagnostics().front().where.file, "t.model");
    EXPECT_NE(m.diagnostics().front().message.find(why), std::string::npos) << m.diagnostics().front().message;
  };
  refused("", "not JSON");
  refused("{", "not JSON");
  refused("{}", "\"model\": 1");
  refused("[1]", "\"model\": 1");
  refused(kRelu, "lies outside the 0 bytes");
  const auto changed = [](std::string text, const std::string &from, const std::string &to) {
    return text.replace(text.find(from), from.size(), to) + "\n1234";
  };
  refused(changed(kRelu, "\"f32\"", "\"f33\""), "'f33' is not an element type");
  refused(changed(kRelu, "[2,\"n\"]", "[-2]"), "a dimension of 'x'");
  refused(changed(kRelu, "\"shape\":[1]", "\"shape\":[\"n\"]"), "size that is a name");
  refused(changed(kRelu, "\"shape\":[1]", "\"shape\":[4611686018427387904,4]"), "lies outside");
  refused(changed(kRelu, "\"at\":0", "\"at\":-1"), "lies outside");
  refused(changed(kRelu, "[\"x\",\"c\"]", "[1]"), "'inputs' holds what is not a text");
  refused(changed(kRelu, "[\"x\",\"c\"]", "3"), "'inputs' is not a list");
  refused(changed(kRelu, "[0.5,2]", "[[0]]"), "attribute 'fs'");
}

}  // namespace
}  // namespace pimento::frontend::model
