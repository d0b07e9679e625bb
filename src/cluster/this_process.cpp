#include "pimento/cluster/this_process.h"

#include <unistd.h>

#include <array>

#include "pimento/base/checksum.h"
#include "pimento/base/file.h"
#include "pimento/base/own_file.h"

namespace pimento::cluster {

std::string hostName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string buildSum() {
  const Result<std::string> bytes = readFile(ownFile().string());
  return bytes ? md5(*bytes) : std::string();
}

}  // namespace pimento::cluster
