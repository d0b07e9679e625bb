#include "pimento/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace pimento {

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make(const std::string &parent, const std::string &name) {
  std::string path = parent + "/" + name + "XXXXXX";  // mkdtemp fills these in
  if (mkdtemp(path.data()) == nullptr)
    return error("unwritable-file", {path}, std::string("cannot make a folder: ") + std::strerror(errno),
                 "free some space, or name another folder with TMPDIR");
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace pimento
