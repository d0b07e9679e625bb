// Results that outlive the process: a file that a search writes as it goes and reads when it goes on.
//
// Any kind of result, as text by problem, kind and name; the search that wrote it reads it. A problem is named by its
// identity (problem.h): all that decides its results. So one file serves any number of problems, of processes and of
// threads, and nothing in it is ever out of date. A result is in the file once put() returns: killing the process loses
// nothing that was put. It is an SQLite database (write-ahead log, synchronous NORMAL: a power failure may lose the
// last results, never the file).
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
  /// Opens the file, or makes it, at the results of one problem. `identity`: all that decides them; `about`: the same
  /// for people, one line. Diagnostics: store-other-file (not one of ours), store-version (of another version),
  /// store-corrupt, store-locked (another process holds it for longer than `patienceMs`), store-unwritable.
  static Result<std::unique_ptr<Store>> open(const std::string &path, const std::string &identity,
                                             const std::string &about, int patienceMs = 30'000);
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// A result that was put, by this process, or by another before this one opened the file. Thread-safe.
  std::optional<std::string> find(const std::string &kind, const std::string &name) const;
  /// Keeps a result. Thread-safe. Diagnostic: store-unwritable (disk full).
  Status put(const std::string &kind, const std::string &name, const std::string &value);

  /// While it lives, results that are put are in the file once flush() returns, many at the price of one. Of a null
  /// store, nothing.
  class Batches {
   public:
    explicit Batches(Store *store);
    ~Batches();
    Batches(const Batches &) = delete;
    Batches &operator=(const Batches &) = delete;
    /// Diagnostic: store-unwritable.
    Status flush();

   private:
    Store *store_;
  };

  /// A share of the plan that this problem is (control.h) begins, and is finished: merges say which are missing. The
  /// same diagnostic.
  Status beginShare(std::int64_t number, std::int64_t of);
  Status endShare(std::int64_t number, std::int64_t of);

  const std::string &path() const { return path_; }
  /// Results of the problem that earlier runs left.
  std::int64_t found() const { return found_; }

 private:
  friend class StoreFiles;

  explicit Store(std::string path) : path_(std::move(path)) {}

  /// The file alone, without a problem.
  static Result<std::unique_ptr<Store>> openFile(const std::string &path, int patienceMs);

  Status flush();
  Status connect(int patienceMs);
  Status prepareTables();
  Status checkVersion();
  Status findProblem(const std::string &identity, const std::string &about);
  Status readResults();
  Status execute(const std::string &sql);
  Result<std::int64_t> number(const char *sql);
  Diagnostic failure(int status) const;

  std::string path_;
  std::int64_t problem_ = 0;
  sqlite3 *db_ = nullptr;
  sqlite3_stmt *insert_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::string> results_;
  std::int64_t found_ = 0;
  bool isHeld_ = false, isOpen_ = false;  // the second: a transaction is
};

}  // namespace pimento::tune
