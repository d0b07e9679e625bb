#include "pimento/base/npy.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "pimento/base/file.h"
#include "pimento/base/text.h"

namespace pimento {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::array<std::pair<std::string_view, DType>, 11> kTypes{{{"<f8", DType::kF64},
                                                                     {"<f4", DType::kF32},
                                                                     {"<f2", DType::kF16},
                                                                     {"<i8", DType::kI64},
                                                                     {"<i4", DType::kI32},
                                                                     {"<i2", DType::kI16},
                                                                     {"|i1", DType::kI8},
                                                                     {"<u8", DType::kU64},
                                                                     {"<u4", DType::kU32},
                                                                     {"<u2", DType::kU16},
                                                                     {"|u1", DType::kU8}}};

Diagnostic bad(std::string_view file, const std::string &what) {
  return error("bad-npy", {std::string(file)}, "not a readable .npy file: " + what, "write it with numpy.save");
}

Diagnostic unsupported(std::string_view file, const std::string &what, const std::string &hint) {
  return pimento::unsupported("unsupported-npy", {std::string(file)}, what, hint);
}

/// The text after `'key':` in the header's Python dictionary, white space skipped.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "'";
  const auto at = header.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = trim(header.substr(at + quoted.size()));
  if (rest.empty() || rest.front() != ':') return std::nullopt;
  return trim(rest.substr(1));
}

/// Splits the file into header and data; empty if the file is too short or of an unknown version.
std::optional<std::pair<std::string_view, std::string_view>> splitHeader(std::string_view contents) {
  if (contents.size() < 10 || !contents.starts_with(kMagic)) return std::nullopt;
  auto byteAt = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(contents[i])); };
  const std::size_t major = byteAt(6);
  std::size_t length = byteAt(8) | byteAt(9) << 8, begin = 10;
  if (major < 1 || major > 3) return std::nullopt;
  if (major >= 2) {
    if (contents.size() < 12) return std::nullopt;
    length |= byteAt(10) << 16 | byteAt(11) << 24;
    begin = 12;
  }
  if (contents.size() - begin < length) return std::nullopt;
  return std::pair(contents.substr(begin, length), contents.substr(begin + length));
}

std::optional<std::vector<std::int64_t>> parseShape(std::string_view text) {
  const auto end = text.find(')');
  if (text.empty() || text.front() != '(' || end == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> shape;
  const auto parts = split(text.substr(1, end - 1), ',');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    if (part.empty() && i + 1 == parts.size()) break;  // "(3,)" and "()"
    const auto extent = parseInteger(part);
    if (!extent || *extent < 0) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

/// Bytes of a shape; empty on overflow.
std::optional<std::size_t> byteCount(const std::vector<std::int64_t> &shape, DType type) {
  std::size_t count = static_cast<std::size_t>(sizeOf(type).value);
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count)) return std::nullopt;
  }
  return count;
}

}  // namespace

std::string_view npyDescr(DType t) {
  for (const auto &[descr, type] : kTypes) {
    if (type == t) return descr;
  }
  return {};
}

Result<NpyArray> parseNpy(std::string_view contents, std::string_view file) {
  const auto parts = splitHeader(contents);
  if (!parts) return bad(file, "the magic string or version is wrong, or the file is too short");
  const auto [header, data] = *parts;
  const auto descr = valueOf(header, "descr");
  const auto order = valueOf(header, "fortran_order");
  const auto shapeText = valueOf(header, "shape");
  if (!descr || !order || !shapeText) return bad(file, "its header lacks 'descr', 'fortran_order' or 'shape'");
  if (order->starts_with("True")) {
    return unsupported(file, "the array is in Fortran order", "save numpy.ascontiguousarray(a)");
  }
  NpyArray array;
  if (descr->size() < 2 || (descr->front() != '\'' && descr->front() != '"')) {
    return unsupported(file, "the array has a structured type", "save a plain array of numbers");
  }
  const auto close = descr->find(descr->front(), 1);
  const std::string_view typeText = descr->substr(1, close == std::string_view::npos ? close : close - 1);
  bool isKnown = false;
  for (const auto &[text, type] : kTypes) {
    const bool isByte = sizeOf(type).value == 1;  // a byte has no byte order: any prefix will do
    if (typeText == text || (isByte && typeText.size() == 3 && typeText.substr(1) == text.substr(1))) {
      array.type = type;
      isKnown = true;
    }
  }
  if (!isKnown) {
    return unsupported(file, "element type '" + std::string(typeText) + "' is not supported",
                       "types: <f8, <f4, <f2, <i8, <i4, <i2, |i1, <u8, <u4, <u2, |u1 (little endian)");
  }
  auto shape = parseShape(*shapeText);
  if (!shape) return bad(file, "its shape cannot be read");
  array.shape = std::move(*shape);
  const auto wanted = byteCount(array.shape, array.type);
  if (!wanted || data.size() != *wanted) {
    return bad(file, "it holds " + std::to_string(data.size()) + " bytes of data, but its shape needs " +
                         (wanted ? std::to_string(*wanted) : "more than fits in memory"));
  }
  array.bytes.resize(data.size());
  if (!data.empty()) std::memcpy(array.bytes.data(), data.data(), data.size());
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  auto contents = readFile(path);
  if (!contents) return std::move(contents.diagnostics());
  return parseNpy(*contents, path);
}

Result<std::string> printNpy(const NpyArray &array) {
  const std::string_view descr = npyDescr(array.type);
  if (descr.empty()) {
    return unsupported("", "NumPy has no type " + std::string(name(array.type)),
                       "choose f64, f32, f16 or an integer type");
  }
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    header += (i > 0 ? ", " : "") + std::to_string(array.shape[i]);
  }
  header += array.shape.size() == 1 ? ",), }" : "), }";
  header.append(63 - (header.size() + 10) % 64, ' ');  // the data begin at a multiple of 64
  header += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
  out.append(reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size());
  return out;
}

}  // namespace pimento
