// Tensors that stay in the banks while units multiply them (weights, keys, values): where each value lies, and how it
// gets there.
//
// A unit takes sums of products in blocks of as many as it has accumulators. Columns of `lanes` values lie in the order
// in which it multiplies: block after block, in it what fits the operand buffers at a time, there sum after sum. So the
// commands of a barrier group go to rising addresses, and a block opens each of its rows once.
//
// The program writes tensors in its phase `place`; constants are placed once, by a program of their own. Of tensors
// that are appended to (`append=N`), the last N rows are written in the phase `append`; the others lie there already.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/data.h"
#include "pimento/lower/shares.h"
#include "pimento/sim/pim/near_bank.h"
#include "pimento/targets/near_bank/movement.h"
#include "pimento/targets/near_bank/stream.h"

namespace pimento::targets::near_bank {

class StationaryTensor {
 public:
  /// Dims of the kernel by what they are to a unit.
  struct Dims {
    std::vector<int> groups;  ///< of both operands
    std::vector<int> sums;    ///< of this one: each value has a sum of its own
    std::vector<int> summed;
    std::vector<int> copies;  ///< of the other one: units that differ in these hold the same
  };

  /// Load `load` of a kernel, from column `firstColumn` of every bank on; its image in programs is called `name`.
  StationaryTensor(std::string name, const kernel::Graph &graph, int kernel, int load, Dims dims,
                   std::int64_t firstColumn, const machine::Machine &machine);

  /// Room for what a subspace has, behind what those before it have. Returns its first column.
  std::int64_t add(lower::Shares shares);
  /// `append=N` of a mapping, unless it leaves out the pass for it: rows are the values of the last axis but one.
  /// Diagnostics: unsupported-mapping.
  Status append(const mapping::Mapping &mapping);

  /// Written so many times, one after the other: once for each vector of a batch.
  void repeat(std::int64_t times) { times_ = times; }

  std::int64_t columns() const { return columns_; }
  std::int64_t channels() const { return channels_; }  ///< that hold some of it
  bool isConstant() const { return tensor().isConstant; }
  /// Does the program write all of it?
  bool isWritten() const { return newRows_ == 0 && !isConstant(); }
  bool isAppended() const { return newRows_ > 0; }
  /// The dim whose last values are new, or -1.
  int newRowsDim() const { return newRowsDim_; }
  /// Room where the host has it.
  void addHostData(Movement &movement);
  /// Its image, of which programs send what they write.
  void declare(Stream &stream) { image_ = stream.image(name_, banks_ * columns_, true); }
  bool hasImage() const { return isWritten() || isAppended(); }
  void emitPlace(Stream &stream, const Movement &movement, bool isUsed) const;
  void emitAppend(Stream &stream, const Movement &movement, bool isUsed) const;
  void count(evaluate::HostWork &host, const Movement &movement) const;

  /// What the program's writes send; nothing where it has none.
  void addImage(const kernel::DataSet &data, std::vector<sim::pim::ImageData> &images) const;
  /// What lies in the banks before the program runs.
  void place(const kernel::DataSet &data, sim::pim::NearBankDevice &device) const;

 private:
  /// Where a point of a sum lies: columns before its chunk, of its chunk, before it in its chunk; and its lane.
  struct Chunk {
    std::int64_t first = 0, columns = 1, column = 0, lane = 0;
  };
  struct Part {
    lower::Shares shares;
    std::int64_t firstColumn = 0, sums = 1, columns = 1;  ///< of a group; of a sum
  };

  const kernel::Access &access() const { return kernel_->loads[static_cast<std::size_t>(load_)]; }
  const kernel::Tensor &tensor() const { return graph_->tensors[static_cast<std::size_t>(access().tensor)]; }
  BankBursts bursts() const { return {firstBanks(banks_), firstColumn_, columns_, image_, 0, columns_}; }
  std::vector<Chunk> chunksOf(const Part &p, const std::vector<lower::Spot> &summed) const;
  bool sharesNewBursts() const;
  std::vector<std::pair<std::int64_t, std::int64_t>> newBursts() const;
  /// `visit(isNew, channel, bank, column, lane, offset)` for every place of every value, or of every new one; offset:
  /// of its bytes.
  template <typename Visit>
  void forEach(const Part &p, const Visit &visit, bool isNewOnly = false) const;

  std::string name_;
  const kernel::Graph *graph_;
  const kernel::Kernel *kernel_;
  int load_;
  Dims dims_;
  const machine::Machine *machine_;
  std::vector<Part> parts_;
  std::int64_t firstColumn_, columns_ = 0, channels_ = 1, banks_ = 1;
  int newRowsDim_ = -1, image_ = -1;
  std::int64_t times_ = 1;
  std::int64_t newRows_ = 0;
  HostBursts host_, newAtHost_;
};

/// The phases `place` and `append` of a process: of channels with units at work (`isUsed`), or of others, which have
/// the host's data alone.
void emitStationary(Stream &stream, const Movement &movement, std::span<const StationaryTensor> tensors, bool isUsed);
/// A program that places the constants of those, once; nothing without constants.
std::optional<program::Program> placementOf(std::vector<StationaryTensor> tensors, const Movement &movement,
                                            const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
