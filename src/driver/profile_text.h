// What ranks tell each other of a choice of `profile`: as much of its profile as answers say of choices besides the
// first.
#pragma once

#include <string>

namespace pimento::evaluate {
struct Profile;
}

namespace pimento::driver {

std::string textOf(const evaluate::Profile &profile);
/// Inverse of textOf; what it leaves out is empty.
evaluate::Profile profileIn(const std::string &text);

}  // namespace pimento::driver
