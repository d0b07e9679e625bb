// What all parts of a program's text share: names of what it has in variables. Internal to compiled/.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pimento/targets/c_text/helpers.h"
#include "pimento/targets/c_text/lines.h"
#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

using namespace c_text;

struct Context {
  const Scheme &scheme;
  Helpers &helpers;
  Lines &lines;
  std::vector<bool> stores;  ///< which of the kernel's stores this pass does
  /// Name of an argument of the program, which is then there.
  std::function<std::string(const std::string &name, std::int64_t value)> argument;
  std::function<std::string(int dim)> base;  ///< first value of a dim in this DPU

  /// Bytes between neighbours along a position, as text.
  std::string mramPitch(const Operand &o, std::size_t p) const;
  std::string wramPitch(const Operand &o, std::size_t p) const;
  /// Points of a dim that a tile has, or all that a tasklet can have where boxes of them are whole.
  std::string points(int dim) const;
  /// A point's value of dim `d`; of an affine form.
  std::string coordinate(std::size_t d) const;
  std::string affine(const kernel::Affine &form) const;
};

/// May an element of `o` be taken from the identity, since each is visited once, or summed in one go?
bool needsFill(const Scheme &scheme, const Operand &o);

}  // namespace pimento::targets::upmem::compiled
