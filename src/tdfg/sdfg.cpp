#include "pimento/tdfg/sdfg.h"

#include <algorithm>
#include <array>

namespace pimento::tdfg {

std::string_view name(StreamKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"load", "store", "reduce", "update"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<int> reusedIn(const StreamAccess &access, std::size_t dims) {
  std::vector<int> reused;
  for (std::size_t d = 0; d < dims; ++d) {
    const bool moves =
        std::any_of(access.index.begin(), access.index.end(), [d](const StreamIndex &i) { return i.factors[d] != 0; });
    if (!moves && access.indirectAt < 0) reused.push_back(static_cast<int>(d));
  }
  return reused;
}

StreamKind kindOfStore(const Streams &streams, std::size_t store) {
  if (streams.nest.stores[store].combine == kernel::Combine::kAssign) return StreamKind::kStore;
  return reusedIn(streams.targets[store], streams.dims.size()).empty() ? StreamKind::kUpdate : StreamKind::kReduce;
}

namespace {

std::optional<kernel::Affine> bind(const StreamIndex &index, const Values &values) {
  const auto constant = valueOf(index.form, values);
  if (!constant) return std::nullopt;
  return kernel::Affine{index.factors, *constant};
}

bool bind(const StreamAccess &access, const Values &values, kernel::Access &bound) {
  bound.tensor = access.array;
  bound.indirectAt = access.indirectAt;
  bound.indirectIndex = access.indirectIndex;
  bound.index.clear();
  for (const StreamIndex &index : access.index) {
    auto affine = bind(index, values);
    if (!affine) return false;
    bound.index.push_back(std::move(*affine));
  }
  return true;
}

}  // namespace

std::optional<kernel::Kernel> bindStreams(const Streams &streams, const Values &values) {
  kernel::Kernel kernel = streams.nest;
  kernel.dims.clear();
  kernel.guards.clear();
  for (const StreamDim &dim : streams.dims) {
    const auto extent = valueOf(dim.extent, values);
    if (!extent || *extent < 1) return std::nullopt;
    kernel.dims.push_back({dim.name, *extent, dim.kind});
  }
  kernel.loads.resize(streams.loads.size());
  for (std::size_t l = 0; l < streams.loads.size(); ++l)
    if (!bind(streams.loads[l], values, kernel.loads[l])) return std::nullopt;
  for (std::size_t s = 0; s < streams.targets.size(); ++s)
    if (!bind(streams.targets[s], values, kernel.stores[s].target)) return std::nullopt;
  for (const StreamIndex &guard : streams.guards) {
    auto affine = bind(guard, values);
    if (!affine) return std::nullopt;
    kernel.guards.push_back(std::move(*affine));
  }
  for (const Streams::FormValue &f : streams.forms) {
    kernel::Value &value = kernel.body[static_cast<std::size_t>(f.value)];
    const auto x = valueOf(f.form, values);
    if (!x) return std::nullopt;
    value.integer = wrapInteger(value.type, *x);
  }
  return kernel;
}

}  // namespace pimento::tdfg
