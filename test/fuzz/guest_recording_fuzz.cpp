// Any words in a ring, after any definitions of blocks: they are read as blocks that ran, or refused. Blocks are cut by
// faults, accesses are missing, other threads come and go.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "pimento/guest/recording.h"
#include "pimento/guest/ring.h"

namespace {

using namespace pimento;

constexpr std::uint64_t kWords = 256;
constexpr int kProcess = 7;

class Checker final : public trace::Consumer {
 public:
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    PIMENTO_CHECK(count > 0 && static_cast<std::size_t>(count) <= block.instructions.size());
    std::uint16_t last = 0;
    for (const trace::Access &a : accesses) {
      PIMENTO_CHECK(a.instruction < count && a.instruction >= last && a.bytes > 0);
      last = a.instruction;
    }
    ++entries_;
  }
  bool wantsMore() const override { return entries_ < kMost; }

 private:
  static constexpr int kMost = 100;
  int entries_ = 0;
};

/// ldr x1, [x0]; add x1, x1, #1; str x1, [x0]; stp x1, x2, [sp, #-16]!
std::string someBlock(std::uint32_t number) {
  constexpr std::uint32_t kCode[] = {0xf9400001, 0x91000421, 0xf9000001, 0xa9bf0be1};
  std::string out;
  const auto put = [&](const auto &value) { out.append(reinterpret_cast<const char *>(&value), sizeof value); };
  put(number);
  put(static_cast<std::uint32_t>(std::size(kCode)));
  std::uint64_t address = 0x400000 + 0x100 * std::uint64_t{number};
  for (const std::uint32_t code : kCode) {
    put(address);
    put(std::uint8_t{4});
    put(std::uint8_t{0});
    put(code);
    address += 4;
  }
  return out;
}

void write(const std::string &file, std::uint64_t thread, std::string_view words) {
  PimentoRing ring{};
  ring.magic = PIMENTO_RING_MAGIC;
  ring.capacity = kWords;
  ring.pid = kProcess;
  ring.thread = thread;
  ring.instructions = 5;
  ring.written = std::min<std::uint64_t>(words.size() / 8, kWords);
  std::string data(kWords * 8, '\0');
  std::memcpy(data.data(), words.data(), std::min(words.size(), data.size()));
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char *>(&ring), sizeof ring);
  out << data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const std::string kFolder = [] {
    std::string name = "/tmp/pimento-fuzz-XXXXXX";
    PIMENTO_CHECK(mkdtemp(name.data()) != nullptr);
    return name;
  }();
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  // The first byte: how much of the input are definitions, behind two good blocks.
  const std::size_t more = bytes.empty() ? 0 : std::min<std::size_t>(data[0], bytes.size() - 1);
  if (!bytes.empty()) bytes.remove_prefix(1);
  const std::string prefix = kFolder + "/" + std::to_string(kProcess);
  std::ofstream(prefix + ".blocks", std::ios::binary) << someBlock(0) << someBlock(1) << bytes.substr(0, more);
  write(prefix + ".0.ring", 0, bytes.substr(more));
  write(prefix + ".1.ring", 1, {});
  std::ofstream(prefix + ".2.ring", std::ios::binary) << bytes.substr(more);  // no ring, or a part of one
  guest::Recording recording(kFolder, kProcess, trace::Isa::kA64);
  Checker checker;
  for (;;) {
    const Result<bool> drained = recording.drain(checker);
    if (!drained)
      for (const Diagnostic &d : drained.diagnostics()) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
    if (!drained || !*drained) break;
  }
  const Status s = recording.finish(checker);
  PIMENTO_CHECK(recording.others().threads >= 1);
  PIMENTO_CHECK(recording.instructions() >= 0);
  static_cast<void>(s.ok());
  return 0;
}
