#include "pimento/dpu/object.h"

namespace pimento::dpu {

Memory memoryOf(std::string_view sectionName, bool isAllocated) {
  auto isFamily = [&](std::string_view family) {
    return sectionName == family || (sectionName.starts_with(family) && sectionName[family.size()] == '.');
  };
  if (isFamily(".text")) return Memory::kIram;
  if (sectionName.starts_with(".mram")) return Memory::kMram;
  if (isFamily(".atomic")) return Memory::kAtomic;
  if (sectionName.starts_with(".debug") || !isAllocated) return Memory::kNone;
  return Memory::kWram;
}

}  // namespace pimento::dpu
