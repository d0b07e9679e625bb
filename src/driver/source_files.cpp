#include "pimento/driver/source_files.h"

#include <fmt/format.h>

#include <system_error>

#include "pimento/base/checksum.h"
#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/driver/options.h"

namespace pimento::driver {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;

bool isFile(const fs::path &path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) <= kMostBytes;
}

}  // namespace

std::string_view name(SourceState state) {
  constexpr std::string_view kNames[] = {"missing", "same", "unchecked", "newer", "changed"};
  return kNames[static_cast<std::size_t>(state)];
}

Result<SourceFinder> SourceFinder::make(const Options &options) {
  SourceFinder out;
  for (const std::string &map : options.sourceMaps) {
    const std::size_t equals = map.find('=');
    if (equals == 0 || equals == std::string::npos)
      return usageError("bad-source-map", "--source-map",
                        fmt::format("'{}' does not say what became of which folder", map),
                        "write it as OLD=NEW, as in --source-map /build/prog=/src/prog");
    out.renamings_.push_back({map.substr(0, equals), map.substr(equals + 1)});
  }
  for (const std::string &folder : options.sourceFolders) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
      return usageError("no-source-folder", "--sources", fmt::format("'{}' is no folder", folder),
                        "name the folder that the sources are in, or below");
    out.folders_.emplace_back(folder);
  }
  std::error_code unknown;
  const fs::file_time_type built = fs::last_write_time(options.input, unknown);
  if (!unknown) out.builtAt_ = built;
  return out;
}

fs::path SourceFinder::pathOf(const std::string &file) const {
  for (const Renaming &r : renamings_) {
    if (!file.starts_with(r.from)) continue;
    // A folder is renamed, not what only begins with its name.
    const std::string rest = file.substr(r.from.size());
    if (!rest.empty() && !r.from.ends_with('/') && !rest.starts_with('/')) continue;
    if (fs::path renamed = r.to + (r.from.ends_with('/') && !r.to.ends_with('/') ? "/" : "") + rest; isFile(renamed))
      return renamed;
  }
  if (fs::path(file).is_absolute() && isFile(file)) return file;
  const fs::path parts = fs::path(file).lexically_normal().relative_path();
  for (const fs::path &folder : folders_)
    for (auto first = parts.begin(); first != parts.end(); ++first) {
      fs::path candidate = folder;
      for (auto part = first; part != parts.end(); ++part) candidate /= *part;
      if (*first != ".." && isFile(candidate)) return candidate;
    }
  return {};
}

FoundSource SourceFinder::find(const trace::SourceFile &file) const {
  FoundSource out;
  out.file = file.name;
  const fs::path path = pathOf(file.name);
  if (path.empty()) return out;
  const Result<std::string> text = readFile(path.string());
  if (!text) return out;
  out.path = path.string();
  for (const std::string_view line : split(*text, '\n')) out.lines.emplace_back(line);
  if (!file.md5.empty()) {
    out.state = md5(*text) == file.md5 ? SourceState::kSame : SourceState::kChanged;
    return out;
  }
  std::error_code unknown;
  const fs::file_time_type written = fs::last_write_time(path, unknown);
  out.state = !unknown && written > builtAt_ ? SourceState::kNewer : SourceState::kUnchecked;
  return out;
}

}  // namespace pimento::driver
