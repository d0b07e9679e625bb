// Kernel + Mapping + Machine -> Program for Samsung HBM-PIM, with the plan for its data.
//
// One kernel of a graph becomes one device run: park, enter all-bank mode, load the microkernel, stream the commands of
// each subspace, leave. What the host does around it (placing operands, reading results back, adding partial sums) is
// counted here and priced by `evaluate`. Layout and streams of the `reference` mapping are those of the vendor's public
// simulator; other mappings use the same streams over other layouts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/hbm_pim_isa.h"
#include "pimento/program/program.h"
#include "pimento/sim/pim/pim_device.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

/// Moves data between tensors and the device's banks. Knows the layout; used by functional runs only.
class DataPlan {
 public:
  virtual ~DataPlan() = default;
  /// Whether the units compute the kernel's answer on this data. Diagnostic: "padding-not-finite".
  virtual Status check(const kernel::DataSet & /*data*/) const { return okStatus(); }
  virtual std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const = 0;
  virtual void place(const kernel::DataSet &data, sim::pim::PimDevice &device) const = 0;
  /// Reads results back, merges partial ones and stores them in `data` (outputs are created by the caller).
  virtual void collect(sim::pim::PimDevice &device, kernel::DataSet &data) const = 0;
};

/// A lowered kernel.
struct Lowered {
  program::Program program;
  mapping::PlacedMapping placed;
  mapping::AccumulationRules rules;
  evaluate::HostWork host;
  std::int64_t dataRows = 0;                                             ///< data rows used in every bank, from row 0
  std::vector<std::vector<program::hbm_pim::Instruction>> microkernels;  ///< one per subspace, execution order
  std::shared_ptr<const DataPlan> data;
  std::vector<std::string> choices;  ///< CompiledPart::choices
};

/// Have banks room for so many rows of data? `less`: what the kernel could have fewer of. Diagnostics: capacity.
Status checkRows(const kernel::Kernel &kernel, std::int64_t rows, const machine::Machine &machine,
                 std::string_view less);

/// How a kernel's accumulators are to be kept: `plain` (all input tiles in one accumulator) or `tree`.
enum class Variant : std::uint8_t { kPlain, kTree };

/// The lowering speaks of channels, blocks and lanes; a machine file that has other levels is not its target. A weight
/// tile fills whole rows. Diagnostic: "unsupported-machine".
Status checkMachine(const machine::Machine &machine);

/// The kernel's alternatives that the mapping's parameters leave, at least one. Diagnostics: those of alternatives(),
/// "illegal-mapping".
Result<std::vector<Pattern>> alternativesFor(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                             const machine::Machine &machine);

/// A few mappings of each of the alternatives, with the parameters that name it.
std::vector<mapping::Mapping> usualMappings(const kernel::Kernel &kernel, const std::vector<Pattern> &patterns,
                                            const machine::Machine &machine, const mapping::Mapping &spec);

/// The mapping the vendor's simulator uses for this kernel, with `spec`'s extensions (tail). Of several alternatives,
/// and of usualMappings() for what it does not run, that whose time, from below and with the host's work, is least.
Result<mapping::Mapping> referenceMapping(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec);

/// Lowers kernel number `kernel` of `graph`. Diagnostics: unsupported-* (see pattern.h), illegal mappings, capacity.
Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, Variant variant);

}  // namespace pimento::targets::hbm_pim
