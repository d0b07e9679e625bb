// Sums of products on near-bank units: recognition, data layout and command stream.
//
// y[g,m,b] += w[g,m,n] * x[g,n,b], or a sum of w alone, with any number of dims of each kind. w lies in the banks
// (stationary.h). A vector of x is loaded into the operand
// buffers (in chunks, where it is longer than they are), then a column of all banks is multiplied at a time, as many
// outputs as a unit has accumulators before results move to the host. All channels do the same: what a unit has less of
// is padded with zeros. Partial results of split reductions are merged by the host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "pimento/lower/shares.h"
#include "pimento/targets/near_bank/kernel_data.h"
#include "pimento/targets/near_bank/stationary.h"

namespace pimento::targets::near_bank {

/// Loads and dims of a product by role; dims are numbers of the kernel's.
struct Product {
  int weights = -1, input = -1;  ///< indices into Kernel::loads; no input: ones
  std::vector<int> groupDims, outputDims, batchDims, reductionDims;
  bool isUpdate = false;  ///< the sum is added to what the output tensor holds
};

/// Diagnostics: unsupported-machine, unsupported-op, unsupported-type, unsupported-form.
Result<Product> recogniseProduct(const kernel::Graph &graph, int kernel, const machine::Machine &machine);

/// One subspace: its shares and where they lie. Places in banks and buffers count bursts.
struct ProductPart {
  lower::Shares shares;
  std::int64_t groups = 1, outputs = 1, batch = 1;  ///< of a unit
  std::int64_t columns = 1;                         ///< of an output
  std::int64_t firstColumn = 0, firstInput = 0, firstResult = 0;
  bool isInputPerBank = false;
  std::int64_t merged = 1;  ///< banks whose partial results the device adds up
  std::int64_t channels() const { return shares.instances[0]; }
  std::int64_t banks() const { return shares.instances[1]; }
};

/// Knows the layout of a product.
class ProductData final : public KernelData {
 public:
  ProductData(const kernel::Graph &graph, int kernel, Product product, const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        product_(std::move(product)),
        unit_(*machine.nearBank),
        weights_("weights", graph, kernel, product_.weights,
                 {product_.groupDims, product_.outputDims, product_.reductionDims, product_.batchDims}, 0, machine) {}

  /// Inputs; numbers of columns, for machines that set them; weights that the program writes.
  std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const override;
  void place(const kernel::DataSet &data, sim::pim::NearBankDevice &device) const override {
    weights_.place(data, device);
  }
  /// Merges partial results in the mapping's order and stores them in `data`.
  void collect(sim::pim::NearBankDevice &device, kernel::DataSet &data) const override;

  const Product &product() const { return product_; }
  StationaryTensor &weights() { return weights_; }
  const StationaryTensor &weights() const { return weights_; }
  std::int64_t blocksOf(const ProductPart &p) const;
  /// Result commands that move the results of a block.
  std::int64_t movesOf(const ProductPart &p) const;

  std::vector<ProductPart> parts;      ///< in execution order
  std::vector<std::int64_t> settings;  ///< numbers of columns that are set
  std::int64_t inputBursts = 0;
  std::int64_t banksPerMove = 1;
  bool isInputPerChannel = false;

 private:
  kernel::Affine elementOf(const kernel::Access &access) const;
  void loadPart(const ProductPart &p, const kernel::TensorData *x, sim::pim::ImageData &image) const;
  void collectPart(const ProductPart &p, sim::pim::NearBankDevice &device, std::vector<float> &sums,
                   std::vector<bool> &isStarted) const;

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  Product product_;
  const machine::NearBankUnit &unit_;
  StationaryTensor weights_;
};

/// Diagnostics: those of recogniseProduct and mapping::place, illegal-mapping, capacity.
Result<LoweredKernel> lowerProduct(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                   const machine::Machine &machine);

/// Spreads products over channels and outputs over banks, so that banks share the operand; then what is left.
Result<mapping::Mapping> productReference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec);

}  // namespace pimento::targets::near_bank
