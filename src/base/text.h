// Small text helpers every parser of options needs: split, trim, and numbers that must fill the whole string.
//
// Not a scanner: languages with structure have their own lexers. Locale plays no part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimento {

/// `text` without white space at both ends.
std::string_view trim(std::string_view text);

/// The parts of `text` between `separator`s, empty ones included; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The parts joined with `separator`.
std::string join(const std::vector<std::string> &parts, std::string_view separator);

/// A command line that a POSIX shell splits into exactly these words.
std::string shellLine(const std::vector<std::string> &words);

/// A decimal or 0x-hexadecimal integer, sign allowed, that fills `text`; empty if it does not or does not fit.
std::optional<std::int64_t> parseInteger(std::string_view text);

/// A decimal floating-point number that fills `text`; empty if it does not or is out of range ("1e999").
std::optional<double> parseNumber(std::string_view text);

/// ASCII letters as small ones.
std::string lowerCase(std::string_view text);

/// The shortest decimal text that reads back as exactly `x`; whole numbers without exponent or point where short.
std::string numberText(double x);

}  // namespace pimento
