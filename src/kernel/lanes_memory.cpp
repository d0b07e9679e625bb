// Between tensors' bytes and lanes.
#include <algorithm>
#include <array>
#include <bit>

#include "pimento/kernel/lanes.h"

namespace pimento::kernel {

static_assert(std::endian::native == std::endian::little, "tensor bytes are read as native elements");

namespace {

/// binary16 bits to float, without a branch.
inline float widenF16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::int32_t a = bits & 0x7fff;
  const std::int32_t normal = (a << 13) + (a >= 0x7c00 ? 0x70000000 : 0x38000000);
  const float subnormal = std::bit_cast<float>(0x3f000000 + a) - 0.5f;
  const std::int32_t r = a < 0x0400 ? std::bit_cast<std::int32_t>(subnormal) : normal;
  return std::bit_cast<float>(static_cast<std::uint32_t>(r) | sign);
}

template <typename T>
const T *elements(const std::byte *array) {
  return reinterpret_cast<const T *>(array);
}

template <typename T, typename Convert, typename Out>
void gatherAs(const std::byte *array, std::int64_t first, std::int64_t stride, Out *out, int count, Convert convert) {
  const T *in = elements<T>(array) + first;
  if (stride == 1) {
    for (int l = 0; l < count; ++l) out[l] = convert(in[l]);
  } else if (stride == 0) {
    std::fill(out, out + count, convert(in[0]));
  } else {
    for (int l = 0; l < count; ++l) out[l] = convert(in[l * stride]);
  }
}

template <typename T, typename Convert, typename In>
void scatterAs(std::byte *array, std::int64_t first, std::int64_t stride, const In *in, int count, Convert convert) {
  T *out = reinterpret_cast<T *>(array) + first;
  for (int l = 0; l < count; ++l) out[l * stride] = convert(in[l]);
}

template <DType T>
float decodeByte(std::uint8_t code) {
  static const std::array<float, 256> kTable = [] {
    std::array<float, 256> table{};
    for (unsigned c = 0; c < 256; ++c) table[c] = static_cast<float>(decodeFloat(T, c));
    return table;
  }();
  return kTable[code];
}

}  // namespace

void gather(DType type, const std::byte *array, std::int64_t first, std::int64_t stride, Lanes &out, int at,
            int count) {
  auto same = [](auto x) { return x; };
  auto widen = [](auto x) { return static_cast<std::int64_t>(x); };
  switch (type) {
    case DType::kF64:
      return gatherAs<double>(array, first, stride, out.d + at, count, same);
    case DType::kF32:
      return gatherAs<float>(array, first, stride, out.f + at, count, same);
    case DType::kF16:
      return gatherAs<std::uint16_t>(array, first, stride, out.f + at, count, widenF16);
    case DType::kBF16:
      return gatherAs<std::uint16_t>(array, first, stride, out.f + at, count, [](std::uint16_t b) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
      });
    case DType::kF8E4M3:
      return gatherAs<std::uint8_t>(array, first, stride, out.f + at, count, decodeByte<DType::kF8E4M3>);
    case DType::kF8E5M2:
      return gatherAs<std::uint8_t>(array, first, stride, out.f + at, count, decodeByte<DType::kF8E5M2>);
    case DType::kI64:
    case DType::kU64:
      return gatherAs<std::int64_t>(array, first, stride, out.i + at, count, widen);
    case DType::kI32:
      return gatherAs<std::int32_t>(array, first, stride, out.i + at, count, widen);
    case DType::kI16:
      return gatherAs<std::int16_t>(array, first, stride, out.i + at, count, widen);
    case DType::kI8:
      return gatherAs<std::int8_t>(array, first, stride, out.i + at, count, widen);
    case DType::kU32:
      return gatherAs<std::uint32_t>(array, first, stride, out.i + at, count, widen);
    case DType::kU16:
      return gatherAs<std::uint16_t>(array, first, stride, out.i + at, count, widen);
    case DType::kU8:
      return gatherAs<std::uint8_t>(array, first, stride, out.i + at, count, widen);
  }
}

void scatter(DType type, std::byte *array, std::int64_t first, std::int64_t stride, const Lanes &in, int at,
             int count) {
  auto encode = [type](float x) { return static_cast<std::uint8_t>(encodeFloat(type, static_cast<double>(x))); };
  switch (type) {
    case DType::kF64:
      return scatterAs<double>(array, first, stride, in.d + at, count, [](double x) { return x; });
    case DType::kF32:
      return scatterAs<float>(array, first, stride, in.f + at, count, [](float x) { return x; });
    case DType::kF16:
      return scatterAs<std::uint16_t>(array, first, stride, in.f + at, count, f16FromFloat);
    case DType::kBF16:
      return scatterAs<std::uint16_t>(array, first, stride, in.f + at, count, [](float x) {
        return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
      });
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      return scatterAs<std::uint8_t>(array, first, stride, in.f + at, count, encode);
    default:
      break;
  }
  switch (sizeOf(type).value) {
    case 8:
      return scatterAs<std::int64_t>(array, first, stride, in.i + at, count, [](std::int64_t x) { return x; });
    case 4:
      return scatterAs<std::int32_t>(array, first, stride, in.i + at, count,
                                     [](std::int64_t x) { return static_cast<std::int32_t>(x); });
    case 2:
      return scatterAs<std::int16_t>(array, first, stride, in.i + at, count,
                                     [](std::int64_t x) { return static_cast<std::int16_t>(x); });
    default:
      return scatterAs<std::int8_t>(array, first, stride, in.i + at, count,
                                    [](std::int64_t x) { return static_cast<std::int8_t>(x); });
  }
}

Scalar load(DType type, const std::byte *array, std::int64_t element) {
  Lanes lanes;
  gather(type, array, element, 0, lanes, 0, 1);
  return laneOf(type, lanes, 0);
}

void store(DType type, std::byte *array, std::int64_t element, Scalar x) {
  Lanes lanes;
  setLanes(type, lanes, 0, 1, x);
  scatter(type, array, element, 0, lanes, 0, 1);
}

}  // namespace pimento::kernel
