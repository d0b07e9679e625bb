// A section module: which keys a part of machine files has, how they become a part of Machine, and what must hold
// between them. sections.def is the one table of modules; schema, builder and checks walk it.
//
// Not here: what a single value must be (schema.h, reader.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"
#include "pimento/machine/reader.h"
#include "pimento/machine/schema.h"

namespace pimento::machine {

/// The values of a file by path, each checked by itself, and where to report what is wrong between them. What a file
/// leaves out reads as nothing, zero or `otherwise`; numbers are in canonical units.
class Contents {
 public:
  Contents(const Node &root, const std::map<std::string, Value> &values, Diagnostics &out)
      : root_(root), values_(values), out_(out) {}

  /// Whether the file has the key, a section or a value.
  bool has(std::string_view path) const { return root_.at(path) != nullptr; }
  /// The value at a path, or null.
  const Value *get(const std::string &path) const;
  std::string text(const std::string &path) const;
  bool flag(const std::string &path) const;
  std::vector<std::string> list(const std::string &path) const;
  double real(const std::string &path, double otherwise = 0) const;
  std::int64_t integer(const std::string &path, std::int64_t otherwise = 0) const;
  Cycles cycles(const std::string &path) const { return Cycles(integer(path)); }
  Bytes bytes(const std::string &path) const { return Bytes(integer(path)); }
  Picoseconds time(const std::string &path) const;
  /// The entries of a mapping, in the order of the file.
  const std::vector<Entry> &entries(std::string_view path) const;

  void report(std::string code, const Location &where, std::string message, std::string hint) const;
  /// At the value, else the section, else the file.
  void report(std::string code, const std::string &path, std::string message, std::string hint) const;
  void impossible(const std::string &path, std::string message, std::string hint) const;
  /// Reports "impossible-value" unless x < end; `what` is what ends there.
  void below(const std::string &path, std::int64_t x, std::int64_t end, const std::string &what) const;
  void append(const Diagnostics &more) const { out_.insert(out_.end(), more.begin(), more.end()); }

 private:
  const Node &root_;
  const std::map<std::string, Value> &values_;
  Diagnostics &out_;
};

struct Section {
  std::vector<SchemaRow> (*rows)();
  void (*build)(const Contents &contents, Machine &machine);  ///< Machine::numbers is filled in before
  /// Runs once all sections are built without a mistake; null where nothing has to hold.
  void (*check)(const Contents &contents, const Machine &machine);
};

/// In the order of the table: a section is built after those before it.
std::span<const Section> sections();

namespace section {
#define PIMENTO_SECTION(name) Section name();
#include "pimento/machine/sections/sections.def"
#undef PIMENTO_SECTION
}  // namespace section

/// The value that a choice of the schema stands for.
template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};

/// The reader has checked the choice.
template <typename Enum, std::size_t N>
Enum enumOf(const Word<Enum> (&words)[N], std::string_view text) {
  for (const Word<Enum> &w : words)
    if (w.text == text) return w.value;
  PIMENTO_CHECK(false && "a choice of the schema without a value");
  return words[0].value;
}

/// The choice that stands for a value.
template <typename Enum, std::size_t N>
std::string_view textOf(const Word<Enum> (&words)[N], Enum value) {
  for (const Word<Enum> &w : words)
    if (w.value == value) return w.text;
  return {};
}

template <typename Enum, std::size_t N>
std::vector<std::string> choicesOf(const Word<Enum> (&words)[N]) {
  std::vector<std::string> texts;
  for (const Word<Enum> &w : words) texts.emplace_back(w.text);
  return texts;
}

}  // namespace pimento::machine
