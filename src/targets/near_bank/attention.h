// Attention of one decoded token as one program of a near-bank device with softmax units: recognition, data layout and
// command stream (decision 39).
//
// Per head: the query into the operand buffers, a sum of products over K for every score, the scores to the channel's
// softmax buffer, the softmax there, the weights back to the operand buffers, a sum of products over V for every
// output, the outputs to the host. One mapping, of the first kernel's dims, divides all kernels: heads over channels
// and banks, length and dhead over banks. K and V lie in the banks (stationary.h). As many heads as the softmax buffer
// holds have their scores made before their weights are used, so a softmax runs while the units compute.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/data.h"
#include "pimento/lower/shares.h"
#include "pimento/sim/pim/near_bank.h"
#include "pimento/targets/near_bank/stationary.h"

namespace pimento::targets::near_bank {

/// Kernels of a graph that are attention: scores, scaling (or none), softmax in four kernels, context.
struct Attention {
  int first = 0, kernels = 0;
  /// Per kernel: which dim of the first one each of its dims is.
  std::vector<std::vector<int>> dimsOfFirst;
  std::vector<int> groupDims;         ///< of the first kernel: heads, and what else has keys of its own
  int lengthDim = -1, depthDim = -1;  ///< likewise: len, dhead
  int query = -1, keys = -1;          ///< loads of the first kernel
  int values = -1;                    ///< load of the last one
  double scale = 1;

  int sum() const { return kernels - 3; }  ///< the kernel that adds up exponentials
  int last() const { return kernels - 1; }
};

/// The attention that begins with kernel `first`, if nothing outside sees its temporaries.
std::optional<Attention> recogniseAttention(const kernel::Graph &graph, int first);
/// Whether a machine's units can run it as a whole: they have a softmax unit, whose entries hold what a unit moves.
bool fusesAttention(const machine::Machine &machine);

/// How one mapping divides it. Places in banks count bursts, of the softmax buffer entries.
struct AttentionLayout {
  lower::Shares scores, context;                  ///< of the first and the last kernel
  std::int64_t channels = 1, banks = 1;           ///< in use
  std::int64_t heads = 1, length = 1, depth = 1;  ///< of a bank
  std::int64_t depthColumns = 1, lengthColumns = 1;
  std::int64_t groupBanks = 1, lengthBanks = 1, depthBanks = 1;
  std::int64_t entriesPerHead = 1, headsAtOnce = 1;
  std::int64_t resultEntry = 0;   ///< first of those that outputs are added up in
  bool mergesOutputs = false;     ///< partial outputs of banks are added up in the softmax buffer
  std::int64_t banksPerMove = 1;  ///< else
  bool isQueryPerBank = false, isQueryPerChannel = false;
  std::int64_t queryBursts = 0, resultBursts = 0;

  std::int64_t queryCopies() const { return isQueryPerBank ? banks : 1; }
};

/// Moves data between tensors and the device. Knows the layout.
class AttentionData {
 public:
  AttentionData(const kernel::Graph &graph, Attention attention, AttentionLayout layout,
                const machine::Machine &machine);

  const Attention &attention() const { return attention_; }
  const AttentionLayout &layout() const { return layout_; }
  const kernel::Tensor &queryTensor() const;
  /// Blocks of outputs of a head in a bank: as many as there are accumulators each.
  std::int64_t outputBlocks() const { return ceilDiv(layout_.depth, unit_.accumulators); }
  /// Bursts that bring a block's outputs to the host.
  std::int64_t burstsPerBlock() const;

  /// The queries; settings of the softmax unit, then numbers of columns; keys and values that the program writes.
  std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const;
  void place(const kernel::DataSet &data, sim::pim::NearBankDevice &device) const;
  /// Outputs into `data`; partial ones that the device did not add up are, banks ascending.
  void collect(sim::pim::NearBankDevice &device, kernel::DataSet &data) const;

  /// Keys and values.
  std::vector<StationaryTensor> &stationary() { return stationary_; }
  const std::vector<StationaryTensor> &stationary() const { return stationary_; }
  std::int64_t valuesAt() const { return valuesAt_; }  ///< their first column
  std::int64_t bursts() const;                         ///< of a bank, taken by both

  /// Room where the host has tensors.
  void addHostData(Movement &movement);

  std::vector<std::int64_t> columns;  ///< numbers of columns that are set
  HostBursts hostQuery, hostOutput;

 private:
  using Half = sim::pim::Half;
  const kernel::Kernel &firstKernel() const;
  const kernel::Kernel &lastKernel() const;
  std::vector<int> dimsOfLast(const std::vector<int> &dimsOfFirst) const;
  std::vector<Half> queries(const kernel::DataSet &data) const;

  const kernel::Graph &graph_;
  Attention attention_;
  AttentionLayout layout_;
  const machine::NearBankUnit &unit_;
  std::vector<StationaryTensor> stationary_;
  std::int64_t valuesAt_ = 0;
};

struct LoweredAttention {
  program::Program program;
  std::optional<program::Program> placement;                     ///< of constants, once
  std::int64_t rows = 0;                                         ///< of a bank, the host's data included
  std::vector<mapping::PlacedMapping> placed;                    ///< per kernel
  std::vector<std::optional<mapping::AccumulationRules>> rules;  ///< likewise; none: nothing is summed
  evaluate::HostWork host;
  std::shared_ptr<const AttentionData> data;
  std::vector<std::string> choices;
};

/// Diagnostics: those of mapping::place, unsupported-machine, unsupported-type, unsupported-mapping, illegal-mapping
/// (the mapping splits what no unit merges), capacity (of a bank, of the softmax buffer). `append=N` of the mapping:
/// the last N of the length are new.
Result<LoweredAttention> lowerAttention(const kernel::Graph &graph, const Attention &attention,
                                        const mapping::Mapping &mapping, const machine::Machine &machine);

/// The study's baseline: heads over channels, dhead over four banks, the length over the others.
mapping::Mapping attentionReference(const kernel::Graph &graph, const Attention &attention,
                                    const machine::Machine &machine, const mapping::MapSpec &spec);
/// Divisions of all banks by heads, length and dhead in powers of two.
std::vector<mapping::Mapping> attentionMappings(const kernel::Graph &graph, const Attention &attention,
                                                const machine::Machine &machine, const mapping::MapSpec &spec);

/// lowerAttention() as a part of a graph.
Result<std::unique_ptr<evaluate::CompiledPart>> compileAttention(const evaluate::GraphPart &part,
                                                                 const Attention &attention,
                                                                 const mapping::Mapping &mapping,
                                                                 const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
