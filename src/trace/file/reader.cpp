#include "pimento/trace/file/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/checksum.h"
#include "pimento/base/zstd.h"

namespace pimento::trace::file {

namespace {

constexpr std::uint32_t kFrameBytes = 12;
constexpr const char *kAgain = "save it again: pimento profile PROG --save FILE.ptrace";

}  // namespace

bool isTrace(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

Diagnostic Reader::wrong(std::string_view code, const std::string &what, std::uint64_t at) const {
  return error(std::string(code), {file_}, fmt::format("'{}', byte {}: {}", file_, at, what), kAgain);
}

Result<std::unique_ptr<Reader>> Reader::open(std::unique_ptr<std::istream> in, const std::string &file) {
  std::unique_ptr<Reader> out(new Reader(std::move(in), file));
  if (Status s = out->findChunks(); !s) return s.diagnostics();
  if (Status s = out->readHead(); !s) return s.diagnostics();
  if (Status s = out->readEnd(); !s) return s.diagnostics();
  return out;
}

Status Reader::findChunks() {
  in_->seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(0, in_->tellg()));
  const auto take = [&](std::uint64_t at, std::size_t n) {
    std::string bytes(n, '\0');
    in_->clear();
    in_->seekg(static_cast<std::streamoff>(at));
    in_->read(bytes.data(), static_cast<std::streamsize>(n));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in_->gcount())));
    return bytes;
  };
  const std::string head = take(0, kMagic.size() + 4);
  if (!isTrace(head))
    return error("trace-magic", {file_}, fmt::format("'{}' is no saved trace", file_),
                 "give it a file that 'pimento profile PROG --save FILE.ptrace' has written");
  const auto cut = [&](std::uint64_t at) { return wrong("trace-length", "the trace ends too early", at); };
  if (head.size() < kMagic.size() + 4) return cut(head.size());
  const std::uint32_t version = version_ = ByteReader(std::string_view(head).substr(kMagic.size())).word();
  if (version == 0 || version > kVersion)
    return error("trace-version", {file_},
                 fmt::format("'{}' is a trace of version {}; this is version {}", file_, version, kVersion),
                 version > kVersion ? "read it with the Pimento that saved it, or a newer one than this" : kAgain);
  for (std::uint64_t at = head.size();;) {
    const std::string frame = take(at, kFrameBytes);
    if (frame.size() < kFrameBytes) return cut(size);
    ByteReader words(frame);
    const std::uint32_t kind = words.word(), bytes = words.word();
    const std::uint64_t begin = at + kFrameBytes;
    if (kind < static_cast<std::uint32_t>(Chunk::kHead) || kind > static_cast<std::uint32_t>(Chunk::kEnd))
      return wrong("trace-checksum", "the trace has been altered (there is no such part)", at);
    if (size - begin < bytes) return cut(size);
    places_.push_back({static_cast<Chunk>(kind), begin, bytes});
    at = begin + bytes;
    if (places_.back().kind != Chunk::kEnd) continue;
    if (at != size) return wrong("trace-length", fmt::format("{} bytes follow the end of the trace", size - at), at);
    return okStatus();
  }
}

/// The bytes of a chunk, as they were written.
Result<std::string> Reader::chunk(const Place &place) {
  std::string all(kFrameBytes + std::size_t{place.bytes}, '\0');
  in_->clear();
  in_->seekg(static_cast<std::streamoff>(place.at - kFrameBytes));
  in_->read(all.data(), static_cast<std::streamsize>(all.size()));
  if (static_cast<std::size_t>(in_->gcount()) != all.size())
    return wrong("trace-length", "the trace ends too early", place.at);
  constexpr std::size_t kCovered = 8;
  const std::uint32_t expected = ByteReader(std::string_view(all).substr(kCovered)).word();
  all.erase(kCovered, 4);
  if (crc32(all) != expected) return wrong("trace-checksum", "the trace has been altered", place.at);
  return all.substr(kCovered);
}

Status Reader::readHead() {
  const Place &place = places_.front();
  if (place.kind != Chunk::kHead) return wrong("trace-contents", "the trace has no head", place.at);
  const Result<std::string> bytes = chunk(place);
  if (!bytes) return bytes.diagnostics();
  ByteReader from(*bytes);
  hasValues_ = (from.word() & kHasValues) != 0;
  if (!from.isGood()) return wrong("trace-contents", "the head of the trace is too short", place.at);
  return okStatus();
}

Status Reader::readEnd() {
  const Place &place = places_.back();
  const Result<std::string> bytes = chunk(place);
  if (!bytes) return bytes.diagnostics();
  ByteReader from(*bytes);
  const std::uint32_t size = from.word();
  const auto contents =
      from.isGood() && size <= kMostBytes ? decompressZstd(from.take(from.size()), size) : std::nullopt;
  ByteReader parts(contents ? std::string_view(*contents) : std::string_view());
  if (!contents || !takeProgram(parts, program_, version_) || !takeEnd(parts, end_) || !parts.isEmpty())
    return wrong("trace-contents", "the end of the trace says what none can say", place.at);
  return okStatus();
}

Status Reader::run(Consumer &consumer) {
  consumer.onStart(program_, hasValues_);
  for (const Place &place : places_) {
    if (place.kind != Chunk::kBlocks) continue;
    if (!consumer.wantsMore()) break;
    const Result<std::string> bytes = chunk(place);
    if (!bytes) return bytes.diagnostics();
    if (!runBlocks(*bytes, consumer))
      return wrong("trace-contents", "this part of the trace holds what no stream can have", place.at);
  }
  consumer.onEnd();
  return okStatus();
}

bool Reader::takeEntry(std::uint32_t &number) {
  number = entries_.foreseen();
  if (entryRun_ > 0) {
    --entryRun_;
    return number < table_.variants();
  }
  const std::uint8_t symbol = sections_[kEntrySymbols].byte();
  if (symbol != kNumbered) {
    number = entries_.ofRank(symbol);
    if (number >= table_.variants()) return false;
  } else {
    number = static_cast<std::uint32_t>(sections_[kDefinitions].number(table_.variants() + 1));
    if (!sections_[kDefinitions].isGood()) return false;
    if (number == table_.variants() && !table_.define(sections_[kDefinitions])) return false;
  }
  entryRun_ = sections_[kEntryRuns].number();
  return sections_[kEntryRuns].isGood();
}

bool Reader::takeAddress(const Slot &slot, std::uint64_t &address) {
  const auto foreseen = addresses_.foreseen(slot);
  address = foreseen.front();
  if (accessRun_ > 0) {
    --accessRun_;
    return true;
  }
  const std::uint8_t symbol = sections_[kAccessSymbols].byte();
  if (symbol + 1 < AddressModel::kModels) {
    address = foreseen[symbol + std::size_t{1}];
  } else {
    constexpr std::uint8_t kMost = 8;
    if (symbol < kDifference || symbol > kDifference + kMost) return false;
    std::uint64_t difference = 0;
    for (int b = 0; b < symbol - kDifference; ++b) {
      ByteReader &from = sections_[static_cast<std::size_t>(std::min<int>(kHighBytes, kLowBytes + b))];
      difference |= static_cast<std::uint64_t>(from.byte()) << (8 * b);
      if (!from.isGood()) return false;
    }
    address = (slot.last + static_cast<std::uint64_t>(unfolded(difference))) & kAddressMask;
  }
  accessRun_ = sections_[kAccessRuns].number();
  return sections_[kAccessRuns].isGood();
}

bool Reader::runBlocks(std::string_view bytes, Consumer &consumer) {
  ByteReader from(bytes);
  const std::uint32_t entries = from.word();
  std::array<std::string, kSections> contents;
  for (std::size_t s = 0; s < contents.size(); ++s) {
    const std::uint32_t size = from.word(), compressed = from.word();
    if (!from.isGood() || size > kMostBytes) return false;
    auto section = decompressZstd(from.take(compressed), size);
    if (!section) return false;
    contents[s] = std::move(*section);
    sections_[s] = ByteReader(contents[s]);
  }
  if (!from.isGood() || !from.isEmpty() || entries > kMostEntries) return false;
  entryRun_ = sections_[kEntryRuns].number();
  accessRun_ = sections_[kAccessRuns].number();
  std::vector<Access> accesses;
  for (std::uint32_t e = 0; e < entries; ++e) {
    std::uint32_t number = 0;
    if (!takeEntry(number)) return false;
    entries_.learn(number);
    const Variant &v = table_.variant(number);
    accesses.clear();
    for (const Shape &s : v.accesses) {
      Slot &slot = table_.slot(s.slot);
      Access a{0, s.instruction, s.bytes, s.isStore, 0};
      if (!takeAddress(slot, a.address)) return false;
      addresses_.learn(slot, a.address);
      if (hasValues_) slot.value += static_cast<std::uint64_t>(sections_[kValues].signedNumber());
      a.value = hasValues_ ? slot.value : 0;
      accesses.push_back(a);
    }
    if (!sections_[kValues].isGood()) return false;
    consumer.onBlock(table_.block(v.block), v.count, accesses);
    if (!consumer.wantsMore()) return true;
  }
  const auto isTaken = [](const ByteReader &s) { return s.isGood() && s.isEmpty(); };
  return entryRun_ == 0 && accessRun_ == 0 && std::all_of(sections_.begin(), sections_.end(), isTaken);
}

}  // namespace pimento::trace::file
