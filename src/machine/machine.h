// Where a kernel runs: one machine file, read, checked and given types.
//
// A machine file (machines/*.yaml) is data only: organisation, commands, timing constraints, modes, controller
// policies, energy and host. Every number carries its unit, source and confidence; `extends` layers a small file on
// top of another; `--set PATH=VALUE` overrides one number. Constraints follow Ramulator 2's idea that a DRAM
// standard is a table (level, preceding commands, following commands, latency, window). No hardware number lives in
// C++.
//
// Not here: what the numbers mean for time (`sim`) or energy (`energy`), and which kernels fit (`mapping`, `lower`).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/base/units.h"
#include "pimento/machine/number.h"
#include "pimento/machine/sections/chip.h"
#include "pimento/machine/sections/compute.h"
#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/dpu.h"
#include "pimento/machine/sections/dram.h"
#include "pimento/machine/sections/energy.h"
#include "pimento/machine/sections/host.h"
#include "pimento/machine/sections/levels.h"
#include "pimento/machine/sections/pim.h"
#include "pimento/machine/sections/sram.h"

namespace pimento::machine {

/// A machine, as typed data plus the provenance of every number.
struct Machine {
  std::string name;                ///< "hbm-pim"
  std::string family;              ///< which lowering serves it: "hbm-pim", "upmem", ...
  std::string about;               ///< what the preset is and is not
  std::vector<std::string> notes;  ///< caveats that every report repeats
  DType nativeType = DType::kF16;
  double clockGHz = 1;                                ///< of the device cycle
  std::map<std::string, double, std::less<>> clocks;  ///< others by name, in GHz
  std::vector<Level> levels;
  std::optional<Dram> dram;
  std::optional<PimUnit> pim;
  std::optional<NearBankUnit> nearBank;
  std::optional<Dpu> dpu;
  std::optional<Compute> compute;  ///< of machines that run virtual instructions; then `unitMemory` is there too
  std::optional<UnitMemory> unitMemory;
  std::optional<Sram> sram;                ///< of machines whose cache computes
  std::optional<Noc> noc;                  ///< between its tiles
  std::optional<Core> core;                ///< of machines that run programs of a host
  std::optional<MainMemory> memory;        ///< behind the last of them
  std::vector<CacheLevel> caches;          ///< of such a core, in the order of the file
  std::optional<Translation> translation;  ///< of its addresses
  std::optional<SharedCache> sharedCache;  ///< of a chip's tiles
  std::optional<StreamEngines> streams;    ///< beside it
  std::optional<ChipKernels> kernels;      ///< of chips whose cores run kernels
  std::optional<ChipArea> area;            ///< of such chips
  std::optional<Cim> cim;                  ///< what they compute
  std::vector<EnergyTerm> energy;          ///< of the chosen set
  std::string energySet;                   ///< its name; empty where a file has no named sets
  std::vector<std::string> energySets;     ///< all names, in the order of the file
  std::string energyCovers;                ///< the chips a total covers
  Host host;
  std::map<std::string, Number> numbers;       ///< by path, every number of the file, formulas evaluated
  std::map<std::string, std::string> words;    ///< by path: flags, element types and other choices
  std::map<std::string, Location> places;      ///< by path, where sections, levels and words stand
  std::map<std::string, std::string> aliases;  ///< short names for --set: "channels" = "organization.channels"

  Picoseconds toTime(Cycles c) const { return Picoseconds(static_cast<double>(c.value) * 1000.0 / clockGHz); }
  /// Where a number or section stands; the nearest one around it where it is neither.
  Location where(std::string_view path) const;
  /// Of cycles of a clock that the machine has, "device" or one of `clocks`.
  Picoseconds toTime(Cycles c, std::string_view clock) const;
};

/// `--set PATH=VALUE`, in order. PATH may be an alias ("channels", "ranks") or a full path; VALUE may carry a unit.
struct Override {
  std::string path, value;
};

/// The file of a preset, looked up in `searchPath` (folders), or a path ending in .yaml as it is.
/// Diagnostics: unknown preset (did you mean).
Result<std::string> findMachine(std::string_view nameOrFile, const std::vector<std::string> &searchPath);

/// Reads a machine file. `nameOrFile`: a preset name, looked up in `searchPath` (folders), or a path ending in .yaml.
/// Diagnostics: unknown preset (did you mean), unreadable file, YAML syntax, unknown or missing keys, bare numbers,
/// wrong or missing units, missing source or confidence, impossible values (ranges, powers of two, tRC < tRAS + tRP),
/// bad overrides. All with location and hint; as many as can be found in one go.
Result<Machine> loadMachine(std::string_view nameOrFile, const std::vector<std::string> &searchPath,
                            const std::vector<Override> &overrides = {});

/// Same from text in memory (`file` names it in messages; `extends` is looked up in `searchPath`).
Result<Machine> parseMachine(std::string_view yaml, std::string_view file, const std::vector<std::string> &searchPath,
                             const std::vector<Override> &overrides = {});

/// Preset names found in `searchPath`, sorted.
std::vector<std::string> listMachines(const std::vector<std::string> &searchPath);

/// The machine as text, with source and confidence of every number (`pimento targets NAME`).
std::string printMachine(const Machine &machine);

}  // namespace pimento::machine
