// Text of the page: escaping, and numbers as people read them with the exact value to hover over.
//
// Not a template engine: sections are put together from strings. Whatever comes from an input goes through escape().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pimento::emit::html {

/// `text` for element content and for attributes in double quotes. Characters that HTML forbids become U+FFFD.
std::string escape(std::string_view text);

/// `text` as a JavaScript string literal that may stand inside a script element.
std::string scriptString(std::string_view text);

/// What a number counts or measures, and in which unit results carry it.
enum class Quantity : std::uint8_t { kCycles, kTime, kEnergy, kCount, kBytes, kPercent, kPlain };

/// "1,234,567", "12.35 million"; "1.23 ms" (of ns); "4.5 µJ" (of pJ); "12.3 %"; four digits at most, or all of a count
/// below ten million. No markup in it.
std::string shortText(Quantity quantity, double value);

/// All of the number, with its unit: "1,234,567 cycles", "1234.5 ns".
std::string exactText(Quantity quantity, double value);

/// shortText() with exactText() to hover over, where they differ.
std::string number(Quantity quantity, double value);

/// "12.3 %" of a part, "<0.1 %" where it is not nothing; "–" where `whole` is 0.
std::string shareText(double part, double whole);

/// A unit for an axis or a column: what values are divided by, and its name ("µs", "million cycles").
struct Unit {
  double factor = 1;
  std::string name;
};

/// The unit in which `largest` has between one and three digits before the point.
Unit unitFor(Quantity quantity, double largest);

/// `x` with at most `digits` significant digits, no exponent between 1e-4 and 1e9, grouped.
std::string plain(double x, int digits = 4);

/// "1 layer", "2 layers".
std::string counted(std::size_t n, std::string_view noun);

}  // namespace pimento::emit::html
