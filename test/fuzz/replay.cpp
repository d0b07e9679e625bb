// Runs a fuzz target over the files of its seed folders without libFuzzer, so that every build checks them.
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "pimento/base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv) {
  int files = 0;
  for (int a = 1; a < argc; ++a) {
    for (const auto &entry : std::filesystem::directory_iterator(argv[a])) {
      const auto contents = pimento::readFile(entry.path().string());
      if (!contents) {
        std::fprintf(stderr, "%s\n", contents.diagnostics()[0].str().c_str());
        return 1;
      }
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(contents->data()), contents->size());
      ++files;
    }
  }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
