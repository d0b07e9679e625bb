// ONNX files that are well formed and cannot be read.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "pimento/base/file.h"
#include "pimento/frontend/onnx/read.h"
#include "test/support/folder.h"

namespace pimento::test {
namespace {

/// y = relu(x) of four numbers.
onnx::ModelProto relu() {
  onnx::ModelProto m;
  m.set_ir_version(8);
  auto *set = m.add_opset_import();
  set->set_domain("");
  set->set_version(17);
  onnx::GraphProto *g = m.mutable_graph();
  onnx::NodeProto *node = g->add_node();
  node->set_op_type("Relu");
  node->add_input("x");
  node->add_output("y");
  onnx::ValueInfoProto *x = g->add_input();
  x->set_name("x");
  auto *type = x->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  type->mutable_shape()->add_dim()->set_dim_value(4);
  g->add_output()->set_name("y");
  return m;
}

onnx::TensorProto *weights(onnx::ModelProto &m) {
  onnx::TensorProto *w = m.mutable_graph()->add_initializer();
  w->set_name("w");
  w->set_data_type(onnx::TensorProto::FLOAT);
  w->add_dims(4);
  return w;
}

void expectCode(const onnx::ModelProto &m, const std::string &code, const std::string &named,
                const std::string &file = "m.onnx") {
  const auto read = frontend::readOnnx(m.SerializeAsString(), file);
  ASSERT_FALSE(read.ok()) << code;
  const Diagnostic &d = read.diagnostics().front();
  EXPECT_EQ(d.code, code) << d.message;
  EXPECT_NE(d.message.find(named), std::string::npos) << d.message;
  EXPECT_FALSE(d.hint.empty());
  EXPECT_EQ(d.where.file, file);
}

TEST(OnnxFiles, ThisOneIsRead) {
  const auto read = frontend::readOnnx(relu().SerializeAsString(), "m.onnx");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->operators.size(), 1u);
}

TEST(OnnxFiles, OfNewerOrVeryOldOperatorSetsAreRefused) {
  onnx::ModelProto m = relu();
  m.mutable_opset_import(0)->set_version(99);
  expectCode(m, "onnx-operator-set", "99");
  m.mutable_opset_import(0)->set_version(6);
  expectCode(m, "onnx-operator-set", "6");
}

TEST(OnnxFiles, HoldNumbers) {
  onnx::ModelProto m = relu();
  m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::STRING);
  expectCode(m, "onnx-type", "'x'");
}

TEST(OnnxFiles, LeaveLoopsAndForeignOperatorsToTheHost) {
  onnx::ModelProto m = relu();
  auto *a = m.mutable_graph()->mutable_node(0)->add_attribute();
  a->set_name("body");
  a->set_type(onnx::AttributeProto::GRAPH);
  auto read = frontend::readOnnx(m.SerializeAsString(), "m.onnx");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->operators[0].isOnHost);
  m = relu();
  m.mutable_graph()->mutable_node(0)->set_domain("org.example");
  read = frontend::readOnnx(m.SerializeAsString(), "m.onnx");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->operators[0].isOnHost);
}

TEST(OnnxFiles, WithSequencesAreRefused) {
  onnx::ModelProto m = relu();
  m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type();
  expectCode(m, "onnx-form", "'x'");
}

TEST(OnnxFiles, WeightsFillTheirShape) {
  onnx::ModelProto m = relu();
  weights(m)->set_raw_data("12345678");
  expectCode(m, "onnx-tensor", "8 bytes instead of 16");
  m = relu();
  weights(m)->add_float_data(1);
  expectCode(m, "onnx-tensor", "1 values");
  m = relu();
  onnx::TensorProto *w = weights(m);
  w->set_dims(0, -4);
  expectCode(m, "onnx-tensor", "impossible");
}

TEST(OnnxFiles, WeightsLieBesideTheModel) {
  const Folder folder;
  const auto model = [&](const std::string &location, const std::string &offset) {
    onnx::ModelProto m = relu();
    onnx::TensorProto *w = weights(m);
    w->set_data_location(onnx::TensorProto::EXTERNAL);
    auto *where = w->add_external_data();
    where->set_key("location");
    where->set_value(location);
    auto *at = w->add_external_data();
    at->set_key("offset");
    at->set_value(offset);
    return m;
  };
  const std::string file = folder / "m.onnx";
  ASSERT_TRUE(writeFile(folder / "w.bin", std::string(20, 'x')).ok());
  EXPECT_TRUE(frontend::readOnnx(model("w.bin", "4").SerializeAsString(), file).ok());
  expectCode(model("w.bin", "8"), "onnx-external", "'w'", file);
  expectCode(model("none.bin", "0"), "onnx-external", "none.bin", file);
  expectCode(model("../w.bin", "0"), "onnx-external", "../w.bin", file);
  expectCode(model("/etc/hostname", "0"), "onnx-external", "/etc/hostname", file);
  expectCode(model("w.bin", "-1"), "onnx-external", "'w'", file);
}

}  // namespace
}  // namespace pimento::test
