#include "pimento/program/sram_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace pimento::program {

namespace {

using Kind = SramCommandKind;
using Word = std::string_view;

void mark(std::bitset<kMostSramBanks> &banks, std::int64_t first, std::int64_t last) {
  for (std::int64_t b = first; b <= last && b < static_cast<std::int64_t>(kMostSramBanks); ++b)
    banks.set(static_cast<std::size_t>(b));
}

std::vector<Word> wordsOf(Word line) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" ,\t\r", at);
    if (begin == Word::npos) break;
    at = std::min(line.find_first_of(" ,\t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::optional<kernel::Op> opNamed(Word word) {
  for (int i = 0; i <= static_cast<int>(kernel::Op::kCast); ++i)
    if (kernel::name(static_cast<kernel::Op>(i)) == word) return static_cast<kernel::Op>(i);
  return std::nullopt;
}

/// One line's words, taken from the front.
class Line {
 public:
  Line(Word text, Location where) : words_(wordsOf(text)), where_(std::move(where)) {}

  bool isEmpty() const { return words_.empty(); }
  bool isDone() const { return at_ == words_.size(); }
  Word next() { return isDone() ? Word{} : words_[at_++]; }
  bool take(Word word) {
    if (isDone() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  template <typename Number>
  bool number(Number &n) {
    const Word w = next();
    const auto [end, status] = std::from_chars(w.data(), w.data() + w.size(), n);
    return status == std::errc{} && end == w.data() + w.size();
  }
  /// A wordline, or how many: micro-programs and operands of arrays need no more than this.
  bool wordline(int &n) {
    constexpr int kMost = 1 << 16;
    return number(n) && n >= 0 && n <= kMost;
  }
  Diagnostic wrong(std::string why) const {
    return error("sram-command", where_, std::move(why), "write commands as 'compile --emit commands' prints them");
  }
  Result<SramPattern> pattern() {
    Result<SramPattern> p = parseSramPattern(next());
    if (!p)
      for (Diagnostic &d : p.diagnostics()) d.where = where_;
    return p;
  }

 private:
  std::vector<Word> words_;
  std::size_t at_ = 0;
  Location where_;
};

/// "by DISTANCE[:STRIDE:COUNT]... [tiles ...]"; the distance may be negative.
Status readDistance(Line &line, std::int64_t &distance, SramPattern &copies) {
  const Word w = line.next();
  const std::size_t colon = std::min(w.find(':'), w.size());
  const auto [end, status] = std::from_chars(w.data(), w.data() + colon, distance);
  if (status != std::errc{} || end != w.data() + colon) return line.wrong(fmt::format("'{}' is no distance", w));
  const Result<SramPattern> p = parseSramPattern("0" + std::string(w.substr(colon)));
  if (!p) return line.wrong(fmt::format("'{}' is no distance with copies", w));
  copies = *p;
  return okStatus();
}

Status readMove(Line &line, SramCommand &c) {
  if (!line.wordline(c.bits) || !line.wordline(c.dest) || !line.take("=") || !line.wordline(c.operands[0]) ||
      !line.take("by"))
    return line.wrong("a move is '" + std::string("shift BITS DEST = FROM by DISTANCE") + "'");
  if (Status s = readDistance(line, c.bitlineDistance, c.bitlineCopies); !s) return s;
  if (line.take("tiles"))
    if (Status s = readDistance(line, c.tileDistance, c.tileCopies); !s) return s;
  return okStatus();
}

Status readCompute(Line &line, Word opName, SramCommand &c) {
  const auto op = opNamed(opName);
  if (!op) return line.wrong(fmt::format("'{}' is no command", opName));
  c.kind = Kind::kCompute;
  c.op = *op;
  const auto type = parseDType(line.next());
  if (!type) return line.wrong("the element type is missing");
  c.type = c.argument = *type;
  if (line.take("of")) {
    const auto argument = parseDType(line.next());
    if (!argument) return line.wrong("the argument's type is missing");
    c.argument = *argument;
  }
  if (!line.wordline(c.dest) || !line.take("=")) return line.wrong("the result's wordline is missing");
  for (int i = 0; i < kernel::argumentCount(c.op); ++i)
    if (!line.wordline(c.operands[static_cast<std::size_t>(i)])) return line.wrong("an operand's wordline is missing");
  return okStatus();
}

Status readBody(Line &line, SramCommand &c) {
  const Word first = line.next();
  const std::pair<Word, Kind> moves[] = {
      {"shift", Kind::kShift}, {"tile-shift", Kind::kTileShift}, {"broadcast", Kind::kBroadcast}};
  for (const auto &[word, kind] : moves) {
    if (word != first) continue;
    c.kind = kind;
    return readMove(line, c);
  }
  if (first == "copy") {
    c.kind = Kind::kCopy;
    if (line.wordline(c.bits) && line.wordline(c.dest) && line.take("=") && line.wordline(c.operands[0]))
      return okStatus();
    return line.wrong("a copy is 'copy BITS DEST = FROM'");
  }
  if (first == "constant") {
    c.kind = Kind::kConstant;
    if (line.wordline(c.bits) && line.wordline(c.dest) && line.take("=") && line.number(c.constant)) return okStatus();
    return line.wrong("a constant is 'constant BITS DEST = NUMBER'");
  }
  if (first == "stream") {
    c.kind = Kind::kStream;
    if (line.wordline(c.stream)) return okStatus();
    return line.wrong("the stream's number is missing");
  }
  return readCompute(line, first, c);
}

std::string copies(std::int64_t distance, const SramPattern &pattern) {
  return fmt::format("{}{}", distance, print(pattern).substr(1));
}

}  // namespace

std::bitset<kMostSramBanks> banksOf(const SramPattern &tiles, std::int64_t arraysPerBank) {
  std::bitset<kMostSramBanks> banks;
  // Where no gap is longer than a bank, none is left out: such inner levels are one interval.
  int dense = 0;
  std::int64_t reach = 0;
  for (; dense < tiles.levels() && tiles.level(dense).stride - reach <= arraysPerBank; ++dense)
    reach += std::int64_t{tiles.level(dense).stride} * (tiles.level(dense).count - 1);
  const auto go = [&](const auto &self, int levels, std::int64_t start) -> void {
    if (levels == dense) return mark(banks, start / arraysPerBank, (start + reach) / arraysPerBank);
    const SramPattern::Level &l = tiles.level(levels - 1);
    for (std::int64_t i = 0; i < l.count; ++i) self(self, levels - 1, start + i * l.stride);
  };
  go(go, tiles.levels(), tiles.start());
  return banks;
}

std::string print(const SramCommand &c) {
  std::string text;
  switch (c.kind) {
    case Kind::kSync:
      return "sync";
    case Kind::kStream:
      return fmt::format("stream {}", c.stream);
    case Kind::kCompute:
      text = fmt::format("{} {}", kernel::name(c.op), name(c.type));
      if (c.argument != c.type) text += fmt::format(" of {}", name(c.argument));
      text += fmt::format(" {} =", c.dest);
      for (int i = 0; i < kernel::argumentCount(c.op); ++i)
        text += fmt::format("{} {}", i > 0 ? "," : "", c.operands[static_cast<std::size_t>(i)]);
      break;
    case Kind::kConstant:
      text = fmt::format("constant {} {} = {}", c.bits, c.dest, c.constant);
      break;
    case Kind::kCopy:
      text = fmt::format("copy {} {} = {}", c.bits, c.dest, c.operands[0]);
      break;
    default:
      text = fmt::format("{} {} {} = {} by {}",
                         c.kind == Kind::kShift       ? "shift"
                         : c.kind == Kind::kTileShift ? "tile-shift"
                                                      : "broadcast",
                         c.bits, c.dest, c.operands[0], copies(c.bitlineDistance, c.bitlineCopies));
      if (c.kind != Kind::kShift) text += fmt::format(" tiles {}", copies(c.tileDistance, c.tileCopies));
      break;
  }
  return text + fmt::format(" | bitlines {} | tiles {}", print(c.bitlines), print(c.tiles));
}

std::string print(const SramCommands &commands) {
  std::string text;
  for (const SramCommand &c : commands.list) text += print(c) + "\n";
  return text;
}

Result<SramCommands> parseSramCommands(std::string_view text, std::int64_t arraysPerBank, const std::string &file) {
  SramCommands commands;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), {file, ++number, 1});
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.isEmpty()) continue;
    SramCommand c;
    if (line.take("sync")) {
      if (!line.isDone()) return line.wrong("words behind the command");
      commands.list.push_back(c);
      continue;
    }
    if (Status s = readBody(line, c); !s) return s.diagnostics();
    if (c.kind != Kind::kStream) {
      if (!line.take("|") || !line.take("bitlines")) return line.wrong("'| bitlines PATTERN' is missing");
      const Result<SramPattern> bitlines = line.pattern();
      if (!bitlines) return bitlines.diagnostics();
      if (!line.take("|") || !line.take("tiles")) return line.wrong("'| tiles PATTERN' is missing");
      const Result<SramPattern> tiles = line.pattern();
      if (!tiles) return tiles.diagnostics();
      c.bitlines = *bitlines;
      c.tiles = *tiles;
      if (c.tiles.last() / arraysPerBank >= static_cast<std::int64_t>(kMostSramBanks))
        return line.wrong(fmt::format("tile {} lies in no bank", c.tiles.last()));
      c.banks = banksOf(c.tiles, arraysPerBank);
    }
    if (!line.isDone()) return line.wrong("words behind the command");
    commands.list.push_back(std::move(c));
  }
  return commands;
}

}  // namespace pimento::program
