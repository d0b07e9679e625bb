#include "pimento/dpu/archive.h"

#include <fmt/format.h>

#include <optional>

#include "pimento/base/text.h"

namespace pimento::dpu {

namespace {

constexpr std::string_view kMagic = "!<arch>\n", kThinMagic = "!<thin>\n";
constexpr std::size_t kHeaderBytes = 60;

class ArchiveReader {
 public:
  ArchiveReader(std::string_view bytes, const std::string &file) : bytes_(bytes), file_(file) {}

  Result<std::vector<ArchiveMember>> run() {
    isThin_ = bytes_.starts_with(kThinMagic);
    if (!isThin_ && !bytes_.starts_with(kMagic)) return problem("not an archive", kHint);
    for (at_ = kMagic.size(); at_ < bytes_.size();) {
      if (const Status s = takeMember(); !s) return s.diagnostics();
    }
    return std::move(members_);
  }

 private:
  static constexpr const char *kHint = "create the archive with `ar rcs`";

  Diagnostic problem(std::string message, std::string hint = kHint) const {
    return error("dpu-archive", {file_}, std::move(message), std::move(hint));
  }

  /// A header's field: the text before the spaces that fill it.
  std::string_view field(std::size_t offset, std::size_t length) const {
    const std::string_view text = bytes_.substr(at_ + offset, length);
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

  Status takeMember() {
    if (bytes_.size() - at_ < kHeaderBytes)
      return problem(fmt::format("the archive ends inside a member's header, at byte {}", bytes_.size()));
    if (bytes_.substr(at_ + 58, 2) != "`\n") return problem(fmt::format("there is no member header at byte {}", at_));
    const auto size = parseInteger(field(48, 10));
    if (!size || *size < 0) return problem(fmt::format("the size of a member is '{}'", field(48, 10)));
    const std::string_view name = field(0, 16);
    const bool isTable = name == "/" || name == "//" || name == "/SYM64/";
    const bool isElsewhere = isThin_ && !isTable;
    const std::size_t begin = at_ + kHeaderBytes, length = isElsewhere ? 0 : static_cast<std::size_t>(*size);
    if (bytes_.size() - begin < length)
      return problem(fmt::format("a member of {} bytes, but only {} are left", length, bytes_.size() - begin));
    const std::string_view contents = bytes_.substr(begin, length);
    at_ = begin + length + length % 2;
    if (name == "/" || name == "/SYM64/") return okStatus();  // the index of symbols
    if (name == "//") {
      longNames_ = contents;
      return okStatus();
    }
    const std::optional<std::string_view> real = nameOf(name);
    if (!real) return problem(fmt::format("'{}' is not the name of a member", name));
    members_.push_back({std::string(*real), contents, isElsewhere});
    return okStatus();
  }

  /// "name/", or "/N": the name at byte N of the long ones.
  std::optional<std::string_view> nameOf(std::string_view field) const {
    if (field.size() > 1 && field.back() == '/') return field.substr(0, field.size() - 1);
    if (!field.starts_with('/')) return std::nullopt;
    const auto at = parseInteger(field.substr(1));
    if (!at || *at < 0 || static_cast<std::size_t>(*at) >= longNames_.size()) return std::nullopt;
    const std::string_view rest = longNames_.substr(static_cast<std::size_t>(*at));
    const std::size_t end = rest.find("/\n");
    if (end == rest.npos || end == 0) return std::nullopt;
    return rest.substr(0, end);
  }

  std::string_view bytes_;
  const std::string &file_;
  std::size_t at_ = 0;
  bool isThin_ = false;
  std::string_view longNames_;
  std::vector<ArchiveMember> members_;
};

}  // namespace

bool isArchive(std::string_view bytes) {
  return bytes.starts_with(kMagic) || bytes.starts_with(kThinMagic);
}

Result<std::vector<ArchiveMember>> readArchive(std::string_view bytes, const std::string &file) {
  return ArchiveReader(bytes, file).run();
}

}  // namespace pimento::dpu
