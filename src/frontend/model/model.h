// Models as frameworks write them: a list of operators on tensors, as ONNX has it (the operators and their attributes
// are ONNX's). Files become this (onnx/read.h), this becomes a Graph (import.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/data.h"

namespace pimento::frontend::model {

using Attribute =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, kernel::TensorData>;

struct Operator {
  std::string kind;                          ///< "Conv", "MatMul", ...
  std::string name;                          ///< may be empty
  std::vector<std::string> inputs, outputs;  ///< values by name; an empty name: one that is left out
  std::map<std::string, Attribute> attributes;
  Location where;
  bool isOnHost = false;  ///< its reader says that no kernel computes it
};

/// A dimension is a number, or a name that `--size` gives one to.
struct Dimension {
  std::int64_t extent = -1;
  std::string name;
};

struct Port {
  std::string name;
  DType type = DType::kF32;
  std::vector<Dimension> shape;
};

struct Model {
  std::string name;
  std::int64_t operatorSet = 17;  ///< version of the operators
  std::vector<Port> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, kernel::TensorData> constants;
  std::map<std::string, Port> known;  ///< of values that operators make, where the file says it
  std::vector<Operator> operators;    ///< each behind those whose outputs it takes
  Location where;
};

}  // namespace pimento::frontend::model
