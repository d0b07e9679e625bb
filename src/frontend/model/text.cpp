#include "pimento/frontend/model/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "pimento/base/integer.h"

namespace pimento::frontend::model {

namespace {

using Json = nlohmann::json;

/// The first mistake of the text stays in problem(); what is read after it means nothing.
class TextReader {
 public:
  TextReader(std::string_view file, std::string_view data) : file_(file), data_(data) {}

  Model read(const Json &j) {
    if (member(j, "model") != 1) fail("it does not begin with \"model\": 1");
    files_ = textsIn(j, "files");
    Model out;
    out.where = {std::string(file_), 0, 0};
    out.name = textIn(j, "name");
    if (member(j, "opset").is_number_integer()) out.operatorSet = member(j, "opset").get<std::int64_t>();
    for (const Json &port : listIn(j, "inputs")) out.inputs.push_back(portOf(port));
    out.outputs = textsIn(j, "outputs");
    for (const Json &c : listIn(j, "constants")) {
      std::string name = textIn(c, "name");
      out.constants.insert_or_assign(std::move(name), constantOf(c));
    }
    for (const Json &known : listIn(j, "known")) {
      Port port = portOf(known);
      out.known.insert_or_assign(port.name, std::move(port));
    }
    for (const Json &op : listIn(j, "operators")) out.operators.push_back(operatorOf(op));
    return out;
  }

  const std::string &problem() const { return problem_; }

 private:
  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  static const Json &member(const Json &j, const char *key) {
    static const Json none;
    if (!j.is_object()) return none;
    const auto at = j.find(key);
    return at == j.end() ? none : *at;
  }

  std::string textIn(const Json &j, const char *key) {
    const Json &m = member(j, key);
    if (m.is_string()) return m.get<std::string>();
    fail(fmt::format("'{}' is not a text", key));
    return {};
  }

  const Json &listIn(const Json &j, const char *key) {
    static const Json none = Json::array();
    const Json &m = member(j, key);
    if (m.is_array()) return m;
    if (!m.is_null()) fail(fmt::format("'{}' is not a list", key));
    return none;
  }

  std::vector<std::string> textsIn(const Json &j, const char *key) {
    std::vector<std::string> out;
    for (const Json &entry : listIn(j, key)) {
      if (entry.is_string())
        out.push_back(entry.get<std::string>());
      else
        fail(fmt::format("'{}' holds what is not a text", key));
    }
    return out;
  }

  Port portOf(const Json &j) {
    Port port;
    port.name = textIn(j, "name");
    const std::string typeName = textIn(j, "type");
    const std::optional<DType> type = parseDType(typeName);
    if (!type) fail(fmt::format("'{}' is not an element type", typeName));
    port.type = type.value_or(DType::kF32);
    for (const Json &d : listIn(j, "shape")) {
      Dimension dim;
      if (d.is_string())
        dim.name = d.get<std::string>();
      else if (d.is_number_integer() && d.get<std::int64_t>() >= 0)
        dim.extent = d.get<std::int64_t>();
      else
        fail(fmt::format("a dimension of '{}' is neither a number nor a name", port.name));
      port.shape.push_back(std::move(dim));
    }
    return port;
  }

  kernel::TensorData constantOf(const Json &j) {
    const Port port = portOf(j);
    std::vector<std::int64_t> shape;
    std::int64_t size = sizeOf(port.type).value;
    for (const Dimension &d : port.shape) {
      if (d.extent < 0) fail(fmt::format("constant '{}' has a size that is a name", port.name));
      shape.push_back(d.extent);
      size = multiplySaturated(size, d.extent);
    }
    const Json &at = member(j, "at");
    const std::int64_t first = at.is_number_integer() ? at.get<std::int64_t>() : -1;
    const auto there = static_cast<std::int64_t>(data_.size());
    if (first < 0 || first > there || size > there - first)
      fail(fmt::format("constant '{}' of {} bytes lies outside the {} bytes of contents", port.name, size, there));
    if (!problem_.empty()) return {};
    kernel::TensorData out(port.type, std::move(shape));
    std::memcpy(out.bytes.data(), data_.data() + first, static_cast<std::size_t>(size));
    return out;
  }

  Attribute attributeOf(const std::string &name, const Json &j) {
    if (j.is_boolean()) return std::int64_t{j.get<bool>()};
    if (j.is_number_integer()) return j.get<std::int64_t>();
    if (j.is_number()) return static_cast<double>(j.get<float>());  // ONNX's have 32 bits
    if (j.is_string()) return j.get<std::string>();
    const auto isListOf = [&](auto isOne) { return j.is_array() && std::ranges::all_of(j, isOne); };
    if (isListOf([](const Json &x) { return x.is_number_integer(); })) return j.get<std::vector<std::int64_t>>();
    if (isListOf([](const Json &x) { return x.is_number(); })) {
      const auto list = j.get<std::vector<float>>();
      return std::vector<double>(list.begin(), list.end());
    }
    fail(fmt::format("attribute '{}' is neither a number nor a text nor a list of numbers", name));
    return std::int64_t{0};
  }

  Operator operatorOf(const Json &j) {
    Operator op;
    op.kind = textIn(j, "op");
    op.name = textIn(j, "name");
    op.inputs = textsIn(j, "inputs");
    op.outputs = textsIn(j, "outputs");
    op.isOnHost = member(j, "host") == true;
    for (const auto &[name, value] : member(j, "attributes").items()) op.attributes[name] = attributeOf(name, value);
    op.where = placeOf(listIn(j, "place"));
    return op;
  }

  Location placeOf(const Json &j) const {
    const auto part = [&](std::size_t i) {
      return i < j.size() && j[i].is_number_integer() ? j[i].get<std::int64_t>() : 0;
    };
    const auto inRange = [](std::int64_t x) { return static_cast<int>(std::clamp<std::int64_t>(x, 0, 1 << 30)); };
    const auto f = static_cast<std::size_t>(inRange(part(2)));
    if (j.empty()) return {std::string(file_), 0, 0};
    return {f < files_.size() ? files_[f] : std::string(file_), inRange(part(0)), inRange(part(1))};
  }

  std::string_view file_, data_;
  std::vector<std::string> files_;
  std::string problem_;
};

}  // namespace

Result<Model> readModel(std::string_view text, std::string_view file) {
  const std::size_t end = text.find('\n');
  const auto wrong = [&](const std::string &why) {
    return error("model-syntax", {std::string(file), 0, 0}, "this is no text of a model: " + why,
                 "pass what the Python package writes");
  };
  const Json j = Json::parse(text.substr(0, end), nullptr, false);
  if (j.is_discarded()) return wrong("its first line is not JSON");
  TextReader reader(file, end == std::string_view::npos ? std::string_view() : text.substr(end + 1));
  Model model = reader.read(j);
  if (!reader.problem().empty()) return wrong(reader.problem());
  return model;
}

}  // namespace pimento::frontend::model
