// Programs and runs that are refused, and what is said of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "pimento/guest/guest.h"
#include "pimento/guest/recording.h"
#include "pimento/guest/ring.h"
#include "test/support/folder.h"

namespace pimento::guest {
namespace {

class Nothing final : public trace::Consumer {
 public:
  void onBlock(const trace::Block & /*block*/, int /*count*/, std::span<const trace::Access> /*accesses*/) override {}
};

/// PATH is a folder with these programs alone, all of which fail at once.
class Path {
 public:
  explicit Path(std::initializer_list<const char *> programs) {
    for (const char *p : programs) {
      std::ofstream(folder_ / p) << "#!/bin/sh\nexit 1\n";
      std::filesystem::permissions(folder_ / p, std::filesystem::perms::owner_all);
    }
    setenv("PATH", (folder_ / "").c_str(), 1);
  }
  ~Path() { setenv("PATH", before_.c_str(), 1); }
  Path(const Path &) = delete;
  Path &operator=(const Path &) = delete;

 private:
  test::Folder folder_;
  std::string before_ = std::getenv("PATH");
};

ElfImage imageOf(const char *loader) {
  ElfImage image;
  image.file = "prog";
  image.loader = loader;
  return image;
}

std::string codeOf(const ElfImage &image) {
  Nothing nothing;
  GuestOptions options;
  options.program = image.file;
  const Result<GuestEnd> end = runGuest(image, options, nothing);
  if (end) return "";
  EXPECT_FALSE(end.diagnostics().front().hint.empty());
  return end.diagnostics().front().code;
}

TEST(GuestErrors, QemuIsMissing) {
  const Path path({});
  EXPECT_EQ(codeOf(imageOf("")), "missing-qemu");
}

TEST(GuestErrors, TheLoaderIsMissing) {
  const Path path({"qemu-aarch64"});
  EXPECT_EQ(codeOf(imageOf("/no/such/loader")), "missing-loader");
}

TEST(GuestErrors, QemuRunsNothing) {
  const Path path({"qemu-aarch64"});
  // The plugin is beside the tool, which may not be built.
  const std::string code = codeOf(imageOf(""));
  EXPECT_TRUE(code == "wrong-qemu" || code == "guest-failed" || code == "missing-plugin") << code;
}

TEST(GuestErrors, AProgramIsCut) {
  const test::Folder folder;
  std::string head(64, '\0');
  head.replace(0, 6,
               "\x7f"
               "ELF\2\1");
  head[16] = 2;  // an executable
  head[18] = static_cast<char>(kMachineAarch64);
  head[33] = 1;  // a segment that is not there
  head[56] = 1;
  std::ofstream(folder / "p", std::ios::binary) << head;
  const Result<ElfImage> image = readElfImage(folder / "p");
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.diagnostics().front().code, "bad-elf");
}

TEST(GuestErrors, ARecordingIsNone) {
  const test::Folder folder;
  PimentoRing ring{};
  ring.magic = PIMENTO_RING_MAGIC;
  ring.capacity = 3;
  std::ofstream(folder / "7.0.ring", std::ios::binary).write(reinterpret_cast<const char *>(&ring), sizeof ring);
  Recording recording(folder / "", 7, trace::Isa::kA64);
  Nothing nothing;
  const Result<bool> more = recording.drain(nothing);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.diagnostics().front().code, "bad-recording");
}

}  // namespace
}  // namespace pimento::guest
