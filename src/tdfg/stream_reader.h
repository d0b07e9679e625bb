// Reads the streams of a region. Internal to the room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/tdfg/text_scanner.h"

namespace pimento::tdfg {

/// Functions return false after reporting a mistake.
class StreamReader : protected TextScanner {
 protected:
  StreamReader(std::string_view text, std::string file) : TextScanner(text, std::move(file)) {}

  /// What stands between "streams" and its "end"; of the names and arrays of `program_`.
  bool streams(Streams &s);

 private:
  bool streamLine(Streams &s);
  bool dimLine(Streams &s);
  bool dimName(int &into);
  bool boundLine(Streams &s);
  /// "v12".
  bool value(int &into);
  bool access(StreamAccess &into);
  bool targetLine(Streams &s);
  bool valueLine(Streams &s);
  bool valueArguments(kernel::Value &v);

  std::vector<std::string> dims_;  ///< of the streams being read
};

}  // namespace pimento::tdfg
