#include "pimento/driver/store_option.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "pimento/tune/store.h"

namespace pimento::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNone = "none";

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Empty: the user has no folder for it.
fs::path cacheFolder() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) return cache;
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

/// The store that nobody named, in a folder that is made; empty: the user has none.
std::string usualFile() {
  const fs::path folder = cacheFolder();
  if (folder.empty()) return "";
  std::error_code ignored;
  fs::create_directories(folder / "pimento", ignored);
  return (folder / "pimento" / "results.db").string();
}

}  // namespace

Result<std::unique_ptr<tune::Store>> namedStore(const Options &options, const std::string &identity,
                                                const std::string &about) {
  if (options.store.empty() || options.store == kNone) return std::unique_ptr<tune::Store>();
  return tune::Store::open(options.store, identity, about);
}

Result<std::unique_ptr<tune::Store>> usualStore(const Options &options, const std::string &identity,
                                                const std::string &about, std::vector<std::string> &warnings) {
  Options named = options;
  if (named.store.empty()) named.store = environment("PIMENTO_STORE");
  if (!named.store.empty()) return namedStore(named, identity, about);
  const std::string file = usualFile();
  if (file.empty()) return std::unique_ptr<tune::Store>();
  auto store = tune::Store::open(file, identity, about);
  if (store) return store;
  const Diagnostic &d = store.diagnostics().front();
  warnings.push_back(
      fmt::format("results are not kept: {}: {}; --store FILE names another file", d.where.file, d.message));
  return std::unique_ptr<tune::Store>();
}

std::string modelFile(const Options &options) {
  if (!options.model.empty()) return options.model == kNone ? "" : options.model;
  std::string store = options.store.empty() ? environment("PIMENTO_STORE") : options.store;
  if (store == kNone) return "";
  if (store.empty()) store = usualFile();
  return store.empty() ? "" : fs::path(store).replace_extension(".predictor").string();
}

}  // namespace pimento::driver
