// A shared library of the system that is loaded at run time and kept until the process ends.
#pragma once

#include <string>
#include <vector>

namespace pimento {

class SharedLibrary {
 public:
  /// The first of `names` that can be loaded, as the loader finds it or by its path.
  explicit SharedLibrary(const std::vector<std::string> &names);

  /// Why it cannot be used; empty: it can.
  const std::string &problem() const { return problem_; }
  /// One of its functions; where it has none of that name, that is the problem.
  template <typename Function>
  void find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(symbol(name));
  }

 private:
  void *symbol(const char *name);

  void *handle_ = nullptr;
  std::string problem_;
};

}  // namespace pimento
