// The log of a DPU program as text.
//
// Programs print text as it is; printf leaves its conversions to the host (runtime/printf.s). In the log one is a zero
// byte, the conversion as it stands in the format, from '%' to its letter, then its arguments: 4 bytes for every '*',
// then 4 or 8 bytes of a number, or a string that ends with a zero byte.
#pragma once

#include <string>
#include <string_view>

namespace pimento::dpu {

/// What the program printed. A conversion that is cut off at the end, where the log was full, is left out; a zero byte
/// without a conversion stays as it is. Widths and precisions count up to 4,096.
std::string logText(std::string_view log);

}  // namespace pimento::dpu
