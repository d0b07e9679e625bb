#include "pimento/machine/sections/section.h"

#include "pimento/base/text.h"

namespace pimento::machine {

const Value *Contents::get(const std::string &path) const {
  const auto it = values_.find(path);
  return it == values_.end() ? nullptr : &it->second;
}

std::string Contents::text(const std::string &path) const {
  const Value *v = get(path);
  return v != nullptr ? v->text : std::string();
}

bool Contents::flag(const std::string &path) const {
  const Value *v = get(path);
  return v != nullptr && v->flag;
}

std::vector<std::string> Contents::list(const std::string &path) const {
  const Value *v = get(path);
  return v != nullptr ? v->list : std::vector<std::string>();
}

double Contents::real(const std::string &path, double otherwise) const {
  const Value *v = get(path);
  return v != nullptr ? v->number : otherwise;
}

std::int64_t Contents::integer(const std::string &path, std::int64_t otherwise) const {
  const Value *v = get(path);
  return v != nullptr ? static_cast<std::int64_t>(v->number) : otherwise;
}

Picoseconds Contents::time(const std::string &path) const {
  constexpr double kPicosecondsPerNanosecond = 1000;
  return Picoseconds(real(path) * kPicosecondsPerNanosecond);
}

const std::vector<Entry> &Contents::entries(std::string_view path) const {
  static const std::vector<Entry> kNone;
  const Node *n = root_.at(path);
  return n != nullptr ? n->entries : kNone;
}

void Contents::report(std::string code, const Location &where, std::string message, std::string hint) const {
  out_.push_back(error(std::move(code), where, std::move(message), std::move(hint)));
}

void Contents::report(std::string code, const std::string &path, std::string message, std::string hint) const {
  const Value *v = get(path);
  const Node *n = root_.at(path);
  report(std::move(code),
         v != nullptr   ? v->where
         : n != nullptr ? n->where
                        : root_.where,
         std::move(message), std::move(hint));
}

void Contents::impossible(const std::string &path, std::string message, std::string hint) const {
  report("impossible-value", path, std::move(message), std::move(hint));
}

void Contents::below(const std::string &path, std::int64_t x, std::int64_t end, const std::string &what) const {
  if (x < end) return;
  impossible(path, "'" + path + "' reaches " + std::to_string(x) + ", above " + what + " (" + std::to_string(end) + ")",
             "use a number below " + std::to_string(end));
}

std::span<const Section> sections() {
  static const Section kAll[] = {
#define PIMENTO_SECTION(name) section::name(),
#include "pimento/machine/sections/sections.def"
#undef PIMENTO_SECTION
  };
  return kAll;
}

const std::vector<SchemaRow> &schema() {
  static const std::vector<SchemaRow> kRows = [] {
    std::vector<SchemaRow> all;
    for (const Section &s : sections())
      for (SchemaRow &r : s.rows()) all.push_back(std::move(r));
    return all;
  }();
  return kRows;
}

}  // namespace pimento::machine
