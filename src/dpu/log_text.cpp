#include "pimento/dpu/log_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

namespace pimento::dpu {

namespace {

constexpr int kWidest = 4096;

/// A conversion of a format: %[flags][width][.precision][h l j z t L]letter, read as loosely as on the DPU.
struct Conversion {
  std::string flags, length;
  std::optional<int> width, precision;
  bool isWidthGiven = false, isPrecisionGiven = false;  ///< '*'
  bool isLong = false;                                  ///< integers of 64 bits
  char letter = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view log) : rest_(log) {}

  std::string read() {
    while (!rest_.empty()) {
      const std::size_t zero = rest_.find('\0');
      text_ += rest_.substr(0, zero);
      if (zero == std::string_view::npos) break;
      rest_.remove_prefix(zero + 1);
      if (rest_.empty() || rest_.front() != '%') {
        text_ += '\0';
      } else if (!convert()) {
        break;
      }
    }
    return std::move(text_);
  }

 private:
  std::string_view rest_;
  std::string text_;

  template <typename T>
  std::optional<T> take() {
    if (rest_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  std::optional<Conversion> readConversion();
  bool readGiven(Conversion &c);
  bool convert();
  bool convertInteger(const Conversion &c, const std::string &shape);
  bool convertString(const std::string &shape);

  template <typename... T>
  void print(const std::string &shape, T... values) {
    std::array<char, 512> small{};
    // A double has up to 309 digits before the point.
    const int size = std::snprintf(small.data(), small.size(), shape.c_str(), values...);
    if (size < 0) return;
    if (static_cast<std::size_t>(size) < small.size()) {
      text_.append(small.data(), static_cast<std::size_t>(size));
      return;
    }
    std::vector<char> large(static_cast<std::size_t>(size) + 1);
    std::snprintf(large.data(), large.size(), shape.c_str(), values...);
    text_.append(large.data(), static_cast<std::size_t>(size));
  }
};

bool isFlag(char c) {
  return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0';
}

std::optional<Conversion> Reader::readConversion() {
  Conversion c;
  bool isPrecision = false;
  int longs = 0;
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    const char x = rest_[i];
    std::optional<int> &number = isPrecision ? c.precision : c.width;
    if (!isPrecision && !c.width && !c.isWidthGiven && isFlag(x)) {
      c.flags += x;
    } else if (x >= '0' && x <= '9') {
      number = std::min(kWidest, 10 * number.value_or(0) + (x - '0'));
    } else if (x == '*') {
      (isPrecision ? c.isPrecisionGiven : c.isWidthGiven) = true;
    } else if (x == '.') {
      isPrecision = true;
      c.precision = 0;
    } else if (x == 'l' || x == 'j') {
      longs += x == 'j' ? 2 : 1;
    } else if (x == 'h') {
      c.length += x;
    } else if (std::strchr("ztL+,-/ #", x) == nullptr) {
      c.letter = x;
      c.isLong = longs >= 2;
      rest_.remove_prefix(i + 1);
      return c;
    }
  }
  return std::nullopt;
}

/// Takes the arguments for '*'.
bool Reader::readGiven(Conversion &c) {
  if (c.isWidthGiven) {
    const std::optional<std::int32_t> width = take<std::int32_t>();
    if (!width) return false;
    if (*width < 0) c.flags += '-';
    c.width = static_cast<int>(std::min<std::int64_t>(kWidest, std::abs(std::int64_t{*width})));
  }
  if (c.isPrecisionGiven) {
    const std::optional<std::int32_t> precision = take<std::int32_t>();
    if (!precision) return false;
    c.precision.reset();
    if (*precision >= 0) c.precision = std::min(kWidest, *precision);
  }
  return true;
}

bool Reader::convert() {
  std::optional<Conversion> c = readConversion();
  if (!c || !readGiven(*c)) return false;
  std::string shape = "%" + c->flags;
  if (c->width && *c->width > 0) shape += std::to_string(*c->width);
  if (c->precision) shape += "." + std::to_string(*c->precision);
  switch (c->letter) {
    case 's':
      return convertString(shape + "s");
    case 'c':
    case 'p': {
      const std::optional<std::uint32_t> value = take<std::uint32_t>();
      if (!value) return false;
      if (c->letter == 'c')
        print(shape + "c", static_cast<int>(*value));
      else
        print("%#" + shape.substr(1) + "x", *value);
      return true;
    }
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return convertInteger(*c, shape);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      const std::optional<std::uint64_t> bits = take<std::uint64_t>();
      if (!bits) return false;
      print(shape + c->letter, std::bit_cast<double>(*bits));
      return true;
    }
    default:
      return true;  // not written by printf
  }
}

bool Reader::convertInteger(const Conversion &c, const std::string &shape) {
  const bool isSigned = c.letter == 'd' || c.letter == 'i';
  if (c.isLong) {
    const std::optional<std::uint64_t> value = take<std::uint64_t>();
    if (!value) return false;
    if (isSigned)
      print(shape + "ll" + c.letter, static_cast<long long>(*value));
    else
      print(shape + "ll" + c.letter, static_cast<unsigned long long>(*value));
    return true;
  }
  const std::optional<std::uint32_t> value = take<std::uint32_t>();
  if (!value) return false;
  const std::string length = c.length.size() > 1 ? "hh" : c.length;
  if (isSigned)
    print(shape + length + c.letter, static_cast<int>(*value));
  else
    print(shape + length + c.letter, *value);
  return true;
}

bool Reader::convertString(const std::string &shape) {
  const std::size_t end = rest_.find('\0');
  if (end == std::string_view::npos) return false;
  const std::string text(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  print(shape, text.c_str());
  return true;
}

}  // namespace

std::string logText(std::string_view log) {
  return Reader(log).read();
}

}  // namespace pimento::dpu
