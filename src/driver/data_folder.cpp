#include "pimento/driver/data_folder.h"

#include <cstdlib>
#include <filesystem>

#include "pimento/base/own_file.h"

namespace pimento::driver {

namespace fs = std::filesystem;

std::string dataFolder(const std::string &name) {
  std::error_code ignored;
  const fs::path folder = fs::path("share/pimento") / name;
  fs::path prefix = ownFile().parent_path();
  // lib/libpimento.so, and lib/ARCHITECTURE/libpimento.so.
  for (int up = 0; up < 2; ++up) {
    prefix = prefix.parent_path();
    if (fs::is_directory(prefix / folder, ignored)) break;
  }
  return (prefix / folder).string();
}

std::vector<std::string> machineFolders() {
  if (const char *path = std::getenv("PIMENTO_MACHINES")) return {path};
  return {dataFolder("machines")};
}

}  // namespace pimento::driver
