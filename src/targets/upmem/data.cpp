#include "pimento/targets/upmem/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "pimento/base/file.h"
#include "pimento/base/integer.h"
#include "pimento/base/npy.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::targets::upmem {

using program::Code;

namespace {

constexpr const char *kInForms = "write PLACE=FILE or PLACE=TYPE:V,V,... as in --in args=u32:1024,16";
constexpr const char *kOutForms = "write PLACE:TYPE[N], PLACE:BYTES=FILE or PLACE:TYPE[N]=FILE.npy";
constexpr const char *kPlaces = "PLACE is SYMBOL, SYMBOL+BYTES, mram+BYTES or heap+BYTES";

bool isVariable(const Code::Symbol &s) {
  return !s.isAbsolute && !s.isFunction && s.address < program::kIramBase;
}

std::vector<std::string> placeNames(const Code &code) {
  std::vector<std::string> names;
  for (const Code::Symbol &s : code.symbols)
    if (isVariable(s) && !s.name.starts_with(".") && !s.name.starts_with("__")) names.push_back(s.name);
  names.emplace_back("mram");
  names.emplace_back("heap");
  return names;
}

/// One parser for the places of both options; `option` names it in messages.
class Places {
 public:
  Places(std::string option, const Code &code, const machine::Dpu &machine)
      : option_(std::move(option)), code_(code), machine_(machine) {}

  Result<DpuPlace> parse(std::string_view text) const {
    const std::size_t plus = text.find('+');
    const std::string name(trim(text.substr(0, plus)));
    std::int64_t offset = 0;
    if (plus != std::string_view::npos) {
      const auto n = parseInteger(trim(text.substr(plus + 1)));
      if (!n || *n < 0)
        return refuse("dpu-data-option", fmt::format("'{}' is not a number of bytes", text.substr(plus + 1)), kPlaces);
      offset = *n;
    }
    DpuPlace place;
    place.text = std::string(text);
    if (const Code::Symbol *s = code_.symbolNamed(name)) {
      if (!isVariable(*s)) return noVariable(*s);
      place.isMram = s->address >= program::kMramBase;
      place.address = place.isMram ? s->address - program::kMramBase : s->address;
      return within(place, offset, s->size);
    }
    place.isMram = true;
    if (name == "heap") {
      place.address = code_.mramHeap();
    } else if (name != "mram") {
      return refuse("dpu-data-symbol", fmt::format("the program has no variable '{}'", name),
                    suggest(name, placeNames(code_)) + "; " + kPlaces);
    }
    return within(place, offset, 0);
  }

  Diagnostic refuse(std::string code, std::string message, std::string hint) const {
    return usageError(std::move(code), option_, std::move(message), std::move(hint));
  }

  /// Bytes that do not fit.
  Diagnostic tooMany(const DpuPlace &p, std::int64_t bytes) const {
    return refuse("dpu-data-bounds",
                  fmt::format("{} bytes at '{}', where only {} are available", bytes, p.text, p.room.value),
                  p.size.value > 0 ? "a symbol is limited to its own size; mram+BYTES reaches all of MRAM"
                                   : fmt::format("{} ends there", p.isMram ? "MRAM" : "WRAM"));
  }

 private:
  Diagnostic noVariable(const Code::Symbol &s) const {
    const char *what = s.isAbsolute ? "a number" : s.address >= program::kAtomicBase ? "an atomic bit" : "code";
    return refuse("dpu-data-place", fmt::format("'{}' is {}, not a variable in WRAM or MRAM", s.name, what),
                  suggest(s.name, placeNames(code_)));
  }

  Result<DpuPlace> within(DpuPlace place, std::int64_t offset, std::int64_t size) const {
    const std::int64_t memory = (place.isMram ? machine_.mram : machine_.wram).value - place.address;
    const std::int64_t room = size > 0 ? std::min(size, memory) : memory;
    if (offset > room)
      return refuse("dpu-data-bounds", fmt::format("'{}' is past the end, at {}", place.text, room), kPlaces);
    place.address += static_cast<std::uint32_t>(offset);
    place.room = Bytes(room - offset);
    place.size = Bytes(size > 0 ? size - offset : 0);
    return place;
  }

  std::string option_;
  const Code &code_;
  const machine::Dpu &machine_;
};

/// The bits of one value; nothing if it is none of the type.
std::optional<std::uint64_t> bitsOf(std::string_view text, DType type) {
  if (isFloat(type)) {
    const auto x = parseNumber(text);
    return x ? std::optional(encodeFloat(type, *x)) : std::nullopt;
  }
  const int width = static_cast<int>(8 * sizeOf(type).value);
  if (!isSigned(type) && !text.starts_with("-")) {
    // The upper half of u64 is no int64.
    const bool isHex = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = isHex ? text.substr(2) : text;
    std::uint64_t u = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), u, isHex ? 16 : 10);
    if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return width == 64 || u >> width == 0 ? std::optional(u) : std::nullopt;
  }
  const auto n = parseInteger(text);
  if (!n || wrapInteger(type, *n) != *n || !isSigned(type)) return std::nullopt;
  return static_cast<std::uint64_t>(*n);
}

class Inputs {
 public:
  Inputs(const Code &code, const machine::Dpu &machine) : places_("--in", code, machine) {}

  Result<DpuInput> parse(const std::string &text) const {
    const std::size_t eq = text.find('=');
    if (eq == std::string::npos || eq == 0 || eq + 1 == text.size())
      return places_.refuse("dpu-data-option", fmt::format("'{}' is not of the form PLACE=DATA", text), kInForms);
    Result<DpuPlace> place = places_.parse(std::string_view(text).substr(0, eq));
    if (!place) return place.diagnostics();
    DpuInput in{std::move(*place), {}};
    if (Status s = readData(text.substr(eq + 1), in); !s) return s.diagnostics();
    if (in.size() > in.place.room) return places_.tooMany(in.place, in.size().value);
    return in;
  }

 private:
  Status readData(const std::string &value, DpuInput &in) const {
    const std::size_t colon = value.find(':');
    if (colon != std::string::npos)
      if (const auto type = parseDType(std::string_view(value).substr(0, colon)))
        return readValues(*type, std::string_view(value).substr(colon + 1), in);
    if (value.ends_with(".npy")) {
      Result<NpyArray> array = readNpy(value);
      if (!array) return array.diagnostics();
      in.bytes = std::move(array->bytes);
      return okStatus();
    }
    const Result<std::string> contents = readFile(value);
    if (!contents) {
      Diagnostics found = contents.diagnostics();
      found.front().hint += std::string(found.front().hint.empty() ? "" : "; ") + kInForms;
      return found;
    }
    in.bytes.resize(contents->size());
    std::memcpy(in.bytes.data(), contents->data(), in.bytes.size());
    return okStatus();
  }

  Status readValues(DType type, std::string_view list, DpuInput &in) const {
    const auto size = static_cast<std::size_t>(sizeOf(type).value);
    const std::vector<std::string_view> parts = split(list, ',');
    for (const std::string_view part : parts) {
      const std::size_t star = part.find('*');
      const auto bits = bitsOf(trim(part.substr(0, star)), type);
      const auto times =
          star == std::string_view::npos ? std::optional<std::int64_t>(1) : parseInteger(trim(part.substr(star + 1)));
      if (!bits || !times || *times < 1)
        return places_.refuse("dpu-data-value", fmt::format("'{}' is not a value of type {}", trim(part), name(type)),
                              "write values of the type, separated by commas; V*N means N times V");
      // Before anything is made: N may be any number.
      if (*times > in.place.room.value)
        return places_.tooMany(in.place, multiplySaturated(*times, static_cast<std::int64_t>(size)));
      in.times = parts.size() == 1 ? *times : 1;
      for (std::int64_t i = 0; i < *times / in.times; ++i) {
        in.bytes.resize(in.bytes.size() + size);
        std::memcpy(&in.bytes[in.bytes.size() - size], &*bits, size);
      }
      if (in.size() > in.place.room) return places_.tooMany(in.place, in.size().value);
    }
    return okStatus();
  }

  Places places_;
};

class Outputs {
 public:
  Outputs(const Code &code, const machine::Dpu &machine) : places_("--out", code, machine) {}

  Result<DpuOutput> parse(const std::string &text) const {
    DpuOutput out;
    const std::size_t eq = text.find('=');
    out.text = text.substr(0, eq);
    if (eq != std::string::npos) out.file = text.substr(eq + 1);
    if (out.text.empty() || (eq != std::string::npos && out.file.empty()))
      return places_.refuse("dpu-data-option", fmt::format("'{}' has no place", text), kOutForms);
    const std::size_t colon = out.text.find(':');
    Result<DpuPlace> place = places_.parse(std::string_view(out.text).substr(0, colon));
    if (!place) return place.diagnostics();
    out.place = std::move(*place);
    const std::string spec = colon == std::string::npos ? std::string() : out.text.substr(colon + 1);
    if (Status s = readSpec(spec, colon != std::string::npos, out); !s) return s.diagnostics();
    if (out.bytes.value > out.place.room.value) return places_.tooMany(out.place, out.bytes.value);
    if (out.file.empty() && !out.type)
      return places_.refuse("dpu-data-size", fmt::format("'{}' needs a type to print its values", text), kOutForms);
    if (out.file.ends_with(".npy")) {
      if (!out.type) out.type = DType::kU8;
      if (npyDescr(*out.type).empty())
        return places_.refuse("dpu-data-option", fmt::format("NumPy has no type {}", name(*out.type)),
                              "save the bytes: PLACE:BYTES=FILE");
    }
    return out;
  }

 private:
  /// "", "BYTES", "TYPE" or "TYPE[N]".
  Status readSpec(const std::string &spec, bool isGiven, DpuOutput &out) const {
    const auto bad = [&] {
      return places_.refuse("dpu-data-option", fmt::format("'{}' is neither a number of bytes nor a type", spec),
                            std::string(kOutForms) + "; types: " + dtypeNames());
    };
    if (!isGiven) {
      out.bytes = out.place.size;
    } else if (const auto bytes = parseInteger(spec)) {
      if (*bytes < 1) return bad();
      out.bytes = Bytes(*bytes);
    } else {
      const std::size_t bracket = spec.find('[');
      out.type = parseDType(std::string_view(spec).substr(0, bracket));
      if (!out.type) return bad();
      const std::int64_t size = sizeOf(*out.type).value;
      if (bracket == std::string::npos) {
        out.bytes = Bytes(out.place.size.value / size * size);
      } else {
        const auto count =
            spec.ends_with("]") ? parseInteger(spec.substr(bracket + 1, spec.size() - bracket - 2)) : std::nullopt;
        if (!count || *count < 1) return bad();
        out.bytes = Bytes(multiplySaturated(*count, size));
      }
    }
    if (out.bytes.value > 0) return okStatus();
    return places_.refuse("dpu-data-size", fmt::format("'{}' does not give a number of bytes", out.text), kOutForms);
  }

  Places places_;
};

template <typename Out, typename Parser>
Result<std::vector<Out>> parseAll(const std::vector<std::string> &texts, const Parser &parser) {
  std::vector<Out> out;
  for (const std::string &text : texts) {
    Result<Out> one = parser.parse(text);
    if (!one) return one.diagnostics();
    out.push_back(std::move(*one));
  }
  return out;
}

}  // namespace

Result<std::vector<DpuInput>> parseDpuInputs(const std::vector<std::string> &texts, const Code &code,
                                             const machine::Dpu &machine) {
  return parseAll<DpuInput>(texts, Inputs(code, machine));
}

Result<std::vector<DpuOutput>> parseDpuOutputs(const std::vector<std::string> &texts, const Code &code,
                                               const machine::Dpu &machine) {
  return parseAll<DpuOutput>(texts, Outputs(code, machine));
}

void write(const DpuInput &input, sim::dpu::Dpu &dpu) {
  if (!input.place.isMram) {
    auto address = input.place.address;
    for (std::int64_t i = 0; i < input.times; ++i, address += static_cast<std::uint32_t>(input.bytes.size()))
      dpu.writeWram(address, input.bytes);
  } else if (input.times > 1) {
    dpu.fillMram(input.place.address, input.size().value, input.bytes);
  } else {
    dpu.writeMram(input.place.address, input.bytes);
  }
}

std::vector<std::byte> read(const DpuOutput &output, const sim::dpu::Dpu &dpu) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(output.bytes.value));
  if (output.place.isMram)
    dpu.readMram(output.place.address, bytes);
  else
    dpu.readWram(output.place.address, bytes);
  return bytes;
}

Status save(const DpuOutput &output, std::vector<std::byte> bytes) {
  if (!output.file.ends_with(".npy"))
    return writeFile(output.file, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  const std::int64_t elements = output.bytes.value / sizeOf(*output.type).value;
  const Result<std::string> text = printNpy({*output.type, {elements}, std::move(bytes)});
  if (!text) return text.diagnostics();
  return writeFile(output.file, *text);
}

}  // namespace pimento::targets::upmem
