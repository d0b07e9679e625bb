#include "profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/data_folder.h"
#include "pimento/targets/targets.h"

namespace pimento::upmem {

namespace {

/// Keys that concern devices, drivers and the vendor's simulators: nothing here depends on them. There are many, and
/// more with every version; all but one are written with capitals inside, as no key of ours is.
bool isOfHardware(std::string_view key) {
  return key == "backend" || (key.find('.') == std::string_view::npos &&
                              std::ranges::any_of(key, [](char c) { return c >= 'A' && c <= 'Z'; }));
}

Outcome wrong(std::string message, const std::string &hint = {}) {
  return failure(DPU_ERR_INVALID_PROFILE, message + (hint.empty() ? "" : "\n  hint: " + hint));
}

/// A whole number of at least `least` from the environment; `otherwise` where it is not set.
Outcome fromEnvironment(const char *name, std::int64_t least, std::int64_t otherwise, std::int64_t &value) {
  value = otherwise;
  const char *text = std::getenv(name);
  if (text == nullptr) return {};
  const auto n = parseInteger(text);
  if (!n || *n < least) return wrong(fmt::format("{}={} is not a number of at least {}", name, text, least));
  value = *n;
  return {};
}

std::int64_t countOf(const machine::Machine &m, machine::LevelRole role) {
  const machine::Level *level = machine::levelOf(m.levels, role);
  return level != nullptr ? level->count : 0;
}

/// The keys of a profile, sorted out.
struct Keys {
  std::string machine = "upmem";
  std::vector<machine::Override> overrides;
  std::string scatterGather, maxBlocks, parallel;
};

Outcome readKeys(std::string_view profile, Keys &keys) {
  for (const std::string_view part : split(profile, ',')) {
    const std::string_view entry = trim(part);
    if (entry.empty()) continue;
    const std::size_t eq = entry.find('=');
    if (eq == std::string_view::npos || eq == 0)
      return wrong(fmt::format("'{}' in profile \"{}\" is not an assignment", entry, profile),
                   "write KEY=VALUE,KEY=VALUE,...");
    const std::string key(trim(entry.substr(0, eq))), value(trim(entry.substr(eq + 1)));
    if (key == "machine")
      keys.machine = value;
    else if (key == "sgXferEnable")
      keys.scatterGather = value;
    else if (key == "parallelXfer")
      keys.parallel = value;
    else if (key == "sgXferMaxBlocksPerDpu")
      keys.maxBlocks = value;
    else if (!isOfHardware(key))
      keys.overrides.push_back({key, value});
  }
  return {};
}

/// true, false, or empty for false.
Outcome readFlag(const char *key, const std::string &text, bool &flag) {
  if (!text.empty() && text != "true" && text != "false")
    return wrong(fmt::format("{}={} must be true or false", key, text));
  flag = text == "true";
  return {};
}

/// A key that is neither a number of the machine file nor one of ours.
Outcome checkOverrides(const Keys &keys, const machine::Machine &m) {
  for (const machine::Override &o : keys.overrides) {
    if (m.aliases.contains(o.path) || o.path.find('.') != std::string::npos) continue;
    std::vector<std::string> known = {"machine", "sgXferEnable", "sgXferMaxBlocksPerDpu", "parallelXfer"};
    for (const auto &[alias, path] : m.aliases) known.push_back(alias);
    return wrong(fmt::format("unknown key '{}' in the profile", o.path),
                 suggest(o.path, known) + "; or the path of a number in the machine file");
  }
  return {};
}

}  // namespace

Outcome readProfile(std::string_view profile, Setup &setup) {
  Keys keys;
  if (const char *name = std::getenv("PIMENTO_MACHINE")) keys.machine = name;
  if (const char *base = std::getenv("UPMEM_PROFILE_BASE"))
    if (Outcome o = readKeys(base, keys); !o) return o;
  if (Outcome o = readKeys(profile, keys); !o) return o;
  const std::vector<std::string> folders = driver::machineFolders();
  Result<machine::Machine> machine = machine::loadMachine(keys.machine, folders);
  if (!machine) return failure(DPU_ERR_INVALID_PROFILE, machine.diagnostics());
  if (Outcome o = checkOverrides(keys, *machine); !o) return o;
  machine = machine::loadMachine(keys.machine, folders, keys.overrides);
  if (!machine) return failure(DPU_ERR_INVALID_PROFILE, machine.diagnostics());
  if (const Status s = targets::check(*machine); !s) return failure(DPU_ERR_INVALID_PROFILE, s.diagnostics());
  setup.machine = std::move(*machine);
  setup.ranks = countOf(setup.machine, machine::LevelRole::kGroup);
  setup.dpusPerRank = countOf(setup.machine, machine::LevelRole::kUnit);
  setup.tasklets = countOf(setup.machine, machine::LevelRole::kThread);
  if (!setup.machine.dpu || !setup.machine.host.dpus || setup.ranks < 1 || setup.dpusPerRank < 1)
    return wrong(fmt::format("machine '{}' has no ranks of DPUs", setup.machine.name),
                 "choose a machine of family upmem: machine=NAME in the profile, or PIMENTO_MACHINE=NAME");
  if (Outcome o = readFlag("sgXferEnable", keys.scatterGather, setup.hasScatterGather); !o) return o;
  if (Outcome o = readFlag("parallelXfer", keys.parallel, setup.isOpen); !o) return o;
  if (!keys.maxBlocks.empty()) {
    const auto n = parseInteger(keys.maxBlocks);
    if (!n || *n < 1)
      return wrong(fmt::format("sgXferMaxBlocksPerDpu={} is not a number of at least 1", keys.maxBlocks));
    setup.maxBlocks = *n;
  }
  std::int64_t jobs = 0;
  if (Outcome o = fromEnvironment("PIMENTO_JOBS", 1, 0, jobs); !o) return o;
  setup.jobs = jobCount(static_cast<int>(std::min<std::int64_t>(jobs, 1024)));
  if (const char *timing = std::getenv("PIMENTO_TIMING"); timing != nullptr) {
    if (timing != std::string_view("on") && timing != std::string_view("off"))
      return wrong(fmt::format("PIMENTO_TIMING={} must be on or off", timing));
    setup.isTimed = timing == std::string_view("on");
  }
  return fromEnvironment("PIMENTO_MAX_INSTRUCTIONS", 1, 100'000'000'000, setup.maxInstructions);
}

}  // namespace pimento::upmem
