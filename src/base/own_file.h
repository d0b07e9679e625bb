// The file that this code was loaded from: what comes with Pimento is found from there, so that a copy can be moved.
#pragma once

#include <filesystem>

namespace pimento {

/// The shared library that holds this code, else the program.
std::filesystem::path ownFile();

}  // namespace pimento
