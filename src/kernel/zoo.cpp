#include "pimento/kernel/zoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/networks.h"
#include "pimento/kernel/notation.h"

namespace pimento::kernel {

namespace {

struct Request {
  Sizes sizes;  ///< complete
  DType type;
  std::string variant;

  std::int64_t size(const std::string &name) const { return sizes.at(name); }
};

/// A row of the table: what users see, and how the graph is made.
struct Row {
  ZooEntry entry;
  std::function<Result<Graph>(const Request &)> build;
};

/// A kernel that index notation says in full.
auto notation(std::string text) {
  return [text = std::move(text)](const Request &request) -> Result<Graph> {
    return parseNotation(text, request.sizes, request.type, "<zoo>");
  };
}

Result<Graph> gemv(const Request &request) {
  Sizes sizes = request.sizes;
  const bool isBatched = sizes.at("batch") > 1;
  if (!isBatched) sizes.erase("batch");
  const char *text = isBatched ? "Y[batch,m] += A[m,n] * X[batch,n]" : "y[m] += A[m,n] * x[n]";
  return parseNotation(text, sizes, request.type, "<zoo>");
}

/// One of `texts` by whether there is a batch of rows.
Result<Graph> ofRows(const Request &request, const char *one, const char *many) {
  Sizes sizes = request.sizes;
  const bool isBatched = sizes.at("batch") > 1;
  if (!isBatched) sizes.erase("batch");
  return parseNotation(isBatched ? many : one, sizes, request.type, "<zoo>");
}

Result<Graph> reduction(const Request &request) {
  return request.variant == "measured" ? ofRows(request, "s[0] += x[n] + y[n]", "s[batch] += x[batch,n] + y[batch,n]")
                                       : ofRows(request, "s[0] += x[n]", "s[batch] += x[batch,n]");
}

/// Element-wise, of rows.
auto elementwise(const char *one, const char *many) {
  return [=](const Request &request) { return ofRows(request, one, many); };
}

/// y[r,len] += K[r,len,dhead] * q[r,dhead], r = batch * heads: attention's scores.
Result<Graph> headedGemv(const Request &request) {
  const std::int64_t rows = multiplySaturated(request.size("batch"), request.size("heads"));
  const std::int64_t dhead = request.size("dhead"), len = request.size("len");
  if (multiplySaturated(rows, multiplySaturated(dhead, len)) > std::int64_t{1} << 40)
    return usageError("bad-extent", "--size", "batch * heads * dhead * len is above 2^40", "use smaller sizes");
  KernelBuilder b(
      "bgemv",
      {{"r", rows, DimKind::kParallel}, {"dhead", dhead, DimKind::kReduction}, {"len", len, DimKind::kParallel}});
  const int key = b.load(0, request.type, {b.index(0), b.index(2), b.index(1)});
  const int query = b.load(1, request.type, {b.index(0), b.index(1)});
  b.store(2, {b.index(0), b.index(2)}, b.op(Op::kMul, request.type, key, query), Combine::kAdd);
  Graph graph;
  graph.tensors = {{"K", request.type, {rows, len, dhead}, Role::kInput},
                   {"q", request.type, {rows, dhead}, Role::kInput},
                   {"y", request.type, {rows, len}, Role::kOutput}};
  graph.kernels.push_back(b.take());
  return graph;
}

Result<Graph> attention(const Request &request) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(request.size("dhead")));
  const std::string text = fmt::format(
      "dot[batch,heads,len] += q[batch,heads,dhead] * K[batch,heads,len,dhead]\n"
      "score[batch,heads,len] = dot[batch,heads,len] * {}\n"
      "peak[batch,heads] max= score[batch,heads,len]\n"
      "e[batch,heads,len] = exp(score[batch,heads,len] - peak[batch,heads])\n"
      "total[batch,heads] += e[batch,heads,len]\n"
      "weight[batch,heads,len] = e[batch,heads,len] / total[batch,heads]\n"
      "o[batch,heads,dhead] += weight[batch,heads,len] * V[batch,heads,len,dhead]\n",
      numberText(scale));
  return parseNotation(text, request.sizes, request.type, "<zoo>");
}

Graph graphOf(Kernel kernel, std::vector<Tensor> tensors) {
  Graph graph;
  graph.tensors = std::move(tensors);
  graph.kernels.push_back(std::move(kernel));
  return graph;
}

/// y = the even values of x in order, count = how many.
Result<Graph> selection(const Request &request) {
  const std::int64_t n = request.size("n");
  KernelBuilder b("sel", {{"n", n, DimKind::kParallel}});
  const int x = b.load(0, request.type, {b.index(0)});
  const int lowestBit = b.op(Op::kAnd, request.type, x, b.integer(request.type, 1));
  const int isEven = b.op(Op::kCmpEq, DType::kU8, lowestBit, b.integer(request.type, 0));
  b.store(1, {b.index(0)}, x);
  b.store(2, {b.at(0)}, b.integer(DType::kU32, 1), Combine::kAdd);
  b.select(isEven);
  return graphOf(b.take(), {{"x", request.type, {n}, Role::kInput},
                            {"y", request.type, {n}, Role::kOutput},
                            {"count", DType::kU32, {1}, Role::kOutput}});
}

/// h[x * bins >> 12] += 1: 12-bit data, as in PrIM's HST. Narrow types are widened so that the product fits.
Result<Graph> histogram(const Request &request) {
  const std::int64_t n = request.size("n"), bins = request.size("bins");
  const bool isNarrow = sizeOf(request.type).value < 4;
  const DType wide = !isNarrow ? request.type : isSigned(request.type) ? DType::kI32 : DType::kU32;
  KernelBuilder b("hst", {{"n", n, DimKind::kReduction}});
  const int x = b.cast(wide, b.load(0, request.type, {b.index(0)}));
  const int scaled = b.op(Op::kMul, wide, x, b.integer(wide, bins));
  const int bin = b.op(Op::kShr, wide, scaled, b.integer(wide, 12));
  b.store({1, {b.at(0)}, 0, bin}, b.integer(DType::kU32, 1), Combine::kAdd);
  return graphOf(b.take(), {{"x", request.type, {n}, Role::kInput}, {"h", DType::kU32, {bins}, Role::kOutput}});
}

/// y[n] = x[0] + ... + x[n]; `total` carries the sum from point to point.
Result<Graph> scan(const Request &request) {
  const std::int64_t n = request.size("n");
  KernelBuilder b("scan", {{"n", n, DimKind::kSequential}});
  const int x = b.load(0, request.type, {b.index(0)});
  const int sum = b.op(Op::kAdd, request.type, b.load(1, request.type, {b.at(0)}), x);
  b.store(2, {b.index(0)}, sum);
  b.store(1, {b.at(0)}, x, Combine::kAdd);
  return graphOf(b.take(), {{"x", request.type, {n}, Role::kInput},
                            {"total", request.type, {1}, Role::kTemporary},
                            {"y", request.type, {n}, Role::kOutput}});
}

Result<Graph> residualNetwork(const Request &request) {
  const std::int64_t depth = request.size("depth");
  if (depth != 18 && depth != 50)
    return usageError("bad-extent", "--size", fmt::format("ResNet of depth {} does not exist", depth),
                      "use depth 18 or 50");
  return resnet(depth, request.type);
}

Result<Graph> speechTransformer(const Request &request) {
  constexpr std::int64_t kMostLayers = 100;  // 2000 kernels
  const std::int64_t layers = request.size("layers");
  if (layers > kMostLayers)
    return usageError("bad-extent", "--size", fmt::format("a transformer of {} layers", layers),
                      fmt::format("use 1 to {} layers; wav2vec 2.0 base has 12, large 24", kMostLayers));
  return wav2(request.size("frames"), layers, request.type);
}

std::vector<DType> typesWhere(bool (*isWanted)(DType)) {
  std::vector<DType> types;
  std::copy_if(allDTypes().begin(), allDTypes().end(), std::back_inserter(types), isWanted);
  return types;
}

/// The table of kernels, long because it has one row per kernel.
std::vector<Row> makeRows() {
  const auto any = allDTypes();
  const auto floating = typesWhere([](DType t) { return isFloat(t); });
  const auto integers = typesWhere([](DType t) { return !isFloat(t); });
  constexpr std::int64_t kMany = 1 << 20;
  const std::vector<std::string> plain{"plain"};
  const auto add = elementwise("z[n] = x[n] + y[n]", "z[batch,n] = x[batch,n] + y[batch,n]");
  const Sizes n{{"n", kMany}}, rows{{"n", kMany}, {"batch", 1}};
  return {
      {{"gemv",
        "matrix-vector product: y[m] += A[m,n] * x[n]; batch > 1: Y[batch,m] += A[m,n] * X[batch,n]",
        {"plain", "tree"},
        {{"m", 4096}, {"n", 4096}, {"batch", 1}},
        any,
        ""},
       gemv},
      {{"bgemv",
        "a matrix-vector product per head: y[r,len] += K[r,len,dhead] * q[r,dhead], r = batch * heads",
        plain,
        {{"batch", 1}, {"heads", 32}, {"dhead", 128}, {"len", 1024}},
        any,
        ""},
       headedGemv},
      {{"gemvrelu",
        "one neural layer: y[m] += A[m,n] * x[n]; z[m] = relu(y[m] + b[m])",
        plain,
        {{"m", 4096}, {"n", 4096}},
        any,
        ""},
       notation("y[m] += A[m,n] * x[n]; z[m] = relu(y[m] + b[m])")},
      {{"va", "vector addition: z[n] = x[n] + y[n]; batch > 1: of rows", plain, rows, any, ""}, add},
      {{"add", "the same as va", plain, rows, any, ""}, add},
      {{"mul", "element-wise product: z[n] = x[n] * y[n]; batch > 1: of rows", plain, rows, any, ""},
       elementwise("z[n] = x[n] * y[n]", "z[batch,n] = x[batch,n] * y[batch,n]")},
      {{"relu", "rectifier: y[n] = relu(x[n]), +0 where the sign bit is set; batch > 1: of rows", plain, rows, any, ""},
       elementwise("y[n] = relu(x[n])", "y[batch,n] = relu(x[batch,n])")},
      {{"axpy", "scaled addition: z[n] = 2 * x[n] + y[n]", plain, n, any, ""}, notation("z[n] = 2 * x[n] + y[n]")},
      {{"red",
        "sum: s += x[n]; measured: s += x[n] + y[n]; batch > 1: one sum per row",
        {"plain", "measured"},
        rows,
        any,
        ""},
       reduction},
      {{"sel",
        "selection: the even values of x in order, and their count; measured: same, one result per tasklet",
        {"plain", "measured"},
        n,
        integers,
        ""},
       selection},
      {{"hst",
        "histogram of 12-bit data: h[x[n] * bins >> 12] += 1; measured: same, one result per tasklet",
        {"plain", "measured"},
        {{"n", kMany}, {"bins", 256}},
        integers,
        "uniform:0,4095"},
       histogram},
      {{"scan", "inclusive prefix sum: y[n] = x[0] + ... + x[n]", plain, n, any, ""}, scan},
      {{"gemm", "matrix product: C[m,n] += A[m,k] * B[k,n]", plain, {{"m", 256}, {"n", 256}, {"k", 256}}, any, ""},
       notation("C[m,n] += A[m,k] * B[k,n]")},
      {{"attn",
        "attention of one decoded token: softmax(q K^T / sqrt(dhead)) V per head",
        plain,
        {{"batch", 1}, {"heads", 32}, {"dhead", 128}, {"len", 1024}},
        floating,
        ""},
       attention},
      {{"mlp",
        "two layers: h = relu(A x + b), y = B h + c",
        plain,
        {{"n", 1024}, {"hidden", 4096}, {"m", 1024}},
        any,
        ""},
       notation("s[hidden] += A[hidden,n] * x[n]; h[hidden] = relu(s[hidden] + b[hidden])\n"
                "t[m] += B[m,hidden] * h[hidden]; y[m] = t[m] + c[m]")},
      {{"rnnt", "RNN-T speech recognition, one step: two frames, one token", plain, {}, floating, "", true},
       [](const Request &r) -> Result<Graph> { return rnnt(r.type); }},
      {{"alexnet", "AlexNet on one 224 x 224 image", plain, {}, floating, "", true},
       [](const Request &r) -> Result<Graph> { return alexnet(r.type); }},
      {{"resnet", "ResNet of depth 18 or 50 on one 224 x 224 image", plain, {{"depth", 50}}, floating, "", true},
       residualNetwork},
      {{"wav2",
        "wav2vec 2.0 base: transformer layers over frames of speech (49 are one second)",
        plain,
        {{"frames", 49}, {"layers", 12}},
        floating,
        "",
        true},
       speechTransformer},
  };
}

const std::vector<Row> &rows() {
  static const std::vector<Row> kRows = makeRows();
  return kRows;
}

std::vector<std::string> zooNames() {
  std::vector<std::string> names;
  for (const ZooEntry &entry : zoo()) names.push_back(entry.name);
  return names;
}

Status checkRequest(const ZooEntry &entry, const Sizes &given, const Request &request) {
  Diagnostics findings;
  std::vector<std::string> legal;
  for (const auto &[size, value] : entry.defaults) legal.push_back(size);
  for (const auto &[size, value] : given) {
    if (!entry.defaults.contains(size)) {
      findings.push_back(usageError("unknown-size", "--size", fmt::format("'{}' has no size '{}'", entry.name, size),
                                    suggest(size, legal)));
    } else if (value < 1) {
      findings.push_back(
          usageError("bad-extent", "--size", fmt::format("size '{}' is {}", size, value), "sizes must be at least 1"));
    }
  }
  if (std::find(entry.variants.begin(), entry.variants.end(), request.variant) == entry.variants.end()) {
    findings.push_back(usageError("unknown-variant", "--variant",
                                  fmt::format("'{}' has no variant '{}'", entry.name, request.variant),
                                  suggest(request.variant, entry.variants)));
  }
  if (!entry.isDefinedFor(request.type)) {
    std::vector<std::string> names;
    for (const DType t : entry.types) names.emplace_back(name(t));
    findings.push_back(unsupported("unsupported-type", {},
                                   fmt::format("'{}' is not defined for {}", entry.name, name(request.type)),
                                   "choices: " + join(names, ", ")));
  }
  if (!findings.empty()) return findings;
  return okStatus();
}

}  // namespace

const std::vector<ZooEntry> &zoo() {
  static const std::vector<ZooEntry> kEntries = [] {
    std::vector<ZooEntry> entries;
    for (const Row &row : rows()) entries.push_back(row.entry);
    return entries;
  }();
  return kEntries;
}

const ZooEntry *zooEntry(std::string_view name) {
  const auto found = std::find_if(zoo().begin(), zoo().end(), [name](const ZooEntry &e) { return e.name == name; });
  return found == zoo().end() ? nullptr : &*found;
}

Result<Graph> makeZooKernel(std::string_view name, const Sizes &sizes, DType type, std::string_view variant) {
  const auto row = std::find_if(rows().begin(), rows().end(), [name](const Row &r) { return r.entry.name == name; });
  if (row == rows().end()) {
    return error("unknown-kernel", {}, fmt::format("unknown kernel '{}'", name), suggest(name, zooNames()));
  }
  Request request{sizes, type, variant.empty() ? row->entry.variants.front() : std::string(variant)};
  request.sizes.insert(row->entry.defaults.begin(), row->entry.defaults.end());
  if (Status status = checkRequest(row->entry, sizes, request); !status) return status.diagnostics();
  auto graph = row->build(request);
  if (!graph) return graph;
  graph->name = row->entry.name;
  if (graph->kernels.size() == 1) graph->kernels[0].name = row->entry.name;
  for (Kernel &kernel : graph->kernels) kernel.where = {};
  if (Status status = verify(*graph); !status) return status.diagnostics();
  return graph;
}

}  // namespace pimento::kernel
