#include "pimento/base/file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pimento {

Result<std::string> readFile(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return error("unreadable-file", {path}, "cannot read '" + path + "': it is a folder", "name a file in it");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream contents;
  if (in) contents << in.rdbuf();
  if (!in || in.bad()) {
    const std::string why = errno != 0 ? std::strerror(errno) : "unknown reason";
    return error("unreadable-file", {path}, "cannot read '" + path + "': " + why, "check the path and its permissions");
  }
  return std::move(contents).str();
}

Status writeFile(const std::string &path, std::string_view contents) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out) {
    const std::string why = errno != 0 ? std::strerror(errno) : "unknown reason";
    return error("unwritable-file", {path}, "cannot write '" + path + "': " + why,
                 "check that the folder exists and is writable");
  }
  return okStatus();
}

}  // namespace pimento
