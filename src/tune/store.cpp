#include "pimento/tune/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "pimento/tune/store_statement.h"

namespace pimento::tune {

namespace {

constexpr std::int64_t kApplication = 0x50494d45;  // "PIME": marks a file as ours
constexpr std::int64_t kVersion = 1;               // of the tables

}  // namespace

Result<std::unique_ptr<Store>> Store::openFile(const std::string &path, int patienceMs) {
  std::unique_ptr<Store> store(new Store(path));
  if (Status s = store->connect(patienceMs); !s) return s.diagnostics();
  if (Status s = store->prepareTables(); !s) return s.diagnostics();
  if (Status s = store->checkVersion(); !s) return s.diagnostics();
  return store;
}

Result<std::unique_ptr<Store>> Store::open(const std::string &path, const std::string &identity,
                                           const std::string &about, int patienceMs) {
  Result<std::unique_ptr<Store>> opened = openFile(path, patienceMs);
  if (!opened) return opened;
  std::unique_ptr<Store> store = std::move(*opened);
  if (Status s = store->findProblem(identity, about); !s) return s.diagnostics();
  if (Status s = store->readResults(); !s) return s.diagnostics();
  const char *sql = "INSERT OR REPLACE INTO results(problem, kind, name, value) VALUES(?, ?, ?, ?)";
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
      return error("store-locked", where, "another process keeps this store to itself",
                   "wait for it to end, or use another file");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return error("store-corrupt", where, "not a result store, or a damaged one",
                   "use another file; a damaged store cannot be repaired: delete it and run again");
    default:
      return error("store-unwritable", where, fmt::format("cannot write the result store: {}", sqlite3_errstr(status)),
                   "choose a folder that exists, is writable and has space");
  }
}

Status Store::execute(const std::string &sql) {
  const int status = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failure(sqlite3_extended_errcode(db_));
  return okStatus();
}

Status Store::connect(int patienceMs) {
  const int status = sqlite3_open_v2(path_.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (status != SQLITE_OK) return failure(status);
  if (sqlite3_db_readonly(db_, "main") == 1) return failure(SQLITE_READONLY);
  sqlite3_busy_timeout(db_, patienceMs);
  // SQLite does not wait for others where it makes a file one with a write-ahead log.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patienceMs);
  while (true) {
    const int made = sqlite3_exec(db_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr) & 0xff;
    if (made == SQLITE_OK) break;
    if ((made != SQLITE_BUSY && made != SQLITE_LOCKED) || std::chrono::steady_clock::now() > end) return failure(made);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return execute("PRAGMA synchronous = NORMAL");
}

Result<std::int64_t> Store::number(const char *sql) {
  Statement statement(db_, sql);
  if (const int status = statement.step(); status != SQLITE_ROW) return failure(status);
  return statement.integer(0);
}

/// Of an empty file; two processes may find it so.
Status Store::prepareTables() {
  const auto application = number("PRAGMA application_id");
  if (!application) return application.diagnostics();
  if (*application == kApplication) return okStatus();
  if (Status s = execute("BEGIN IMMEDIATE"); !s) return s;
  const auto mark = number("PRAGMA application_id"), tables = number("SELECT count(*) FROM sqlite_master");
  if (!mark) return mark.diagnostics();
  if (!tables) return tables.diagnostics();
  if (*mark == kApplication) return execute("COMMIT");
  if (*tables != 0)
    return error("store-other-file", {path_, 0, 0}, "this database is not a result store",
                 "name a file that does not exist yet; the store is created on first use");
  for (const std::string &sql :
       {fmt::format("PRAGMA application_id = {}", kApplication), fmt::format("PRAGMA user_version = {}", kVersion),
        std::string("CREATE TABLE problems(id INTEGER PRIMARY KEY, identity TEXT UNIQUE, about TEXT)"),
        std::string("CREATE TABLE results(problem INTEGER, kind TEXT, name TEXT, value TEXT, "
                    "PRIMARY KEY(problem, kind, name)) WITHOUT ROWID")})
    if (Status s = execute(sql); !s) return s;
  return execute("COMMIT");
}

Status Store::checkVersion() {
  const auto version = number("PRAGMA user_version");
  if (!version) return version.diagnostics();
  if (*version == kVersion) return okStatus();
  return error("store-version", {path_, 0, 0},
               fmt::format("this store is of version {}; this is version {}", *version, kVersion),
               "use another file, or delete this one: all it holds can be computed again");
}

Status Store::findProblem(const std::string &identity, const std::string &about) {
  for (const bool isSecond : {false, true}) {
    {
      Statement select(db_, "SELECT id FROM problems WHERE identity = ?");
      const int status = select.bind(1, identity).step();
      if (status == SQLITE_ROW) {
        problem_ = select.integer(0);
        return okStatus();
      }
      if (status != SQLITE_DONE || isSecond) return failure(status == SQLITE_DONE ? SQLITE_CORRUPT : status);
    }
    Statement insert(db_, "INSERT OR IGNORE INTO problems(identity, about) VALUES(?, ?)");
    if (const int status = insert.bind(1, identity).bind(2, about).step(); status != SQLITE_DONE)
      return failure(status);
  }
  return okStatus();
}

Status Store::readResults() {
  Statement all(db_, fmt::format("SELECT kind, name, value FROM results WHERE problem = {}", problem_).c_str());
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
  if (isHeld_ && !isOpen_) {
    if (Status s = execute("BEGIN IMMEDIATE"); !s) return s;
    isOpen_ = true;
  }
  sqlite3_reset(insert_);
  if (const int status = sqlite3_bind_int64(insert_, 1, problem_); status != SQLITE_OK) return failure(status);
  for (const auto &[at, text] : {std::pair<int, const std::string &>{2, kind}, {3, name}, {4, value}})
    if (const int status = Statement::bindText(insert_, at, text); status != SQLITE_OK) return failure(status);
  if (const int status = sqlite3_step(insert_); status != SQLITE_DONE) return failure(status);
  sqlite3_reset(insert_);
  results_[{kind, name}] = value;
  return okStatus();
}

Status Store::flush() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isOpen_) return okStatus();
  isOpen_ = false;
  return execute("COMMIT");
}

Store::Batches::Batches(Store *store) : store_(store) {
  if (store_ != nullptr) store_->isHeld_ = true;
}

Store::Batches::~Batches() {
  if (store_ == nullptr) return;
  (void)store_->flush();
  store_->isHeld_ = false;
}

Status Store::Batches::flush() {
  return store_ != nullptr ? store_->flush() : okStatus();
}

Status Store::beginShare(std::int64_t number, std::int64_t of) {
  const std::string name = fmt::format("{}/{}", number, of);
  return find(kShareKind, name) == kShareDone ? okStatus() : put(kShareKind, name, kShareBegun);
}

Status Store::endShare(std::int64_t number, std::int64_t of) {
  return put(kShareKind, fmt::format("{}/{}", number, of), kShareDone);
}

}  // namespace pimento::tune
