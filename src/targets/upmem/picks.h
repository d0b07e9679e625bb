// Which part of a run's data a sample has, and where it goes.
//
// Of each dim that is cut every tasklet has some granules, one drawn from each of as many equal stretches of its share,
// in order, and the points behind the last whole granule. Samples of one number draw the same of equal shares.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/lower/host_data.h"
#include "pimento/targets/upmem/memory.h"

namespace pimento::targets::upmem {

/// What samples read: the tensors of the run, made as `values` says, once they are asked for. Of those too large to be
/// made as a whole each sample has other elements of the same kind.
class SampleData {
 public:
  /// `graph` must outlive it.
  SampleData(const kernel::Graph &graph, const kernel::DataSpec &values);

  /// The elements of one tensor for one sample.
  class Reader {
   public:
    Reader(const SampleData &data, int tensor, std::uint64_t number);
    void copy(const lower::Row &row, std::byte *to);

   private:
    const kernel::TensorData *own_ = nullptr;
    kernel::TensorData made_;
    std::int64_t next_ = 0;
  };

 private:
  struct Tensor {
    std::once_flag isMade;
    kernel::TensorData data;
  };

  const kernel::Graph &graph_;
  kernel::DataSpec values_;
  mutable std::vector<Tensor> tensors_;
};

class Picks {
 public:
  /// Of DPU number `dpu`. `whole` is of the run and must outlive it; `granules`: per dim; `ranges`: points of a
  /// tasklet, as many as there are where a dim is not cut. `number`: of the sample. `areAlike`: all tasklets have what
  /// one has.
  Picks(const lower::Scheme &whole, std::int64_t dpu, lower::PerDim ranges, const lower::PerDim &granules,
        std::uint64_t number, bool areAlike = false);
  /// The first points of each tasklet.
  Picks(const lower::Scheme &whole, std::int64_t dpu, lower::PerDim ranges);

  /// How many values of each dim the DPU has that are no padding.
  const lower::PerDim &valid() const { return valid_; }
  /// Writes the operands of the program that `plan` is for.
  void place(sim::dpu::Dpu &dpu, const HostPlan &plan, const SampleData &data) const;

 private:
  /// Neighbouring points: where they stand in the DPU's share, and in the sample.
  struct Stretch {
    std::int64_t from = 0, count = 0, at = 0;
  };
  using Stretches = std::vector<Stretch>;

  std::int64_t pointsOf(std::size_t dim, std::int64_t valid) const;
  static void cutTo(std::int64_t points, Stretches &stretches);
  Stretches draw(std::size_t dim, std::int64_t coordinate, std::int64_t valid) const;
  Stretches stretchesOf(const lower::Operand &o, std::int64_t array, std::size_t dim) const;
  Block block(const HostPlan &plan, const lower::Operand &o, std::int64_t array, SampleData::Reader &reader) const;

  const lower::Scheme &whole_;
  lower::PerDim base_, ranges_, granules_, valid_;  ///< granule 0: the first points
  std::uint64_t number_;
  std::vector<std::vector<Stretches>> drawn_;  ///< by dim and number of the share along it
};

}  // namespace pimento::targets::upmem
