// Where two contents of a tensor differ.
#pragma once

#include <cstdint>
#include <optional>

#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"

namespace pimento::evaluate {

/// The first element at `from` or behind it whose bits differ; all NaNs are equal.
std::optional<std::int64_t> firstDifference(const kernel::Tensor &tensor, const kernel::TensorData &a,
                                            const kernel::TensorData &b, std::int64_t from = 0);

/// "y[3, 0]": an element of a tensor in the text's way, by all its indices.
std::string elementName(const kernel::Tensor &tensor, std::int64_t element);

/// A value as messages show it: integers whole, floats so that they read back as the same value.
std::string valueText(const kernel::TensorData &data, std::int64_t element);

}  // namespace pimento::evaluate
