// Short ways to assemble in tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/dpu/assembler.h"

namespace pimento::dpu {

inline Object assembledObject(std::string_view text) {
  const Result<Object> object = assemble(text, "a.s");
  if (object) return *object;
  for (const Diagnostic &d : object.diagnostics()) ADD_FAILURE() << text << ": " << d.str();
  return {};
}

/// Null where there is none.
inline const Section *sectionNamed(const Object &object, std::string_view name) {
  for (const Section &section : object.sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

inline const Symbol *symbolNamed(const Object &object, std::string_view name) {
  for (const Symbol &symbol : object.symbols) {
    if (symbol.name == name) return &symbol;
  }
  return nullptr;
}

/// The words of a section of code.
inline std::vector<std::uint64_t> wordsOf(const Section &section) {
  std::vector<std::uint64_t> words(section.bytes.size() / 8);
  for (std::size_t i = 0; i < section.bytes.size(); ++i) words[i / 8] |= std::uint64_t{section.bytes[i]} << (i % 8 * 8);
  return words;
}

/// The word of one instruction; all ones where the text is not one.
inline std::uint64_t assembledWord(std::string_view text) {
  const Object object = assembledObject(text);
  if (object.sections.empty()) return ~0ULL;
  const std::vector<std::uint64_t> words = wordsOf(object.sections.front());
  return words.size() == 1 ? words.front() : ~0ULL;
}

}  // namespace pimento::dpu
