#include "pimento/driver/kernel_files.h"

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/driver/data_folder.h"

namespace pimento::driver {

namespace {

kernel::ZooEntry entry(std::string name, std::string about, kernel::Sizes sizes) {
  kernel::ZooEntry e;
  e.name = std::move(name);
  e.about = std::move(about);
  e.variants = {"plain"};
  e.defaults = std::move(sizes);
  e.types = {DType::kF32};
  return e;
}

/// Infinity Stream, Table 3, figures 2 and 4.
std::vector<kernel::ZooEntry> makeEntries() {
  constexpr std::int64_t kLine = std::int64_t{4} << 20, kSide = 2048, kPoints = std::int64_t{32} << 10;
  const kernel::Sizes plane{{"m", kSide}, {"n", kSide}}, cube{{"l", kSide}, {"m", kSide}, {"n", kSide}};
  const kernel::Sizes means{{"p", kPoints}, {"d", 128}, {"c", 128}};
  const kernel::Sizes layers{{"m", kPoints}, {"f", 4096}, {"k", 128}};
  return {entry("stencil1d", "ten steps of a three-point stencil", {{"n", kLine}}),
          entry("stencil2d", "ten steps of a five-point stencil", plane),
          entry("stencil3d", "ten steps of a seven-point stencil", {{"l", 16}, {"m", 512}, {"n", 512}}),
          entry("dwt2d", "one level of the 5/3 wavelet transform, in place", plane),
          entry("gauss_elim", "Gaussian elimination without pivoting", {{"n", kSide}}),
          entry("conv2d", "a 3x3 convolution with symmetric weights", plane),
          entry("conv3d", "a layer of 3x3 convolutions, taps written out",
                {{"in", 64}, {"out", 64}, {"h", 256}, {"w", 256}}),
          entry("mm_in", "matrix product as inner products", cube),
          entry("mm_out", "matrix product as a sum of outer products", cube),
          entry("kmeans_in", "one pass of k-means, by inner products", means),
          entry("kmeans_out", "one pass of k-means, dimension by dimension", means),
          entry("gather_mlp_in", "gathered features through three layers of inner products", layers),
          entry("gather_mlp_out", "gathered features through three layers of outer products", layers),
          entry("fig4a", "Infinity Stream's figure 4 (a): three shifted tensors", {{"n", kLine}}),
          entry("fig4b", "Infinity Stream's figure 4 (b): a sum", {{"n", kLine}}),
          entry("fig4c", "Infinity Stream's figure 4 (c): step k of Gaussian elimination", {{"n", kSide}, {"k", 1}}),
          entry("vec_add", "C = A + B", {{"n", kLine}}),
          entry("array_sum", "the sum of an array", {{"n", kLine}})};
}

/// Names that --size gives a value.
bool isGiven(const Options &options, std::string_view name) {
  for (const std::string &text : options.sizes)
    for (const std::string_view part : split(text, ','))
      if (trim(part.substr(0, part.find('='))) == name) return true;
  return false;
}

}  // namespace

const std::vector<kernel::ZooEntry> &kernelFiles() {
  static const std::vector<kernel::ZooEntry> kEntries = makeEntries();
  return kEntries;
}

const kernel::ZooEntry *kernelFile(std::string_view name) {
  const auto at = std::ranges::find(kernelFiles(), name, &kernel::ZooEntry::name);
  return at == kernelFiles().end() ? nullptr : &*at;
}

Options withKernelFileAlone(const Options &options) {
  Options out = options;
  if (kernelFile(options.input) != nullptr && !options.text)
    out.input = dataFolder("kernels") + "/infinity-stream/" + options.input + ".c";
  return out;
}

Options withKernelFile(const Options &options) {
  Options out = withKernelFileAlone(options);
  if (out.input == options.input) return out;
  for (const auto &[name, value] : kernelFile(options.input)->defaults)
    if (!isGiven(options, name)) out.sizes.push_back(name + "=" + std::to_string(value));
  return out;
}

std::vector<std::string> allKernelNames() {
  std::vector<std::string> names;
  for (const std::vector<kernel::ZooEntry> *entries : {&kernel::zoo(), &kernelFiles()})
    for (const kernel::ZooEntry &e : *entries) names.push_back(e.name);
  return names;
}

}  // namespace pimento::driver
