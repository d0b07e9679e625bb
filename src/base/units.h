// Physical quantities as types: a number that crosses a room boundary says what it measures.
//
// Not a general unit system: only addition, scaling and comparison, which is all the models need. Conversions
// between quantities (cycles to picoseconds, counts to energy) are functions of the room that owns the factor.
#pragma once

#include <compare>
#include <cstdint>

namespace pimento {

/// A number `Rep` that measures `Tag`. Trivially copyable; zero by default.
template <typename Tag, typename Rep>
struct Quantity {
  Rep value{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep v) : value(v) {}

  constexpr auto operator<=>(const Quantity &) const = default;
  constexpr Quantity operator+(Quantity o) const { return Quantity(value + o.value); }
  constexpr Quantity operator-(Quantity o) const { return Quantity(value - o.value); }
  constexpr Quantity &operator+=(Quantity o) {
    value += o.value;
    return *this;
  }
  constexpr Quantity &operator-=(Quantity o) {
    value -= o.value;
    return *this;
  }
  constexpr Quantity operator*(Rep k) const { return Quantity(value * k); }
};

/// Device clock cycles (the tick a machine file names).
using Cycles = Quantity<struct CyclesTag, std::int64_t>;
/// Time in picoseconds.
using Picoseconds = Quantity<struct PicosecondsTag, double>;
/// Energy in picojoules.
using Picojoules = Quantity<struct PicojoulesTag, double>;
/// Power in milliwatts.
using Milliwatts = Quantity<struct MilliwattsTag, double>;
/// Sizes in bytes.
using Bytes = Quantity<struct BytesTag, std::int64_t>;
/// Silicon area.
using SquareMicrons = Quantity<struct SquareMicronsTag, double>;

}  // namespace pimento
