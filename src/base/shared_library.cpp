#include "pimento/base/shared_library.h"

#include <dlfcn.h>

namespace pimento {

SharedLibrary::SharedLibrary(const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    // Local: what it brings along must not answer for symbols of a program that loads us.
    handle_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_ != nullptr) {
      problem_.clear();
      return;
    }
    if (problem_.empty()) problem_ = dlerror();
  }
}

void *SharedLibrary::symbol(const char *name) {
  void *const found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
  if (found == nullptr && problem_.empty()) problem_ = std::string("it has no function ") + name;
  return found;
}

}  // namespace pimento
