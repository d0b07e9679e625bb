#include "answer.h"

#include <utility>

#include "pimento/base/text.h"

namespace pimento::capi {

namespace {

using Json = nlohmann::ordered_json;

/// What stands at `path` below `from`; null where nothing does. Names may hold dots: the shortest that is there counts.
const Json *find(const Json *from, std::string_view path) {
  if (path.empty()) return from;
  if (path.front() == '[') {
    const std::size_t close = path.find(']');
    if (close == path.npos || !from->is_array()) return nullptr;
    const auto index = parseInteger(path.substr(1, close - 1));
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= from->size()) return nullptr;
    std::string_view rest = path.substr(close + 1);
    if (rest.starts_with('.') && rest.size() > 1) rest.remove_prefix(1);
    return find(&(*from)[static_cast<std::size_t>(*index)], rest);
  }
  if (!from->is_object()) return nullptr;
  for (std::size_t end = path.find_first_of(".[");; end = path.find_first_of(".[", end + 1)) {
    const auto member = from->find(std::string(path.substr(0, end)));
    if (member != from->end()) {
      if (end == path.npos) return &*member;
      const bool isDot = path[end] == '.';
      if (isDot && end + 1 == path.size()) return nullptr;
      if (const Json *found = find(&*member, path.substr(isDot ? end + 1 : end))) return found;
    }
    if (end == path.npos) return nullptr;
  }
}

}  // namespace

const std::string &Answer::json() const {
  std::call_once(hasJson_, [&] { json_ = makeJson_(); });
  return json_;
}

const std::string &Answer::table() const {
  std::call_once(hasTable_, [&] { table_ = makeTable_(); });
  return table_;
}

const Answer::Json &Answer::tree() const {
  std::call_once(hasRows_, [&] {
    Json all = Json::parse(json());
    const bool isComparison = all.is_object() && all.contains("rows") && !all.contains("target");
    rows_ = isComparison ? std::move(all["rows"]) : Json::array({std::move(all)});
  });
  return rows_;
}

const Answer::Json *Answer::at(std::size_t row, std::string_view path) const {
  const Json &rows = tree();
  return row < rows.size() ? find(&rows[row], path) : nullptr;
}

bool Answer::isOk(std::size_t row) const {
  if (row >= rows()) return false;
  const Json *error = at(row, "error");
  return error == nullptr || error->is_null();
}

bool Answer::isAnyOk() const {
  for (std::size_t row = 0; row < rows(); ++row)
    if (isOk(row)) return true;
  return false;
}

std::optional<std::size_t> Answer::least(std::string_view path) const {
  std::optional<std::size_t> best;
  double value = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::optional<double> own = number(row, path);
    if (!own || (best && !(*own < value))) continue;
    best = row;
    value = *own;
  }
  return best;
}

std::optional<double> Answer::number(std::size_t row, std::string_view path) const {
  const Json *j = at(row, path);
  if (j == nullptr) return std::nullopt;
  if (j->is_boolean()) return j->get<bool>() ? 1.0 : 0.0;
  return j->is_number() ? std::optional(j->get<double>()) : std::nullopt;
}

const std::string *Answer::text(std::size_t row, std::string_view path) const {
  const Json *j = at(row, path);
  return j != nullptr ? j->get_ptr<const std::string *>() : nullptr;
}

std::size_t Answer::count(std::size_t row, std::string_view path) const {
  const Json *j = at(row, path);
  return j != nullptr && j->is_structured() ? j->size() : 0;
}

const std::string *Answer::key(std::size_t row, std::string_view path, std::size_t index) const {
  const Json *j = at(row, path);
  if (j == nullptr || !j->is_object() || index >= j->size()) return nullptr;
  auto member = j->begin();
  std::advance(member, static_cast<std::ptrdiff_t>(index));
  return &member.key();
}

}  // namespace pimento::capi
