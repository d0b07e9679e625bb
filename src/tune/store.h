// Results that outlive the process: a file that a search writes as it goes and reads when it goes on.
//
// Any kind of result, as text by kind and name; the search that wrote it reads it. A result is in the file once put()
// returns: killing the process loses nothing that was put. The file belongs to one problem, named by its identity
// (problem.h), and to one process at a time. It is an SQLite database (write-ahead log, synchronous NORMAL: a power
// failure may lose the last results, never the file).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "pimento/base/diagnostics.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pimento::tune {

class Store {
 public:
  /// Opens the file, or makes it. `identity`: all that decides the results; `about`: the same for people, one line.
  /// Diagnostics: store-other-problem, store-other-file (not one of ours), store-corrupt, store-locked,
  /// store-unwritable.
  static Result<std::unique_ptr<Store>> open(const std::string &path, const std::string &identity,
                                             const std::string &about);
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// A result that was put, in this run or an earlier one. Thread-safe.
  std::optional<std::string> find(const std::string &kind, const std::string &name) const;
  /// Keeps a result. Thread-safe. Diagnostic: store-unwritable (disk full).
  Status put(const std::string &kind, const std::string &name, const std::string &value);

  const std::string &path() const { return path_; }
  /// Results that earlier runs left.
  std::int64_t found() const { return found_; }

 private:
  explicit Store(std::string path) : path_(std::move(path)) {}

  Status connect();
  Status prepareTables(const std::string &identity, const std::string &about);
  Status checkOwner(const std::string &identity, const std::string &about);
  Status readResults();
  Status execute(const char *sql);
  Result<std::string> meta(const char *key);
  Diagnostic failure(int status) const;

  std::string path_;
  sqlite3 *db_ = nullptr;
  sqlite3_stmt *insert_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::string> results_;
  std::int64_t found_ = 0;
};

}  // namespace pimento::tune
