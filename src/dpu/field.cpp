#include "pimento/dpu/field.h"

#include <algorithm>
#include <array>

#include "pimento/base/text.h"

namespace pimento::dpu {

namespace {

// HIGH:LOW=HIGH:LOW or BIT=BIT: word bits = value bits.
struct Row {
  std::uint8_t type;
  std::string_view name;
  std::uint8_t width;
  std::string_view bits;
};
constexpr std::array kRows = {
    Row{0, "R_DPU_NONE", 0, ""},
    Row{1, "R_DPU_32", 32, ""},
    Row{2, "R_DPU_8", 8, ""},
    Row{3, "R_DPU_16", 16, ""},
    Row{4, "R_DPU_64", 64, ""},
    Row{128, "R_DPU_PC", 16, "15:0=15:0"},
    Row{129, "R_DPU_IMM5", 5, "28=4 23:20=3:0"},
    Row{130, "R_DPU_IMM8_DMA", 8, "31:24=7:0"},
    Row{131, "R_DPU_IMM24_PC", 8, "23:20=3:0 19:16=7:4"},
    Row{132, "R_DPU_IMM27_PC", 11, "41:39=10:8 23:20=3:0 19:16=7:4"},
    Row{133, "R_DPU_IMM28_PC_OPC8", 12, "44=11 41:39=10:8 23:20=3:0 19:16=7:4"},
    Row{134, "R_DPU_IMM8_STR", 8, "19:16=3:0 3:0=7:4"},
    Row{135, "R_DPU_IMM12_STR", 12, "41:39=6:4 24=7 23:20=3:0 15=8 14=9 13=10 12=11"},
    Row{136, "R_DPU_IMM16_STR", 16, "19:16=3:0 11:0=15:4"},
    Row{137, "R_DPU_IMM16_ATM", 16, "41:39=15:13 30:26=12:8 23:20=3:0 19:16=7:4"},
    Row{138, "R_DPU_IMM24", 24, "23:20=3:0 19:16=7:4 15=8 14=9 13=10 12=11 11:0=23:12"},
    Row{139, "R_DPU_IMM24_RB", 24, "41:39=6:4 24=7 23:20=3:0 15=8 14=9 13=10 12=11 11:0=23:12"},
    Row{140, "R_DPU_IMM27", 27, "41:39=26:24 23:20=3:0 19:16=7:4 15=8 14=9 13=10 12=11 11:0=23:12"},
    Row{141, "R_DPU_IMM28", 28, "44=27 41:39=26:24 23:20=3:0 19:16=7:4 15=8 14=9 13=10 12=11 11:0=23:12"},
    Row{142, "R_DPU_IMM32", 32, "31:24=31:24 23:20=3:0 19:16=7:4 15=8 14=9 13=10 12=11 11:0=23:12"},
    Row{143, "R_DPU_IMM32_ZERO_RB", 32, "39=7 36:34=6:4 31:24=31:24 23:20=3:0 15=8 14=9 13=10 12=11 11:0=23:12"},
    Row{144, "R_DPU_IMM17_24", 17,
        "23:20=3:0 19:16=7:4 15=8 14=9 13=10 12=11 11=16 10=16 9=16 8=16 7=16 6=16 5=16 4:0=16:12"},
    Row{145, "R_DPU_IMM32_DUS_RB", 32, "44=7 36:34=6:4 31:24=31:24 23:20=3:0 15=8 14=9 13=10 12=11 11:0=23:12"},
};

/// "15:12" is {15, 12}; "7" is {7, 7}.
std::pair<int, int> bounds(std::string_view text) {
  const std::size_t colon = text.find(':');
  const int high = static_cast<int>(*parseInteger(text.substr(0, colon)));
  return {high, colon == text.npos ? high : static_cast<int>(*parseInteger(text.substr(colon + 1)))};
}

std::vector<Field> build() {
  std::vector<Field> built;
  for (const Row &row : kRows) {
    Field field{row.type, row.name, FieldKind::kInstruction, row.width, {}, 0};
    if (row.bits.empty()) field.kind = row.width ? FieldKind::kData : FieldKind::kNone;
    for (const std::string_view item : row.bits.empty() ? std::vector<std::string_view>{} : split(row.bits, ' ')) {
      const std::size_t equals = item.find('=');
      const auto [high, low] = bounds(item.substr(0, equals));
      const int width = high - low + 1;
      field.ranges.push_back({static_cast<std::uint8_t>(low),
                              static_cast<std::uint8_t>(bounds(item.substr(equals + 1)).second),
                              static_cast<std::uint8_t>(width)});
      field.mask |= ((1ULL << width) - 1) << low;
    }
    built.push_back(std::move(field));
  }
  return built;
}

}  // namespace

const std::vector<Field> &fields() {
  static const std::vector<Field> all = build();
  return all;
}

const Field *fieldOfType(unsigned type) {
  const auto found = std::find_if(fields().begin(), fields().end(), [&](const Field &f) { return f.type == type; });
  return found == fields().end() ? nullptr : &*found;
}

bool fits(const Field &field, std::int64_t value) {
  if (field.width >= 64) return true;
  const std::int64_t half = 1LL << (field.width - 1);
  const bool isUnsigned = field.type == kRelocateTarget || field.name == "R_DPU_IMM5" || field.name == "R_DPU_IMM8_DMA";
  const bool isEither = field.kind == FieldKind::kData || field.width == 32 || field.name == "R_DPU_IMM8_STR" ||
                        field.name == "R_DPU_IMM16_STR";
  return value >= (isUnsigned ? 0 : -half) && value < (isUnsigned || isEither ? 2 * half : half);
}

const Field *fieldCovering(std::uint64_t mask) {
  // Two layouts cover the bits of the 24-bit immediate; the 17-bit one belongs to stack forms, which name it.
  const auto found = std::find_if(fields().begin(), fields().end(), [&](const Field &f) { return f.mask == mask; });
  return found == fields().end() ? nullptr : &*found;
}

}  // namespace pimento::dpu
