#include "pimento/base/own_file.h"

#include <dlfcn.h>

#include <string>
#include <system_error>

namespace pimento {

namespace fs = std::filesystem;

fs::path ownFile() {
  std::error_code ignored;
  fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  // In a program that uses a shared library of ours, the library's own file is what counts. (Linked in statically, this
  // says how the program was called.)
  if (Dl_info info{}; dladdr(reinterpret_cast<const void *>(&ownFile), &info) != 0 && info.dli_fname != nullptr)
    if (fs::path file = info.dli_fname; file.filename().string().find(".so") != std::string::npos) self = file;
  return self;
}

}  // namespace pimento
