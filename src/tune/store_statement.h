// Statements on a result store's database. Only sources of stores include it.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

namespace pimento::tune {

/// Results that say which shares of a plan a store has: "3/8", and how far it is.
inline constexpr const char *kShareKind = "share";
inline constexpr const char *kShareBegun = "begun";
inline constexpr const char *kShareDone = "done";

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

}  // namespace pimento::tune
