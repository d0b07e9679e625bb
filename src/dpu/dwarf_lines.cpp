#include "pimento/dpu/dwarf_lines.h"

#include <algorithm>

namespace pimento::dpu {

namespace {

/// Bytes one after another; beyond the end everything is 0 and `isGood` false.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  bool isGood() const { return isGood_; }
  bool isAtEnd() const { return at_ >= bytes_.size(); }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view raw = take(bytes);
    for (std::size_t i = std::min<std::size_t>(raw.size(), 8); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(raw[i]);
    }
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint64_t unsignedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      if (!(next & 0x80) || !isGood_) return value;
    }
  }
  std::int64_t signedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      shift += 7;
      if (next & 0x80 && isGood_) continue;
      if (shift < 64 && next & 0x40) value |= ~0ULL << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  std::string_view string() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == bytes_.npos) {
      take(left() + 1);
      return {};
    }
    const std::string_view value = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return value;
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > left()) {
      isGood_ = false;
      at_ = bytes_.size();
      return {};
    }
    const std::string_view value = bytes_.substr(at_, bytes);
    at_ += bytes;
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool isGood_ = true;
};

std::string_view stringAt(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  return table.substr(offset, std::min(table.find('\0', offset), table.size()) - offset);
}

std::string joined(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  return std::string(folder) + "/" + std::string(name);
}

/// One unit: header, then the program that builds rows.
class LineUnit {
 public:
  LineUnit(std::string_view unit, unsigned version, std::string_view lineStrings, std::string_view strings,
           DwarfLines &into)
      : in_(unit), version_(version), lineStrings_(lineStrings), strings_(strings), into_(into) {}

  bool read() {
    if (!readHeader()) return false;
    while (in_.isGood() && !in_.isAtEnd()) step();
    return in_.isGood();
  }

 private:
  bool readHeader();
  void readFilesBefore5();
  std::vector<std::pair<std::string_view, std::uint64_t>> readEntries5();
  void addFile(std::string_view folder, std::string_view name) {
    files_.push_back(static_cast<std::int32_t>(into_.files.size()));
    into_.files.push_back(joined(folder, name));
  }
  void step();
  void stepExtended();
  void addRow() {
    const std::uint64_t index = version_ >= 5 ? file_ : file_ - 1;
    const bool isKnown = index < files_.size() && line_ > 0 && line_ <= INT32_MAX;
    into_.rows.push_back({address_, isKnown ? files_[index] : -1, isKnown ? static_cast<std::int32_t>(line_) : 0});
  }
  void advance(std::uint64_t operations) { address_ += static_cast<std::uint32_t>(operations * instructionLength_); }
  void reset() {
    address_ = 0;
    file_ = 1;
    line_ = 1;
  }

  Cursor in_;
  unsigned version_;
  std::string_view lineStrings_, strings_;
  DwarfLines &into_;
  std::vector<std::int32_t> files_;  ///< the unit's numbers to those of all units
  std::uint8_t instructionLength_ = 1, opcodeBase_ = 13;
  int lineBase_ = 0, lineRange_ = 1;
  std::vector<std::uint8_t> operandCounts_;
  std::uint32_t address_ = 0;
  std::uint64_t file_ = 1;
  std::int64_t line_ = 1;
};

bool LineUnit::readHeader() {
  if (version_ >= 5) in_.take(2);  // sizes of addresses and of segment selectors
  const std::uint64_t headerLength = in_.number(4);
  if (headerLength > in_.left()) return false;
  const std::size_t program = in_.at() + headerLength;
  instructionLength_ = in_.byte();
  if (version_ >= 4) in_.take(1);  // operations per instruction
  in_.take(1);                     // default of is_stmt
  lineBase_ = static_cast<std::int8_t>(in_.byte());
  lineRange_ = in_.byte();
  opcodeBase_ = in_.byte();
  if (lineRange_ == 0 || opcodeBase_ == 0) return false;
  for (int i = 1; i < opcodeBase_; ++i) operandCounts_.push_back(in_.byte());
  if (version_ >= 5) {
    const auto folders = readEntries5();
    for (const auto &[name, folder] : readEntries5()) {
      addFile(folder > 0 && folder < folders.size() ? folders[folder].first : "", name);
    }
  } else {
    readFilesBefore5();
  }
  if (!in_.isGood() || in_.at() > program) return false;
  in_.take(program - in_.at());
  return true;
}

void LineUnit::readFilesBefore5() {
  std::vector<std::string_view> folders(1);
  for (std::string_view folder = in_.string(); !folder.empty(); folder = in_.string()) folders.push_back(folder);
  for (std::string_view name = in_.string(); !name.empty(); name = in_.string()) {
    const std::uint64_t folder = in_.unsignedLeb();
    in_.unsignedLeb();  // time
    in_.unsignedLeb();  // length
    addFile(folder < folders.size() ? folders[folder] : "", name);
  }
}

std::vector<std::pair<std::string_view, std::uint64_t>> LineUnit::readEntries5() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(in_.byte());
  for (auto &[content, form] : formats) {
    content = in_.unsignedLeb();
    form = in_.unsignedLeb();
  }
  std::vector<std::pair<std::string_view, std::uint64_t>> entries;
  const std::uint64_t count = in_.unsignedLeb();
  // Entries that take no bytes would let the count be anything.
  for (std::uint64_t i = 0; i < count && in_.isGood() && !formats.empty() && !in_.isAtEnd(); ++i) {
    std::string_view name;
    std::uint64_t folder = 0;
    for (const auto &[content, form] : formats) {
      std::string_view text;
      std::uint64_t number = 0;
      switch (form) {
        case 0x08:  // string
          text = in_.string();
          break;
        case 0x0e:  // strp
          text = stringAt(strings_, in_.number(4));
          break;
        case 0x1f:  // line_strp
          text = stringAt(lineStrings_, in_.number(4));
          break;
        case 0x0b:  // data1
          number = in_.number(1);
          break;
        case 0x05:  // data2
          number = in_.number(2);
          break;
        case 0x0f:  // udata
          number = in_.unsignedLeb();
          break;
        case 0x1e:  // data16: a checksum
          in_.take(16);
          break;
        case 0x09:  // block
          in_.take(in_.unsignedLeb());
          break;
        default:
          in_.take(in_.left() + 1);
      }
      if (content == 1) name = text;
      if (content == 2) folder = number;
    }
    entries.emplace_back(name, folder);
  }
  return entries;
}

void LineUnit::step() {
  const std::uint8_t opcode = in_.byte();
  if (opcode >= opcodeBase_) {
    const int adjusted = opcode - opcodeBase_;
    advance(static_cast<std::uint64_t>(adjusted / lineRange_));
    line_ += lineBase_ + adjusted % lineRange_;
    addRow();
    return;
  }
  switch (opcode) {
    case 0:
      stepExtended();
      break;
    case 1:  // copy
      addRow();
      break;
    case 2:  // advance_pc
      advance(in_.unsignedLeb());
      break;
    case 3:  // advance_line
      line_ =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(line_) + static_cast<std::uint64_t>(in_.signedLeb()));
      break;
    case 4:  // set_file
      file_ = in_.unsignedLeb();
      break;
    case 8:  // const_add_pc
      advance(static_cast<std::uint64_t>((255 - opcodeBase_) / lineRange_));
      break;
    case 9:  // fixed_advance_pc
      address_ += static_cast<std::uint32_t>(in_.number(2));
      break;
    default:  // columns, statements, blocks, prologues
      for (int i = 0; i < operandCounts_[opcode - 1u]; ++i) in_.unsignedLeb();
  }
}

void LineUnit::stepExtended() {
  const std::uint64_t length = in_.unsignedLeb();
  Cursor operation(in_.take(length));
  if (length == 0) return;
  switch (operation.byte()) {
    case 1:  // end_sequence
      into_.rows.push_back({address_, -1, 0});
      reset();
      break;
    case 2:  // set_address
      address_ = static_cast<std::uint32_t>(operation.number(std::min<std::size_t>(operation.left(), 8)));
      break;
    default:
      break;
  }
}

}  // namespace

DwarfLines readDwarfLines(std::string_view lines, std::string_view lineStrings, std::string_view strings) {
  DwarfLines read;
  Cursor in(lines);
  while (in.isGood() && !in.isAtEnd()) {
    const std::uint64_t length = in.number(4);  // 64-bit DWARF makes no sense for 32-bit code
    const std::string_view unit = in.take(length);
    if (unit.size() < 2) break;
    const unsigned version = static_cast<unsigned char>(unit[0]) | static_cast<unsigned>(unit[1]) << 8;
    if (version < 2 || version > 5) break;
    if (!LineUnit(unit.substr(2), version, lineStrings, strings, read).read()) break;
  }
  // A sequence may end where another begins: then the beginning counts.
  std::stable_sort(read.rows.begin(), read.rows.end(), [](const auto &a, const auto &b) {
    if (a.address != b.address) return a.address < b.address;
    return a.file < 0 && b.file >= 0;
  });
  return read;
}

}  // namespace pimento::dpu
