#include "pimento/frontend/onnx/read.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "pimento/base/integer.h"
#include "pimento/base/text.h"

namespace pimento::frontend {

namespace {

using kernel::TensorData;
using model::Attribute;
using model::Operator;

/// The newest that is known; operators that read here changed little since 7.
constexpr std::int64_t kNewest = 18, kOldest = 7;

class Reader {
 public:
  explicit Reader(const std::string &file) : file_(file) {}

  Result<model::Model> read(const onnx::ModelProto &proto) {
    model::Model out;
    out.where = at();
    out.name = std::filesystem::path(file_).stem().string();
    for (const auto &set : proto.opset_import())
      if (set.domain().empty() || set.domain() == "ai.onnx") out.operatorSet = set.version();
    if (out.operatorSet > kNewest || out.operatorSet < kOldest)
      return error("onnx-operator-set", at(),
                   fmt::format("the model uses operator set {}; {} to {} are known", out.operatorSet, kOldest, kNewest),
                   fmt::format("export it with operator set {}", kNewest));
    const onnx::GraphProto &graph = proto.graph();
    if (graph.sparse_initializer_size() > 0)
      return unsupported("onnx-form", at(), "the model has sparse weights", "store them densely");
    for (const auto &tensor : graph.initializer()) {
      Result<TensorData> data = contentsOf(tensor);
      if (!data) return data.diagnostics();
      out.constants.emplace(tensor.name(), std::move(*data));
    }
    for (const auto &port : graph.input()) {
      auto read = portOf(port);
      if (!read) return read.diagnostics();
      out.inputs.push_back(std::move(*read));
    }
    for (const auto &port : graph.output()) {
      out.outputs.push_back(port.name());
      noteShape(port, out);
    }
    for (const auto &port : graph.value_info()) noteShape(port, out);
    for (const auto &node : graph.node()) {
      Result<Operator> op = operatorOf(node);
      if (!op) return op.diagnostics();
      out.operators.push_back(std::move(*op));
    }
    return out;
  }

 private:
  Location at() const { return {file_, 0, 0}; }

  Result<DType> typeOf(int type, const std::string &of) const {
    switch (type) {
      case onnx::TensorProto::FLOAT:
        return DType::kF32;
      case onnx::TensorProto::DOUBLE:
        return DType::kF64;
      case onnx::TensorProto::FLOAT16:
        return DType::kF16;
      case onnx::TensorProto::BFLOAT16:
        return DType::kBF16;
      case onnx::TensorProto::INT64:
        return DType::kI64;
      case onnx::TensorProto::INT32:
        return DType::kI32;
      case onnx::TensorProto::INT16:
        return DType::kI16;
      case onnx::TensorProto::INT8:
        return DType::kI8;
      case onnx::TensorProto::UINT64:
        return DType::kU64;
      case onnx::TensorProto::UINT32:
        return DType::kU32;
      case onnx::TensorProto::UINT16:
        return DType::kU16;
      case onnx::TensorProto::UINT8:
      case onnx::TensorProto::BOOL:
        return DType::kU8;
      default:
        return unsupported("onnx-type", at(), fmt::format("'{}' holds what kernels do not compute with", of),
                           "use numbers: floats of 16 to 64 bits, or integers");
    }
  }

  Result<model::Port> portOf(const onnx::ValueInfoProto &port) const {
    model::Port out;
    out.name = port.name();
    if (!port.type().has_tensor_type())
      return unsupported("onnx-form", at(), fmt::format("input '{}' is no tensor", port.name()),
                         "sequences, maps and optional values are not read");
    const auto &tensor = port.type().tensor_type();
    const auto type = typeOf(tensor.elem_type(), port.name());
    if (!type) return type.diagnostics();
    out.type = *type;
    int unnamed = 0;
    for (const auto &d : tensor.shape().dim()) {
      model::Dimension dim;
      if (d.has_dim_value() && d.dim_value() >= 0)
        dim.extent = d.dim_value();
      else
        dim.name =
            d.has_dim_param() && !d.dim_param().empty() ? d.dim_param() : fmt::format("{}_{}", port.name(), unnamed);
      ++unnamed;
      out.shape.push_back(std::move(dim));
    }
    return out;
  }

  /// What the file says of a value that operators make.
  void noteShape(const onnx::ValueInfoProto &value, model::Model &out) const {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    auto port = portOf(value);
    if (port) out.known.insert_or_assign(value.name(), std::move(*port));
  }

  /// The file of weights lies beside the model, or below.
  Result<std::string> external(const onnx::TensorProto &tensor, std::size_t size) const {
    std::string name;
    std::int64_t offset = 0;
    for (const auto &entry : tensor.external_data()) {
      if (entry.key() == "location") name = entry.value();
      if (entry.key() == "offset") offset = parseInteger(entry.value()).value_or(-1);
    }
    const std::filesystem::path relative(name);
    const bool leaves =
        relative.is_absolute() || std::ranges::any_of(relative, [](const auto &p) { return p == ".."; });
    if (name.empty() || leaves || offset < 0)
      return error("onnx-external", at(), fmt::format("weights '{}' lie in '{}'", tensor.name(), name),
                   "files of weights lie beside the model");
    const std::filesystem::path path = std::filesystem::path(file_).parent_path() / relative;
    std::ifstream in(path, std::ios::binary);
    std::string bytes(size, '\0');
    if (in) in.seekg(offset);
    if (in) in.read(bytes.data(), static_cast<std::streamsize>(size));
    if (!in)
      return error("onnx-external", at(),
                   fmt::format("'{}' has no {} bytes of '{}' at {}", path.string(), size, tensor.name(), offset),
                   "copy the files of weights with the model");
    return bytes;
  }

  Result<TensorData> contentsOf(const onnx::TensorProto &tensor) const {
    const auto type = typeOf(tensor.data_type(), tensor.name());
    if (!type) return type.diagnostics();
    std::int64_t elements = 1;
    for (const std::int64_t n : tensor.dims()) elements = n < 0 ? -1 : multiplySaturated(elements, n);
    constexpr std::int64_t kMost = std::int64_t{1} << 34;
    const auto wrong = [&](std::string_view why) {
      return error("onnx-tensor", at(), fmt::format("tensor '{}' of {} elements: {}", tensor.name(), elements, why),
                   "export the model again");
    };
    if (elements < 0 || elements > kMost) return wrong("its shape is impossible");
    const std::int64_t size = multiplySaturated(elements, sizeOf(*type).value);
    const bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    std::string raw;
    if (isExternal) {
      Result<std::string> bytes = external(tensor, static_cast<std::size_t>(size));
      if (!bytes) return bytes.diagnostics();
      raw = std::move(*bytes);
    } else if (tensor.has_raw_data()) {
      raw = tensor.raw_data();
    }
    if (isExternal || tensor.has_raw_data()) {
      if (static_cast<std::int64_t>(raw.size()) != size)
        return wrong(fmt::format("{} bytes instead of {}", raw.size(), size));
      TensorData out(*type, {tensor.dims().begin(), tensor.dims().end()});
      std::memcpy(out.bytes.data(), raw.data(), raw.size());
      return out;
    }
    const std::int64_t listed = tensor.float_data_size() + tensor.int32_data_size() + tensor.int64_data_size() +
                                tensor.double_data_size() + tensor.uint64_data_size();
    if (listed != elements) return wrong(fmt::format("{} values are given", listed));
    TensorData out(*type, {tensor.dims().begin(), tensor.dims().end()});
    for (int n = 0; n < static_cast<int>(elements); ++n) {
      if (tensor.float_data_size() > 0) {
        out.setDouble(n, static_cast<double>(tensor.float_data(n)));
      } else if (tensor.double_data_size() > 0) {
        out.setDouble(n, tensor.double_data(n));
      } else if (tensor.int64_data_size() > 0) {
        out.setInteger(n, tensor.int64_data(n));
      } else if (tensor.uint64_data_size() > 0) {
        out.setInteger(n, static_cast<std::int64_t>(tensor.uint64_data(n)));
      } else if (*type == DType::kF16 || *type == DType::kBF16) {
        const auto bits = static_cast<std::uint16_t>(tensor.int32_data(n));  // the bits, not the value
        std::memcpy(out.bytes.data() + static_cast<std::size_t>(n) * sizeof bits, &bits, sizeof bits);
      } else {
        out.setInteger(n, tensor.int32_data(n));
      }
    }
    return out;
  }

  Result<Operator> operatorOf(const onnx::NodeProto &node) const {
    Operator op;
    op.kind = node.op_type();
    op.name = node.name();
    op.where = at();
    op.inputs.assign(node.input().begin(), node.input().end());
    op.outputs.assign(node.output().begin(), node.output().end());
    op.isOnHost = !node.domain().empty() && node.domain() != "ai.onnx" && node.domain() != "com.microsoft";
    for (const auto &a : node.attribute()) {
      switch (a.type()) {
        case onnx::AttributeProto::INT:
          op.attributes[a.name()] = std::int64_t{a.i()};
          break;
        case onnx::AttributeProto::FLOAT:
          op.attributes[a.name()] = static_cast<double>(a.f());
          break;
        case onnx::AttributeProto::STRING:
          op.attributes[a.name()] = a.s();
          break;
        case onnx::AttributeProto::INTS:
          op.attributes[a.name()] = std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
          break;
        case onnx::AttributeProto::FLOATS:
          op.attributes[a.name()] = std::vector<double>(a.floats().begin(), a.floats().end());
          break;
        case onnx::AttributeProto::TENSOR: {
          Result<TensorData> data = contentsOf(a.t());
          if (!data) return data.diagnostics();
          op.attributes[a.name()] = std::move(*data);
          break;
        }
        case onnx::AttributeProto::GRAPH:
        case onnx::AttributeProto::GRAPHS:
          op.isOnHost = true;  // a loop or a branch
          break;
        default:
          break;  // what no operator that is known looks at
      }
    }
    return op;
  }

  const std::string &file_;
};

}  // namespace

bool hasOnnx() {
  return true;
}

Result<model::Model> readOnnx(std::string_view bytes, const std::string &file) {
  const Location where{file, 0, 0};
  onnx::ModelProto proto;
  const bool isParsed = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
                        proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (!isParsed || !proto.has_graph())
    return error("onnx-parse", where, "this is no ONNX model, or it was cut", "export it again");
  return Reader(file).read(proto);
}

}  // namespace pimento::frontend
