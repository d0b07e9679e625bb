#include "pimento/driver/input.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/convert_option.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/driver/option_table.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

Result<kernel::Sizes> parseSizes(const std::vector<std::string> &texts) {
  kernel::Sizes sizes;
  for (const std::string &text : texts)
    for (const std::string_view part : split(text, ',')) {
      const std::size_t eq = part.find('=');
      const std::string name(eq == std::string_view::npos ? "" : trim(part.substr(0, eq)));
      const std::vector<std::string_view> extents =
          name.empty() ? std::vector<std::string_view>() : split(part.substr(eq + 1), 'x');
      for (std::size_t d = 0; d < std::max<std::size_t>(extents.size(), 1); ++d) {
        const auto value = extents.empty() ? std::nullopt : parseInteger(trim(extents[d]));
        if (!value || *value < 1)
          return usageError("bad-size", "--size", fmt::format("'{}' is not a size", part),
                            "write NAME=NUMBER with a number of 1 or more, for example --size m=4096,n=1024; a whole "
                            "shape is NAME=4096x1024");
        sizes[extents.size() == 1 ? name : fmt::format("{}_{}", name, d)] = *value;
      }
    }
  return sizes;
}

namespace {

Diagnostic unknownInput(const std::string &input) {
  return usageError(
      "unknown-input", "", fmt::format("'{}' is not a kernel name, index notation or a supported file", input),
      fmt::format("{}; or a {} file, or a DPU program (ELF); or index notation such as 'y[i] += A[i,j] * x[j]'",
                  suggest(input, allKernelNames()), fileEndings()));
}

Result<Input> readInput(const Options &options, const machine::Machine &machine) {
  const Result<kernel::Sizes> sizes = parseSizes(options.sizes);
  if (!sizes) return sizes.diagnostics();
  DType type = machine.nativeType;
  if (!options.dtype.empty()) {
    const std::optional<DType> t = parseDType(options.dtype);
    if (!t)
      return usageError("unknown-dtype", "--dtype", fmt::format("'{}' is not an element type", options.dtype),
                        "use one of " + dtypeNames());
    type = *t;
  }
  const InputKind *kind = kindOf(options.input);
  if (kind == nullptr) return unknownInput(options.input);
  return kind->read({options, *sizes, type, machine});
}

/// A program is what a kernel has become: options that make kernels come too late for it.
Status checkNoKernelOptions(const Options &options, const Input &input) {
  const OptionRow *given = firstGiven(OptionGroup::kKernel, options);
  if (given == nullptr || !input.program) return okStatus();
  return usageError("kernel-option", "--" + std::string(given->name),
                    fmt::format("'{}' is a program, not a kernel", options.input),
                    fmt::format("omit it: {} apply only to kernels", namesOf(OptionGroup::kKernel)));
}

/// `--constant`: marks inputs of the graph as the same in every run.
Status markConstants(const Options &options, Input &input) {
  for (const std::string &name : options.constants) {
    std::vector<std::string> inputs;
    bool isFound = false;
    if (input.graph)
      for (kernel::Tensor &t : input.graph->tensors) {
        if (t.role != kernel::Role::kInput) continue;
        inputs.push_back(t.name);
        if (t.name == name) t.isConstant = isFound = true;
      }
    if (!isFound)
      return usageError("unknown-input-tensor", "--constant",
                        fmt::format("'{}' is not an input of {}", name, input.name), suggest(name, inputs));
  }
  return okStatus();
}

/// `--dtype` is for inputs without types of their own.
Status checkDtype(const Options &options, const Input &input) {
  if (options.dtype.empty() || !input.graph || !kindOf(options.input)->statesTypes) return okStatus();
  if (options.dtype == name(input.type)) return okStatus();
  return usageError(
      "dtype-overruled", "--dtype",
      fmt::format("'{}' states its own types: its first tensor holds {}", options.input, name(input.type)),
      fmt::format("omit --dtype; --convert {}={} runs the kernel in another type", name(input.type), options.dtype));
}

}  // namespace

Result<Input> loadInput(const Options &options, const machine::Machine &machine) {
  Result<Input> input = readInput(options, machine);
  if (!input) return input;
  if (Status s = checkNoKernelOptions(options, *input); !s) return s.diagnostics();
  if (Status s = checkDtype(options, *input); !s) return s.diagnostics();
  if (Status s = markConstants(options, *input); !s) return s.diagnostics();
  if (Status s = convertInput(options, *input); !s) return s.diagnostics();
  return input;
}

}  // namespace pimento::driver
