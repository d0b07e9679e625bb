#include "pimento/targets/c_text/lines.h"

namespace pimento::targets::c_text {

void Lines::add(const std::string &line) {
  text_ += line.empty() ? "\n" : std::string(2 * depth_, ' ') + line + "\n";
}

void Lines::open(const std::string &line) {
  add(line);
  ++depth_;
}

void Lines::close(const std::string &behind) {
  --depth_;
  add("}" + behind);
}

}  // namespace pimento::targets::c_text
