#include "pimento/tune/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace pimento::tune {

namespace {

constexpr int kApplication = 0x50494d45;  // "PIME": marks a file as ours

/// A prepared statement that is finalized in any case.
class Statement {
 public:
  Statement(sqlite3 *db, const char *sql) : status_(sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr)) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(int at, const std::string &text) {
    if (status_ == SQLITE_OK) status_ = bindText(statement_, at, text);
    return *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return status_ == SQLITE_OK ? sqlite3_step(statement_) : status_; }
  std::string text(int column) const {
    const auto *bytes = static_cast<const char *>(sqlite3_column_blob(statement_, column));
    const int size = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }

  static int bindText(sqlite3_stmt *statement, int at, const std::string &text) {
    return sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }

 private:
  sqlite3_stmt *statement_ = nullptr;
  int status_;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::string &path, const std::string &identity,
                                           const std::string &about) {
  std::unique_ptr<Store> store(new Store(path));
  if (Status s = store->connect(); !s) return s.diagnostics();
  if (Status s = store->prepareTables(identity, about); !s) return s.diagnostics();
  if (Status s = store->checkOwner(identity, about); !s) return s.diagnostics();
  if (Status s = store->readResults(); !s) return s.diagnostics();
  const char *sql = "INSERT OR REPLACE INTO results(kind, name, value) VALUES(?, ?, ?)";
  if (const int status = sqlite3_prepare_v2(store->db_, sql, -1, &store->insert_, nullptr); status != SQLITE_OK)
    return store->failure(status);
  return store;
}

Store::~Store() {
  sqlite3_finalize(insert_);
  sqlite3_close(db_);
}

Diagnostic Store::failure(int status) const {
  const Location where{path_, 0, 0};
  switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error("store-locked", where, "another process is using this store",
                   "wait for it to end, or use another file: a store serves one process at a time");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return error("store-corrupt", where, "not a result store, or a damaged one",
                   "use another file; a damaged store cannot be repaired: delete it and run again");
    default:
      return error("store-unwritable", where, fmt::format("cannot write the result store: {}", sqlite3_errstr(status)),
                   "choose a folder that exists, is writable and has space");
  }
}

Status Store::execute(const char *sql) {
  const int status = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failure(sqlite3_extended_errcode(db_));
  return okStatus();
}

Status Store::connect() {
  const int status = sqlite3_open_v2(path_.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (status != SQLITE_OK) return failure(status);
  if (sqlite3_db_readonly(db_, "main") == 1) return failure(SQLITE_READONLY);
  // Exclusive: the lock is held until the process ends, however it ends.
  for (const char *sql : {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
                          "BEGIN IMMEDIATE", "COMMIT"})
    if (Status s = execute(sql); !s) return s;
  return okStatus();
}

Status Store::prepareTables(const std::string &identity, const std::string &about) {
  std::int64_t application = 0, tables = 0;
  {
    Statement mark(db_, "PRAGMA application_id");
    if (const int status = mark.step(); status != SQLITE_ROW) return failure(status);
    application = mark.integer(0);
    Statement count(db_, "SELECT count(*) FROM sqlite_master");
    if (const int status = count.step(); status != SQLITE_ROW) return failure(status);
    tables = count.integer(0);
  }
  if (application == kApplication) return okStatus();
  if (tables != 0)
    return error("store-other-file", {path_, 0, 0}, "this database is not a result store",
                 "name a file that does not exist yet; the store is created on first use");
  for (const std::string &sql :
       {std::string("BEGIN IMMEDIATE"), fmt::format("PRAGMA application_id = {}", kApplication),
        std::string("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"),
        std::string("CREATE TABLE results(kind TEXT, name TEXT, value TEXT, PRIMARY KEY(kind, name)) WITHOUT ROWID")})
    if (Status s = execute(sql.c_str()); !s) return s;
  for (const auto &[key, value] : {std::pair<std::string, std::string>{"identity", identity}, {"about", about}}) {
    const int status = Statement(db_, "INSERT INTO meta VALUES(?, ?)").bind(1, key).bind(2, value).step();
    if (status != SQLITE_DONE) return failure(status);
  }
  return execute("COMMIT");
}

Result<std::string> Store::meta(const char *key) {
  Statement select(db_, "SELECT value FROM meta WHERE key = ?");
  const int status = select.bind(1, key).step();
  if (status != SQLITE_ROW) return failure(status == SQLITE_DONE ? SQLITE_CORRUPT : status);
  return select.text(0);
}

Status Store::checkOwner(const std::string &identity, const std::string &about) {
  const Result<std::string> theirs = meta("identity");
  if (!theirs) return theirs.diagnostics();
  if (*theirs == identity) return okStatus();
  const Result<std::string> name = meta("about");
  if (!name) return name.diagnostics();
  const std::string more = *name == about ? ", with another kernel, machine, choice of mappings or version" : "";
  return error("store-other-problem", {path_, 0, 0},
               fmt::format("this store holds results of another problem: {}{}; this run is {}", *name, more, about),
               "use another file, or repeat the options that the store was created with");
}

Status Store::readResults() {
  Statement all(db_, "SELECT kind, name, value FROM results");
  int status = SQLITE_OK;
  while ((status = all.step()) == SQLITE_ROW) results_[{all.text(0), all.text(1)}] = all.text(2);
  if (status != SQLITE_DONE) return failure(status);
  found_ = static_cast<std::int64_t>(results_.size());
  return okStatus();
}

std::optional<std::string> Store::find(const std::string &kind, const std::string &name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = results_.find({kind, name});
  if (found == results_.end()) return std::nullopt;
  return found->second;
}

Status Store::put(const std::string &kind, const std::string &name, const std::string &value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sqlite3_reset(insert_);
  for (const auto &[at, text] : {std::pair<int, const std::string &>{1, kind}, {2, name}, {3, value}})
    if (const int status = Statement::bindText(insert_, at, text); status != SQLITE_OK) return failure(status);
  if (const int status = sqlite3_step(insert_); status != SQLITE_DONE) return failure(status);
  sqlite3_reset(insert_);
  results_[{kind, name}] = value;
  return okStatus();
}

}  // namespace pimento::tune
