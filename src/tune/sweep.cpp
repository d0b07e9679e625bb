#include "pimento/tune/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pimento/base/integer.h"
#include "pimento/base/progress.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/cluster/ranks.h"
#include "pimento/machine/schema.h"
#include "pimento/tune/store.h"

namespace pimento::tune {

namespace {

constexpr std::string_view kSizePrefix = "size.";
constexpr const char *kForms = "write PATH=10..20, PATH=10..20:2, PATH=1..64*2 or PATH=10,14,18";

std::string whereOf(std::string_view text) {
  return fmt::format("--sweep {}", text);
}

/// The part of a path behind its last dot.
std::string_view lastPart(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

/// Turns what the user calls an axis into its path.
Result<Axis> resolve(std::string_view text, const std::string &name, const SweepNames &names) {
  const auto has = [](const std::vector<std::string> &list, std::string_view what) {
    return std::find(list.begin(), list.end(), what) != list.end();
  };
  if (name.rfind(kSizePrefix, 0) == 0) {
    const std::string size = name.substr(kSizePrefix.size());
    if (has(names.sizes, size)) return Axis{name, true, size, {}};
    return usageError("sweep-unknown", whereOf(text), fmt::format("the kernel has no size '{}'", size),
                      names.sizes.empty() ? "its sizes are fixed" : suggest(size, names.sizes));
  }
  if (has(names.paths, name)) return Axis{name, false, name, {}};
  if (const auto alias = names.aliases.find(name); alias != names.aliases.end())
    return Axis{alias->second, false, alias->second, {}};
  std::vector<std::string> ends, choices;
  for (const std::string &p : names.paths) {
    if (lastPart(p) == name) ends.push_back(p);
    choices.emplace_back(lastPart(p));
  }
  if (ends.size() == 1) return Axis{ends.front(), false, ends.front(), {}};
  if (ends.size() > 1)
    return usageError("sweep-ambiguous", whereOf(text), fmt::format("'{}' is ambiguous: {}", name, join(ends, " or ")),
                      "write the whole path");
  choices.insert(choices.end(), names.paths.begin(), names.paths.end());
  for (const auto &[alias, path] : names.aliases) choices.push_back(alias);
  for (const std::string &s : names.sizes) choices.push_back(std::string(kSizePrefix) + s);
  const std::string near = nearest(name, choices);
  return usageError("sweep-unknown", whereOf(text), fmt::format("unknown number '{}'", name),
                    fmt::format("{}'pimento targets NAME' lists all paths; sizes of the kernel are {}",
                                near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                                names.sizes.empty() ? "fixed" : "size." + join(names.sizes, ", size.")));
}

class RangeParser {
 public:
  RangeParser(std::string_view text, std::vector<std::string> &out) : text_(text), out_(out) {}

  /// Appends the values of one item of a list.
  Status item(std::string_view item) {
    const std::size_t dots = item.find("..");
    if (item.empty()) return usageError("sweep-syntax", whereOf(text_), "a value is missing", kForms);
    if (dots == std::string_view::npos) {
      out_.emplace_back(item);
      return okStatus();
    }
    std::string_view last = item.substr(dots + 2);
    const std::size_t mark = last.find_first_of(":*");
    const bool isGeometric = mark != std::string_view::npos && last[mark] == '*';
    Result<double> first = number(trim(item.substr(0, dots)));
    Result<double> by = mark == std::string_view::npos ? Result<double>(1.0) : number(trim(last.substr(mark + 1)));
    Result<double> end = number(trim(last.substr(0, mark)));
    for (const Result<double> *r : {&first, &end, &by})
      if (!*r) return r->diagnostics();
    return isGeometric ? geometric(*first, *end, *by) : linear(*first, *end, *by);
  }

 private:
  Result<double> number(std::string_view text) const {
    const auto n = parseNumber(text);
    if (n && std::isfinite(*n)) return *n;
    return usageError(
        "sweep-number", whereOf(text_),
        text.empty() ? std::string("a number of the range is missing") : fmt::format("'{}' is not a number", text),
        std::string("ranges need numbers without units; ") + kForms);
  }

  Status range(const std::string &message) const { return usageError("sweep-range", whereOf(text_), message, kForms); }

  /// Steps are counted, not added up, so that rounding does not grow.
  Status linear(double first, double last, double step) {
    if (!(step > 0)) return range(fmt::format("the step is {}, but must be above 0", numberText(step)));
    if (last < first) return range(fmt::format("the range ends at {}, below its start", numberText(last)));
    constexpr double kSlack = 1e-9;  // of a step: 0..1:0.1 ends at 1
    const double steps = std::floor((last - first) / step + kSlack);
    if (steps >= static_cast<double>(kMaxPoints)) return tooLarge();
    for (std::int64_t i = 0; i <= static_cast<std::int64_t>(steps); ++i) {
      const double x = first + static_cast<double>(i) * step;
      // 0.1 + 2 * 0.1 is 0.30000000000000004: a decimal of the step's length is what is meant.
      out_.push_back(numberText(std::round(x * 1e9) / 1e9));
    }
    return okStatus();
  }

  Status geometric(double first, double last, double factor) {
    if (!(factor > 1)) return range(fmt::format("the factor is {}, but must be above 1", numberText(factor)));
    if (!(first > 0)) return range(fmt::format("a geometric range cannot start at {}", numberText(first)));
    if (last < first) return range(fmt::format("the range ends at {}, below its start", numberText(last)));
    for (double x = first; x <= last * (1 + 1e-12); x *= factor) {
      out_.push_back(numberText(x));
      if (static_cast<std::int64_t>(out_.size()) > kMaxPoints) return tooLarge();
    }
    return okStatus();
  }

  Diagnostic tooLarge() const {
    return usageError("sweep-too-large", whereOf(text_), fmt::format("more than {} values", kMaxPoints),
                      "use a larger step, or a geometric range (1..64*2)");
  }

  std::string_view text_;
  std::vector<std::string> &out_;
};

Status checkSizes(std::string_view text, const Axis &axis) {
  if (!axis.isSize) return okStatus();
  for (const std::string &v : axis.values)
    if (const auto n = parseInteger(v); !n || *n < 1)
      return usageError("sweep-size", whereOf(text), fmt::format("'{}' is not a size", v),
                        "sizes are whole numbers of at least 1");
  return okStatus();
}

constexpr const char *kPointKind = "point";

std::string textOf(const Result<PointResult> &r) {
  if (!r) return fmt::format("! {} [{}]", r.diagnostics().front().message, r.diagnostics().front().code);
  const evaluate::Cost &c = r->cost;
  const std::string base =
      r->base ? fmt::format("{}/{}", r->base->total.value, numberText(r->base->energy.value)) : std::string("-");
  return fmt::format("{} {} {} {} {} {} {}", c.kernel.value, c.total.value, numberText(r->timeNs),
                     numberText(c.energy.value), numberText(c.kernelEnergy.value), base, r->mapping);
}

/// Inverse of textOf; false where the text is none.
bool readRow(const std::string &text, SweepRow &row) {
  if (text.rfind("! ", 0) == 0) {
    row.error = text.substr(2);
    return true;
  }
  std::string_view rest = text;
  std::array<double, 3> numbers{};
  std::array<std::int64_t, 2> cycles{};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return false;
    const std::string_view part = rest.substr(0, blank);
    rest.remove_prefix(blank + 1);
    const auto whole = parseInteger(part);
    const auto number = parseNumber(part);
    if (i < 2 ? !whole : !number) return false;
    if (i < 2)
      cycles[i] = *whole;
    else
      numbers[i - 2] = *number;
  }
  const std::size_t blank = rest.find(' ');
  if (blank == std::string_view::npos) return false;
  std::optional<evaluate::Cost> base;
  if (const std::string_view text = rest.substr(0, blank); text != "-") {
    const std::size_t slash = text.find('/');
    const auto whole = parseInteger(text.substr(0, slash));
    const auto energy = slash == std::string_view::npos ? std::nullopt : parseNumber(text.substr(slash + 1));
    if (!whole || !energy) return false;
    base = {Cycles(*whole), Cycles(*whole), Picojoules(*energy), Picojoules(*energy)};
  }
  row.result = {std::string(rest.substr(blank + 1)),
                {Cycles(cycles[0]), Cycles(cycles[1]), Picojoules(numbers[1]), Picojoules(numbers[2])},
                numbers[0],
                base};
  return true;
}

}  // namespace

SweepNames sweepNames(const machine::Machine &machine, const std::vector<std::string> &sizes) {
  SweepNames names;
  for (const auto &[path, number] : machine.numbers) names.paths.push_back(path);
  // Words and flags (a controller's policies) can be swept as lists.
  for (const machine::SchemaRow &row : machine::schema()) {
    const bool isValue = row.kind == machine::ValueKind::kChoice || row.kind == machine::ValueKind::kFlag;
    if (isValue && row.path.find('*') == std::string::npos) names.paths.push_back(row.path);
  }
  std::sort(names.paths.begin(), names.paths.end());
  names.paths.erase(std::unique(names.paths.begin(), names.paths.end()), names.paths.end());
  names.aliases = machine.aliases;
  names.sizes = sizes;
  return names;
}

Result<Axis> parseAxis(std::string_view text, const SweepNames &names) {
  const std::size_t eq = text.find('=');
  const std::string name(trim(text.substr(0, eq)));
  if (eq == std::string_view::npos || name.empty())
    return usageError("sweep-syntax", whereOf(text), fmt::format("'{}' is not of the form PATH=VALUES", text), kForms);
  Result<Axis> axis = resolve(text, name, names);
  if (!axis) return axis;
  RangeParser parser(text, axis->values);
  for (const std::string_view item : split(text.substr(eq + 1), ','))
    if (Status s = parser.item(trim(item)); !s) return s.diagnostics();
  for (std::size_t i = 0; i < axis->values.size(); ++i)
    if (std::find(
            axis->values.begin(), axis->values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(i, 1000)),
            axis->values[i]) != axis->values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(i, 1000)))
      return usageError("sweep-duplicate", whereOf(text), fmt::format("'{}' appears twice", axis->values[i]),
                        "list every value once");
  if (Status s = checkSizes(text, *axis); !s) return s.diagnostics();
  return axis;
}

Result<std::vector<Axis>> parseAxes(const std::vector<std::string> &texts, const SweepNames &names) {
  std::vector<Axis> axes;
  std::int64_t points = 1;
  for (const std::string &text : texts) {
    Result<Axis> axis = parseAxis(text, names);
    if (!axis) return axis.diagnostics();
    for (const Axis &a : axes)
      if (a.path == axis->path)
        return usageError("sweep-duplicate", whereOf(text), fmt::format("'{}' is swept twice", a.path),
                          "combine all its values in one --sweep");
    points = multiplySaturated(points, static_cast<std::int64_t>(axis->values.size()));
    if (points > kMaxPoints)
      return usageError("sweep-too-large", whereOf(text),
                        fmt::format("the sweeps make more than {} points together", kMaxPoints), "use larger steps");
    axes.push_back(std::move(*axis));
  }
  return axes;
}

namespace {

/// The values of a point, one per axis, and its name.
std::vector<std::string> valuesOf(const std::vector<Axis> &axes, std::int64_t point) {
  std::vector<std::string> values(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    const auto count = static_cast<std::int64_t>(axes[a].values.size());
    values[a] = axes[a].values[static_cast<std::size_t>(point % count)];
    point /= count;
  }
  return values;
}

std::string nameOf(const std::vector<Axis> &axes, const std::vector<std::string> &values) {
  std::string name;
  for (std::size_t a = 0; a < axes.size(); ++a)
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", axes[a].path, values[a]);
  return name;
}

}  // namespace

cluster::Work sweepWork(const std::vector<Axis> &axes, const EvaluatePoint &evaluate) {
  return [&axes, evaluate](const std::string &task) {
    const auto point = parseInteger(task);
    PIMENTO_CHECK(point.has_value());
    return textOf(evaluate(valuesOf(axes, *point)));
  };
}

Result<std::vector<SweepRow>> sweep(const std::vector<Axis> &axes, const EvaluatePoint &evaluate,
                                    const Control &control) {
  std::int64_t points = 1;
  for (const Axis &a : axes) points *= static_cast<std::int64_t>(a.values.size());
  std::unique_ptr<cluster::Ranks> own;
  if (control.ranks == nullptr) {
    own = cluster::oneRank();
    (void)own->join("", sweepWork(axes, evaluate), control.jobs);
  }
  cluster::Ranks &ranks = own != nullptr ? *own : *control.ranks;
  std::vector<SweepRow> rows;
  cluster::Tasks tasks;
  std::vector<std::size_t> computed;  // rows that are tasks
  std::vector<std::string> names;
  for (std::int64_t point = 0; point < points; ++point) {
    if (control.share && !control.share->has(point)) continue;
    rows.push_back({valuesOf(axes, point), {}, {}});
    names.push_back(nameOf(axes, rows.back().values));
    const auto kept = control.store != nullptr ? control.store->find(kPointKind, names.back()) : std::nullopt;
    if (kept && readRow(*kept, rows.back())) continue;
    computed.push_back(rows.size() - 1);
    tasks.now.push_back(std::to_string(point));
  }
  Diagnostics failed;
  Progress progress("sweeping", static_cast<std::int64_t>(rows.size()), control.showsProgress);
  progress.advance(static_cast<std::int64_t>(rows.size() - computed.size()));
  std::size_t done = 0;
  Store::Batches batches(control.store);
  const auto take = [&](std::size_t n, const std::string &text) {
    const std::size_t row = computed[n];
    PIMENTO_CHECK(readRow(text, rows[row]));
    ++done;
    progress.advance();
    if (control.store == nullptr) return;
    if (Status s = control.store->put(kPointKind, names[row], text); !s) failed = s.diagnostics();
  };
  const auto flush = [&] {
    if (Status s = batches.flush(); !s) failed = s.diagnostics();
  };
  const Status status = ranks.compute(tasks, control.isStopped, {take, flush});
  if (!status) return status.diagnostics();
  if (!failed.empty()) return failed;
  if (done < computed.size()) return interrupted(control, "points were");
  if (std::ranges::none_of(rows, [](const SweepRow &r) { return r.error.empty(); }) && !rows.empty() &&
      !control.share) {
    if (computed.empty()) return error("sweep-point", {names.front(), 0, 0}, rows.front().error, "");
    const auto first = evaluate(rows[computed.front()].values);  // once more, to say why
    PIMENTO_CHECK(!first.ok());
    return first.diagnostics();
  }
  return rows;
}

}  // namespace pimento::tune
