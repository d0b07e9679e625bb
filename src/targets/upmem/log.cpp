#include "pimento/targets/upmem/log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "pimento/dpu/log_text.h"

namespace pimento::targets::upmem {

using program::Code;

DpuLog::DpuLog(const Code &code) {
  const Code::Symbol *buffer = code.symbolNamed("__log_buffer"), *used = code.symbolNamed("__log_used");
  if (buffer == nullptr || used == nullptr) return;
  const bool isInMram = buffer->address >= program::kMramBase && buffer->address < program::kIramBase;
  if (!isInMram || buffer->isAbsolute || used->isAbsolute || used->address >= program::kMramBase) return;
  buffer_ = buffer->address - program::kMramBase;
  used_ = used->address;
  size_ = buffer->size;
}

void DpuLog::take(sim::dpu::Dpu &dpu) {
  if (size_ == 0) return;
  std::array<std::byte, 4> word{};
  dpu.readWram(used_, word);
  std::uint32_t used = 0;
  std::memcpy(&used, word.data(), word.size());
  const std::int64_t held = std::min<std::int64_t>(used, size_);
  std::string log(static_cast<std::size_t>(held), '\0');
  dpu.readMram(buffer_, std::as_writable_bytes(std::span(log)));
  text_ += pimento::dpu::logText(log);
  taken_ += held;
  lost_ += used - held;
  word = {};
  dpu.writeWram(used_, word);
}

}  // namespace pimento::targets::upmem
