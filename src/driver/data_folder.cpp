#include "pimento/driver/data_folder.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace pimento::driver {

namespace fs = std::filesystem;

std::string dataFolder(const std::string &name) {
  std::error_code ignored;
  fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  // In a program that uses the shared library, the library's own file is what counts. (Linked in statically, this says
  // how the program was called.)
  if (Dl_info info{}; dladdr(reinterpret_cast<const void *>(&dataFolder), &info) != 0 && info.dli_fname != nullptr)
    if (fs::path file = info.dli_fname; file.filename().string().find(".so") != std::string::npos) self = file;
  const fs::path folder = fs::path("share/pimento") / name;
  fs::path prefix = self.parent_path();
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
