// Kernels of the zoo that are C files which come with Pimento: Infinity Stream's programs, with the paper's sizes.
//
// A name stands for the file (share/pimento/kernels/infinity-stream/NAME.c) and for sizes that `--size` changes: from
// there on the kernel is a C file like any other. Kernels of the zoo that are built in: kernel/zoo.h.
#pragma once

#include <string_view>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/kernel/zoo.h"

namespace pimento::driver {

/// In listing order.
const std::vector<kernel::ZooEntry> &kernelFiles();
/// Null if there is none.
const kernel::ZooEntry *kernelFile(std::string_view name);

/// The options with the file in place of its name, and with the sizes that are not given; others as they are.
Options withKernelFile(const Options &options);
/// Same, without sizes.
Options withKernelFileAlone(const Options &options);

/// Of the zoo and of files.
std::vector<std::string> allKernelNames();

}  // namespace pimento::driver
