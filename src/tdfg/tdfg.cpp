#include "pimento/tdfg/tdfg.h"

#include <algorithm>

#include "pimento/base/text.h"

namespace pimento::tdfg {

std::string_view name(NodeKind kind) {
  constexpr std::array<std::string_view, 8> kNames{"tensor", "cmp", "mv", "bc", "shrink", "reduce", "strm", "const"};
  return kNames[static_cast<std::size_t>(kind)];
}

int Program::nameNamed(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].name == name) return static_cast<int>(i);
  return -1;
}

int Program::arrayNamed(std::string_view name) const {
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<bool> loopNames(const Program &program) {
  std::vector<bool> isOfLoop;
  for (const Name &name : program.names) {
    const auto is = [&](const Term &t) {
      return t.name >= 0 && t.name < static_cast<int>(isOfLoop.size()) && isOfLoop[static_cast<std::size_t>(t.name)];
    };
    isOfLoop.push_back(name.kind == Name::Kind::kLoop || std::any_of(name.of.terms.begin(), name.of.terms.end(), is));
  }
  return isOfLoop;
}

void updateQuotients(const Program &program, Values &values) {
  for (std::size_t i = 0; i < program.names.size(); ++i) {
    const Name &name = program.names[i];
    if (name.kind != Name::Kind::kQuotient) continue;
    const std::int64_t x = valueOf(name.of, values).value_or(0);
    values[i] = x / name.divisor - (x % name.divisor < 0 ? 1 : 0);
  }
}

namespace {

std::vector<std::string> sizeNames(const Program &program) {
  std::vector<std::string> names;
  for (const Name &name : program.names)
    if (name.kind == Name::Kind::kSize) names.push_back(name.name);
  return names;
}

}  // namespace

Result<Values> bindSizes(const Program &program, const std::map<std::string, std::int64_t> &sizes) {
  const std::vector<std::string> names = sizeNames(program);
  const std::string hint = names.empty() ? "the program has no sizes" : "its sizes are " + join(names, ", ");
  for (const auto &[name, value] : sizes) {
    const int n = program.nameNamed(name);
    if (n < 0 || program.names[static_cast<std::size_t>(n)].kind != Name::Kind::kSize) {
      return usageError("unknown-size", "--size", "'" + program.name + "' has no size '" + name + "'", hint);
    }
  }
  Values values(program.names.size(), 0);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < program.names.size(); ++i) {
    const Name &name = program.names[i];
    if (name.kind != Name::Kind::kSize) continue;
    const auto given = sizes.find(name.name);
    if (given == sizes.end()) {
      return usageError("missing-size", "--size", "size '" + name.name + "' of '" + program.name + "' has no value",
                        hint);
    }
    if (given->second < program.leastSize || given->second > kMost) {
      return usageError("size-range", "--size",
                        "size '" + name.name + "' is " + std::to_string(given->second) + "; '" + program.name +
                            "' was compiled for " + std::to_string(program.leastSize) + " to 2^40",
                        "compile the source anew with this size");
    }
    values[i] = given->second;
  }
  updateQuotients(program, values);
  return values;
}

Result<std::vector<std::vector<std::int64_t>>> shapesOf(const Program &program, const Values &values) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const Array &array : program.arrays) {
    std::vector<std::int64_t> shape;
    std::int64_t elements = 1;
    for (const Form &form : array.shape) {
      const auto extent = valueOf(form, values);
      if (!extent || *extent < 1 || __builtin_mul_overflow(elements, *extent, &elements) ||
          elements > kMostCoordinate) {
        return usageError("size-range", "--size",
                          "array '" + array.name + "' has no elements, or too many, at these sizes");
      }
      shape.push_back(*extent);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace pimento::tdfg
