// Samples of a program whose time depends on its data: fewer rounds of it, on data made the same way.
//
// What all rounds read (a vector, the second matrix) is the run's own; what each round reads once is made anew for each
// sample. Rounds are those of the program where they are short enough, else parts of them: a row of a matrix, the
// columns of a tile, a chunk along the sum. For parts the time that whole rounds take besides is measured once, on
// constants.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/measured/lower.h"

namespace pimento::targets::upmem::measured {

class Sampler {
 public:
  /// All must outlive it.
  Sampler(const kernel::Graph &graph, const machine::Machine &machine, const Layout &layout,
          std::shared_ptr<const sim::dpu::Image> image, const kernel::DataSpec &values);

  /// The ways to cut the work of a tasklet into parts, coarsest first.
  int ways() const;
  /// Parts of a tasklet's share.
  std::int64_t parts(int way) const;
  /// Most that a sample can have: parts of one part of the next coarser way.
  std::int64_t span(int way) const { return way == 0 ? parts(0) : parts(way) / parts(way - 1); }

  /// What a tasklet is given, and the extents of the kernel's dims.
  struct Cut {
    Work work;
    std::vector<std::int64_t> extents;
  };
  /// A DPU that is ready to run so much of it on the data of a sample. `hasOwnShared`: what all rounds read is made
  /// anew as well.
  sim::dpu::Dpu onSample(const Cut &cut, const std::string &sample, bool hasOwnShared) const;
  /// A DPU with program and arguments in it, and no operands; and where these go.
  sim::dpu::Dpu loaded(const Layout &layout) const;

  /// Runs `parts` of them on the data of sample number `sample`.
  sim::dpu::RunResult run(int way, std::int64_t parts, std::int64_t sample) const;
  /// The same on constants, by fast-forward; all parts: the program as it is. Nothing if that is not possible.
  std::optional<sim::dpu::RunResult> onConstants(int way, std::int64_t parts) const;

 private:
  Cut cut(int way, std::int64_t parts) const;

  const kernel::Graph &graph_;
  const machine::Machine &machine_;
  const Layout &layout_;
  std::shared_ptr<const sim::dpu::Image> image_;
  kernel::DataSpec values_;
  kernel::DataSet shared_;  ///< what all rounds read
};

}  // namespace pimento::targets::upmem::measured
