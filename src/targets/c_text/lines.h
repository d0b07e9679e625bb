// Lines of C, indented.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace pimento::targets::c_text {

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

}  // namespace pimento::targets::c_text
