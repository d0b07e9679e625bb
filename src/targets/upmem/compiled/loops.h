// The loops over a tile's points and their body, as C text. Internal to compiled/.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pimento/targets/upmem/compiled/helpers.h"
#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// Lines of C, indented.
class Lines {
 public:
  void add(const std::string &line);
  void open(const std::string &line);  ///< "for (...) {"
  void close(const std::string &behind = "");
  /// The same of texts with places to fill in, as fmt::format.
  template <typename... T>
    requires(sizeof...(T) > 0)
  void add(fmt::format_string<T...> line, T &&...values) {
    add(fmt::format(line, std::forward<T>(values)...));
  }
  template <typename... T>
    requires(sizeof...(T) > 0)
  void open(fmt::format_string<T...> line, T &&...values) {
    open(fmt::format(line, std::forward<T>(values)...));
  }
  const std::string &text() const { return text_; }

 private:
  std::string text_;
  std::size_t depth_ = 1;
};

/// What loops and transfers share: names of what the program has in variables.
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
};

/// May an element of `o` be taken from the identity, since each is visited once, or summed in one go?
bool needsFill(const Scheme &scheme, const Operand &o);

/// Writes the loops over the points of a tile.
void writeLoops(Context &context);

}  // namespace pimento::targets::upmem::compiled
