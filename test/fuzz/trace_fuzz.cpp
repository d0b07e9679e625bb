// Any bytes are read as a saved trace, as they are and with the checksums that they should have; what is accepted is
// written and read back unchanged.
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pimento/base/checksum.h"
#include "pimento/base/zstd.h"
#include "pimento/trace/candidates.h"
#include "pimento/trace/file/reader.h"
#include "pimento/trace/file/writer.h"

namespace {

using namespace pimento;
using namespace pimento::trace;

/// Writes again what it is given, and looks for candidates in it.
class Again final : public Consumer {
 public:
  Again(std::ostream &out, bool hasValues) : writer_(out, hasValues), candidates_({{Operation::kAdd}, {32}, {true}}) {}
  void onStart(const Program &program, bool hasValues) override { writer_.onStart(program, hasValues); }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    PIMENTO_CHECK(count > 0 && static_cast<std::size_t>(count) <= block.instructions.size());
    for (const Access &a : accesses) PIMENTO_CHECK(a.instruction < count && a.bytes > 0);
    writer_.onBlock(block, count, accesses);
    std::vector<Candidates::Step> &steps = steps_[&block];
    if (steps.empty())
      for (const Instruction &in : block.instructions) steps.push_back(candidates_.prepare(in));
    for (int i = 0; i < count; ++i) candidates_.onInstruction(steps[static_cast<std::size_t>(i)], {}, {});
    ++entries_;
  }
  void onEnd() override { candidates_.finish(); }
  bool wantsMore() const override { return entries_ < kMost; }
  bool finish(const ProgramEnd &end) { return writer_.finish(end); }

 private:
  static constexpr int kMost = 20'000;  // a few bytes are a long stream
  file::Writer writer_;
  Candidates candidates_;
  std::map<const Block *, std::vector<Candidates::Step>> steps_;
  int entries_ = 0;
};

/// Nothing: it was refused, with a message.
std::string readAndWrite(const std::string &bytes) {
  auto reader = file::Reader::open(std::make_unique<std::istringstream>(bytes), "fuzz.ptrace");
  Diagnostics all;
  std::ostringstream out;
  if (reader) {
    Again again(out, (*reader)->hasValues());
    const Status s = (*reader)->run(again);
    if (s) {
      PIMENTO_CHECK(again.finish((*reader)->end()));
      return out.str();
    }
    all = s.diagnostics();
  } else {
    all = reader.diagnostics();
  }
  for (const Diagnostic &d : all) PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty());
  return "";
}

/// The input's bytes as a trace whose frame is right: sections of blocks, divided by what the first bytes say.
std::string framed(std::string_view input) {
  const auto chunk = [](file::Chunk kind, const std::string &bytes) {
    std::string head;
    file::putWord(head, static_cast<std::uint32_t>(kind));
    file::putWord(head, static_cast<std::uint32_t>(bytes.size()));
    const std::string covered = head + bytes;
    file::putWord(head, crc32(covered));
    return head + bytes;
  };
  file::Bytes from(input);
  std::string flags;
  file::putWord(flags, from.byte() & file::kHasValues);
  std::string out(file::kMagic);
  file::putWord(out, file::kVersion);
  out += chunk(file::Chunk::kHead, flags);
  std::string blocks;
  file::putWord(blocks, from.byte());
  for (int s = 0; s < file::kSections; ++s) {
    const std::size_t bytes = s + 1 < file::kSections ? std::min<std::size_t>(from.byte(), from.size()) : from.size();
    const std::string_view section = from.take(bytes);
    const std::string frame = compressZstd(section, 1);
    file::putWord(blocks, static_cast<std::uint32_t>(section.size()));
    file::putWord(blocks, static_cast<std::uint32_t>(frame.size()));
    blocks += frame;
  }
  out += chunk(file::Chunk::kBlocks, blocks);
  std::string end;
  file::putProgram(end, {});
  file::putEnd(end, {});
  std::string sized;
  file::putWord(sized, static_cast<std::uint32_t>(end.size()));
  return out + chunk(file::Chunk::kEnd, sized + compressZstd(end, 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  for (const std::string &input : {std::string(bytes), framed(bytes)}) {
    const std::string once = readAndWrite(input);
    // Written once, it is what the writer makes of it for good.
    if (!once.empty()) PIMENTO_CHECK(readAndWrite(once) == once);
  }
  return 0;
}
