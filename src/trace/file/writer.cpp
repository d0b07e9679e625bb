#include "pimento/trace/file/writer.h"

#include <algorithm>

#include "pimento/base/checksum.h"
#include "pimento/base/zstd.h"

namespace pimento::trace::file {

namespace {

constexpr int kLevel = 9;
constexpr std::size_t kChunkBytes = std::size_t{1} << 21;

}  // namespace

Writer::Writer(std::ostream &out, bool hasValues) : out_(out), hasValues_(hasValues) {
  std::string head(kMagic);
  putWord(head, kVersion);
  out_ << head;
  std::string flags;
  putWord(flags, hasValues ? kHasValues : 0);
  writeChunk(Chunk::kHead, flags);
}

void Writer::writeChunk(Chunk kind, std::string_view bytes) {
  std::string covered;
  putWord(covered, static_cast<std::uint32_t>(kind));
  putWord(covered, static_cast<std::uint32_t>(bytes.size()));
  std::string all = covered;
  covered += bytes;
  putWord(all, crc32(covered));
  all += bytes;
  out_.write(all.data(), static_cast<std::streamsize>(all.size()));
}

void Writer::onBlock(const Block &block, int count, std::span<const Access> accesses) {
  const auto known = static_cast<std::uint32_t>(table_.variants());
  std::string definition;
  const std::uint32_t number = table_.numberOf(block, count, accesses, definition);
  if (entries_.foreseen() == number) {
    ++entryRun_;
  } else {
    putNumber(sections_[kEntryRuns], entryRun_);
    entryRun_ = 0;
    const int rank = entries_.rankOf(number);
    sections_[kEntrySymbols] += static_cast<char>(rank >= 0 ? static_cast<std::uint8_t>(rank) : kNumbered);
    if (rank < 0) putNumber(sections_[kDefinitions], number);
    if (number == known) sections_[kDefinitions] += definition;
  }
  entries_.learn(number);
  const Variant &v = table_.variant(number);
  for (std::size_t a = 0; a < accesses.size(); ++a) onAccess(v.accesses[a], accesses[a]);
  ++entryCount_;
  const auto isFull = [](const std::string &s) { return s.size() >= kChunkBytes; };
  if (entryCount_ == kMostEntries || std::any_of(sections_.begin(), sections_.end(), isFull)) writeBlocks();
}

void Writer::onAccess(const Shape &shape, const Access &access) {
  Slot &slot = table_.slot(shape.slot);
  const std::uint64_t address = access.address & kAddressMask;
  const auto foreseen = addresses_.foreseen(slot);
  if (foreseen.front() == address) {
    ++accessRun_;
  } else {
    putNumber(sections_[kAccessRuns], accessRun_);
    accessRun_ = 0;
    const auto other = std::find(foreseen.begin() + 1, foreseen.end(), address);
    if (other != foreseen.end()) {
      sections_[kAccessSymbols] += static_cast<char>(other - foreseen.begin() - 1);
    } else {
      const std::uint64_t difference = folded(static_cast<std::int64_t>(address - slot.last));
      std::uint8_t bytes = 0;
      for (std::uint64_t rest = difference; rest != 0; rest >>= 8, ++bytes)
        sections_[std::min<std::size_t>(kHighBytes, kLowBytes + std::size_t{bytes})] += static_cast<char>(rest & 0xff);
      sections_[kAccessSymbols] += static_cast<char>(kDifference + bytes);
    }
  }
  addresses_.learn(slot, address);
  if (!hasValues_) return;
  putSigned(sections_[kValues], static_cast<std::int64_t>(access.value - slot.value));
  slot.value = access.value;
}

void Writer::writeBlocks() {
  if (entryCount_ == 0) return;
  // What was foreseen last ends with the chunk.
  putNumber(sections_[kEntryRuns], entryRun_);
  putNumber(sections_[kAccessRuns], accessRun_);
  std::string bytes;
  putWord(bytes, entryCount_);
  for (std::string &s : sections_) {
    const std::string frame = compressZstd(s, kLevel);
    putWord(bytes, static_cast<std::uint32_t>(s.size()));
    putWord(bytes, static_cast<std::uint32_t>(frame.size()));
    bytes += frame;
    s.clear();
  }
  writeChunk(Chunk::kBlocks, bytes);
  entryRun_ = accessRun_ = 0;
  entryCount_ = 0;
}

bool Writer::finish(const ProgramEnd &end) {
  writeBlocks();
  std::string bytes;
  putProgram(bytes, program_);
  putEnd(bytes, end);
  std::string whole;
  putWord(whole, static_cast<std::uint32_t>(bytes.size()));
  writeChunk(Chunk::kEnd, whole + compressZstd(bytes, kLevel));
  out_.flush();
  return out_.good();
}

}  // namespace pimento::trace::file
