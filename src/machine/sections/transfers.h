// Tables of transfer times by size, which several sections have: reading and checking them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/machine/sections/section.h"

namespace pimento::machine {

/// The table at `path`, in the order of the file.
std::vector<Dpu::Transfer> transfers(const Contents &c, const std::string &path);

/// Sizes ascend and are multiples of `unit`; nothing keeps the engine busy for longer than it takes.
void checkTransfers(const Contents &c, const std::string &path, const std::vector<Dpu::Transfer> &table,
                    std::int64_t unit);

}  // namespace pimento::machine
