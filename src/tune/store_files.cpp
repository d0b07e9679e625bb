#include "pimento/tune/store_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "pimento/base/text.h"
#include "pimento/tune/store.h"
#include "pimento/tune/store_statement.h"

namespace pimento::tune {

namespace fs = std::filesystem;

/// What only whole files need of a Store.
class StoreFiles {
 public:
  /// `mayMake`: else the file must exist.
  static Result<StoreFiles> open(const std::string &file, bool mayMake) {
    std::error_code unknown;
    if (!mayMake && !fs::exists(file, unknown))
      return error("store-missing", {file, 0, 0}, "there is no such result store",
                   "stores are written by explore and tune with --store FILE.db");
    constexpr int kPatienceMs = 30'000;
    auto store = Store::openFile(file, kPatienceMs);
    if (!store) return store.diagnostics();
    return StoreFiles(std::move(*store));
  }

  Result<StoreContents> contents() const {
    StoreContents out;
    out.file = store_->path();
    std::map<std::int64_t, std::size_t> places;
    Statement problems(store_->db_, "SELECT id, about FROM problems ORDER BY id");
    int status = SQLITE_OK;
    while ((status = problems.step()) == SQLITE_ROW) {
      places[problems.integer(0)] = out.problems.size();
      out.problems.push_back({problems.text(1), {}, {}});
    }
    if (status != SQLITE_DONE) return store_->failure(status);
    Statement counts(store_->db_, "SELECT problem, kind, count(*) FROM results GROUP BY problem, kind");
    while ((status = counts.step()) == SQLITE_ROW)
      if (const std::string kind = counts.text(1); kind != kShareKind)
        out.problems[places[counts.integer(0)]].results[kind] = counts.integer(2);
    if (status != SQLITE_DONE) return store_->failure(status);
    Statement shares(store_->db_, "SELECT problem, name, value FROM results WHERE kind = ?");
    shares.bind(1, kShareKind);
    while ((status = shares.step()) == SQLITE_ROW)
      add(shares.text(1), shares.text(2) == kShareDone, out.problems[places[shares.integer(0)]].plans);
    if (status != SQLITE_DONE) return store_->failure(status);
    return out;
  }

  /// What tells plans apart: problems that were shared, and into how many shares.
  Result<std::set<std::pair<std::string, std::int64_t>>> plan() const {
    std::set<std::pair<std::string, std::int64_t>> out;
    Statement shares(store_->db_,
                     "SELECT p.identity, r.name FROM results r JOIN problems p ON p.id = r.problem WHERE r.kind = ?");
    shares.bind(1, kShareKind);
    int status = SQLITE_OK;
    while ((status = shares.step()) == SQLITE_ROW) {
      std::vector<StoredShares> read;
      add(shares.text(1), false, read);
      if (!read.empty()) out.insert({shares.text(0), read.front().of});
    }
    if (status != SQLITE_DONE) return store_->failure(status);
    return out;
  }

  Status take(const std::string &file, MergedStores &merged) {
    Statement attach(store_->db_, "ATTACH ? AS other");
    if (const int status = attach.bind(1, file).step(); status != SQLITE_DONE) return store_->failure(status);
    Status done = takeAttached(file, merged);
    if (!done) (void)store_->execute("ROLLBACK");
    if (Status s = store_->execute("DETACH other"); !s && done) return s;
    return done;
  }

 private:
  explicit StoreFiles(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  /// One entry of a share.
  static void add(const std::string &name, bool isDone, std::vector<StoredShares> &plans) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::int64_t number = parseInteger(std::string_view(name).substr(0, slash)).value_or(0);
    const std::int64_t of =
        slash < name.size() ? parseInteger(std::string_view(name).substr(slash + 1)).value_or(0) : 0;
    if (number < 1 || of < number) return;
    auto plan = std::ranges::find(plans, of, &StoredShares::of);
    if (plan == plans.end()) {
      plan = plans.insert(std::ranges::upper_bound(plans, of, {}, &StoredShares::of), StoredShares{});
      plan->of = of;
    }
    (isDone ? plan->done : plan->begun).insert(number);
  }

  Status takeAttached(const std::string &file, MergedStores &merged) {
    // Results of the other store under this one's numbers of problems.
    static constexpr const char *kJoined =
        "other.results r JOIN other.problems p ON p.id = r.problem JOIN main.problems m ON m.identity = p.identity";
    if (Status s = store_->execute("BEGIN IMMEDIATE"); !s) return s;
    if (Status s = store_->execute("INSERT OR IGNORE INTO main.problems(identity, about) "
                                   "SELECT identity, about FROM other.problems ORDER BY id");
        !s)
      return s;
    // An answer of `tune` says, too, how it was found and whether it was checked: any of them will do.
    Statement conflicts(
        store_->db_, fmt::format("SELECT p.about, r.kind, r.name FROM {} JOIN main.results q ON q.problem = m.id AND "
                                 "q.kind = r.kind AND q.name = r.name WHERE q.value <> r.value AND r.kind NOT IN "
                                 "('tuned', '{}') LIMIT 1",
                                 kJoined, kShareKind)
                         .c_str());
    const int status = conflicts.step();
    if (status == SQLITE_ROW)
      return error("store-conflict", {file, 0, 0},
                   fmt::format("'{}' of {} ({}) is another result than in {}", conflicts.text(2), conflicts.text(0),
                               conflicts.text(1), store_->path()),
                   "one of the two is damaged, or of another build of Pimento: leave this file out, or begin with an "
                   "empty store");
    if (status != SQLITE_DONE) return store_->failure(status);
    const auto count =
        store_->number(fmt::format("SELECT count(*) FROM other.results WHERE kind <> '{}'", kShareKind).c_str());
    if (!count) return count.diagnostics();
    merged.results += *count;
    if (Status s = store_->execute(fmt::format(
            "INSERT OR IGNORE INTO main.results SELECT m.id, r.kind, r.name, r.value FROM {} WHERE r.kind <> "
            "'{}'",
            kJoined, kShareKind));
        !s)
      return s;
    merged.newResults += sqlite3_changes(store_->db_);
    if (Status s = store_->execute(
            fmt::format("INSERT INTO main.results SELECT m.id, r.kind, r.name, r.value FROM {} WHERE r.kind = '{}' "
                        "ON CONFLICT DO UPDATE SET value = excluded.value WHERE excluded.value = '{}'",
                        kJoined, kShareKind, kShareDone));
        !s)
      return s;
    return store_->execute("COMMIT");
  }

  std::unique_ptr<Store> store_;
};

std::vector<std::int64_t> StoredShares::missing() const {
  std::vector<std::int64_t> out;
  for (std::int64_t n = 1; n <= of; ++n)
    if (!begun.contains(n) && !done.contains(n)) out.push_back(n);
  return out;
}

Result<StoreContents> contentsOfStore(const std::string &file) {
  const Result<StoreFiles> store = StoreFiles::open(file, false);
  if (!store) return store.diagnostics();
  return store->contents();
}

Result<MergedStores> mergeStores(const std::string &into, const std::vector<std::string> &from) {
  std::set<fs::path> seen;
  const auto isNew = [&](const std::string &file) {
    std::error_code unknown;
    fs::path real = fs::weakly_canonical(file, unknown);
    return seen.insert(unknown ? fs::path(file) : std::move(real)).second;
  };
  (void)isNew(into);
  std::optional<std::pair<std::string, std::set<std::pair<std::string, std::int64_t>>>> plan;
  const auto check = [&](const std::string &file) -> Status {
    const Result<StoreFiles> store = StoreFiles::open(file, false);
    if (!store) return store.diagnostics();
    const auto own = store->plan();
    if (!own) return own.diagnostics();
    if (own->empty()) return okStatus();
    if (!plan) plan = {file, *own};
    if (plan->second == *own) return okStatus();
    const auto sharesOf = [](const auto &p) { return p.begin()->second; };
    const std::string how = sharesOf(*own) != sharesOf(plan->second)
                                ? fmt::format("this one has shares of {}, {} has shares of {}", sharesOf(*own),
                                              plan->first, sharesOf(plan->second))
                                : fmt::format("this one is of another command, input or machine than {}", plan->first);
    return error("store-plan", {file, 0, 0}, "shares of two plans: " + how,
                 "merge the stores of each plan into a file of its own");
  };
  std::error_code unknown;
  if (fs::exists(into, unknown))
    if (Status s = check(into); !s) return s.diagnostics();
  for (const std::string &file : from) {
    if (!isNew(file))
      return usageError("store-twice", file, "this store is named twice",
                        "name each store once; the first takes the others");
    if (Status s = check(file); !s) return s.diagnostics();
  }
  Result<StoreFiles> store = StoreFiles::open(into, true);
  if (!store) return store.diagnostics();
  MergedStores merged;
  for (const std::string &file : from)
    if (Status s = store->take(file, merged); !s) return s.diagnostics();
  Result<StoreContents> all = store->contents();
  if (!all) return all.diagnostics();
  merged.all = std::move(*all);
  return merged;
}

}  // namespace pimento::tune
