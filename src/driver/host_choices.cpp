#include "pimento/driver/host_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/machine_option.h"
#include "pimento/energy/array/install.h"
#include "pimento/machine/data_way.h"

namespace pimento::driver {

namespace {

constexpr const char *kUsual = "cim-a9";

/// The choices of an option; of one that is not given an empty one, the machine's own. Diagnostic: "empty-choice".
Result<std::vector<std::string>> partsOf(const std::string &list, const char *option) {
  std::vector<std::string> out;
  for (const std::string_view part : split(list, ',')) out.emplace_back(part);
  if (out.size() > 1 && std::ranges::find(out, "") != out.end())
    return usageError("empty-choice", option, fmt::format("'{}' has an empty choice", list),
                      "put one comma between two choices, and none at the end");
  return out;
}

/// "32KiB+256KiB/8": sizes of the caches on the way of data, with ways or without, as overrides.
Result<std::vector<std::string>> overridesOf(const std::string &caches, const machine::Machine &machine) {
  std::vector<std::string> out;
  std::vector<std::string> way;
  for (const int l : machine::dataWay(machine)) way.push_back(machine.caches[static_cast<std::size_t>(l)].name);
  const std::vector<std::string_view> parts = split(caches, '+');
  if (parts.size() > way.size())
    return usageError("bad-caches", "--caches",
                      fmt::format("'{}' names {} caches, and {} has {} on the way of data", caches, parts.size(),
                                  machine.name, way.size()),
                      fmt::format("give the sizes of {}, joined by +", join(way, " and ")));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t slash = parts[i].find('/');
    const std::string_view size = parts[i].substr(0, slash);
    const std::size_t unit = size.find_first_not_of("0123456789");
    if (unit == 0 || unit == std::string_view::npos)
      return usageError("bad-caches", "--caches", fmt::format("'{}' is no size of a cache", parts[i]),
                        "write SIZE or SIZE/WAYS for each, as in 32KiB+256KiB/8, with commas between choices");
    out.push_back(fmt::format("caches.{}.size={} {}", way[i], size.substr(0, unit), size.substr(unit)));
    if (slash != std::string_view::npos)
      out.push_back(fmt::format("caches.{}.ways={} count", way[i], parts[i].substr(slash + 1)));
  }
  return out;
}

Status applyLocality(const Options &options, machine::Machine &machine) {
  using Locality = machine::Cim::Locality;
  constexpr std::pair<std::string_view, Locality> kLocalities[] = {
      {"level", Locality::kLevel}, {"bank", Locality::kBank}, {"bitline", Locality::kBitline}};
  if (options.locality.empty()) return okStatus();
  const auto found = std::ranges::find(kLocalities, options.locality, &std::pair<std::string_view, Locality>::first);
  if (found == std::end(kLocalities))
    return usageError("bad-locality", "--locality", fmt::format("no locality '{}'", options.locality),
                      suggest(options.locality, {"level", "bank", "bitline"}));
  machine.cim->locality = found->second;
  return okStatus();
}

/// "l1d+l2": caches that compute together.
Status applyLevels(const std::string &levels, machine::Machine &machine) {
  if (levels.empty()) return okStatus();
  machine.cim->levels.clear();
  std::vector<std::string> names;
  for (const machine::CacheLevel &l : machine.caches) names.push_back(l.name);
  for (const std::string_view name : split(levels, '+')) {
    if (name.empty())
      return usageError("empty-choice", "--levels", fmt::format("'{}' has an empty name", levels),
                        "put one + between two caches, and none at the end");
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return usageError("unknown-name", "--levels", fmt::format("{} has no cache '{}'", machine.name, name),
                        suggest(std::string(name), names));
    const auto level = static_cast<int>(found - names.begin());
    if (std::ranges::find(machine.cim->levels, level) != machine.cim->levels.end())
      return usageError("duplicate-choice", "--levels", fmt::format("'{}' names {} twice", levels, name),
                        "name each cache once");
    machine.cim->levels.push_back(level);
  }
  return okStatus();
}

/// --arrays, or what --technology needs: one set for all cells.
std::string arraysOf(const Options &options) {
  if (!options.arrays.empty() || options.technology.empty()) return options.arrays;
  for (const std::string_view cell : split(options.technology, ','))
    if (cell != "sram" && cell != "fefet") return "destiny";
  return "release-constants";
}

Status applyArrays(const Options &options, const std::string &setName, const std::string &cellName,
                   machine::Machine &machine) {
  using namespace energy::array;
  constexpr const char *kPlain = "sram";
  const std::vector<std::string> folders = machineFolders(options);
  const auto at = [](Diagnostics all, const char *option) {
    for (Diagnostic &d : all)
      if (d.where.file.empty()) d.where.file = option;
    return all;
  };
  const Result<Set> set = loadSet(setName, folders);
  if (!set) return at(set.diagnostics(), "--arrays");
  const Result<Cell> cell = loadCell(cellName.empty() ? kPlain : cellName, folders);
  if (!cell) return at(cell.diagnostics(), "--technology");
  const Result<Cell> plain = loadCell(kPlain, folders);
  if (!plain) return plain.diagnostics();
  if (Status s = install(machine, *set, *cell, *plain); !s) return at(s.diagnostics(), "--arrays");
  return okStatus();
}

}  // namespace

Result<std::vector<HostChoice>> hostChoices(const Options &given) {
  Options options = given;
  if (options.sharesRows) options.sets.emplace_back("cim.row_words=64 count");
  const std::string name = options.target.empty() ? kUsual : options.target;
  const Result<machine::Machine> plain = loadTarget(options, name);
  if (!plain) return plain.diagnostics();
  const bool asksCim = !options.locality.empty() || !options.levels.empty();
  if (asksCim && !plain->cim)
    return error("missing-section", {plain->name}, fmt::format("{} has no section 'cim'", plain->name),
                 "choose a machine whose caches compute, as cim-a9");
  const Result<std::vector<std::string>> sizes = partsOf(options.caches, "--caches"),
                                         cells = partsOf(options.technology, "--technology"),
                                         sets = partsOf(arraysOf(options), "--arrays"),
                                         computing = partsOf(options.levels, "--levels");
  for (const auto *parts : {&sizes, &cells, &sets, &computing})
    if (!*parts) return parts->diagnostics();
  std::vector<HostChoice> out;
  for (const std::string &caches : *sizes) {
    Options changed = options;
    if (!caches.empty()) {
      const Result<std::vector<std::string>> overrides = overridesOf(caches, *plain);
      if (!overrides) return overrides.diagnostics();
      changed.sets.insert(changed.sets.end(), overrides->begin(), overrides->end());
    }
    const Result<machine::Machine> machine = loadTarget(changed, name);
    if (!machine) return machine.diagnostics();
    for (const std::string &set : *sets)
      for (const std::string &cell : *cells) {
        machine::Machine priced = *machine;
        if (!set.empty())
          if (Status s = applyArrays(options, set, cell, priced); !s) return s.diagnostics();
        for (const std::string &levels : *computing) {
          HostChoice &choice = out.emplace_back(caches, set, cell, levels, priced);
          if (Status s = applyLocality(options, choice.machine); !s) return s.diagnostics();
          if (Status s = applyLevels(levels, choice.machine); !s) return s.diagnostics();
        }
      }
  }
  return out;
}

Result<machine::Machine> loadHost(const Options &options) {
  Result<std::vector<HostChoice>> choices = hostChoices(options);
  if (!choices) return choices.diagnostics();
  if (choices->size() > 1)
    return usageError("one-choice", options.levels.find(',') != std::string::npos ? "--levels" : "--technology",
                      "this is of one machine, and these are several",
                      "give one choice; join caches that compute together by +, as in l1d+l2");
  return std::move(choices->front().machine);
}

}  // namespace pimento::driver
