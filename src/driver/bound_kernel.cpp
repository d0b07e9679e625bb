#include "pimento/driver/bound_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pimento/base/text.h"
#include "pimento/driver/convert_option.h"
#include "pimento/driver/job.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/verbs/evaluated.h"
#include "pimento/driver/verbs/tune.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/rounds.h"

namespace pimento::driver {

namespace {

bool isRead(kernel::Role role) {
  return role == kernel::Role::kInput || role == kernel::Role::kInOut;
}

bool isWritten(kernel::Role role) {
  return role == kernel::Role::kOutput || role == kernel::Role::kInOut;
}

constexpr std::string_view kTune = "tune", kKept = "kept";

}  // namespace

bool isTuned(const Options &options) {
  return options.maps.size() == 1 && (options.maps.front() == kTune || options.maps.front() == kKept);
}

BoundKernel::BoundKernel(Options options, std::unique_ptr<Job> job)
    : options_(std::move(options)), job_(std::move(job)), last_(std::make_unique<evaluate::Evaluation>()) {
  const std::vector<kernel::Tensor> &all = job_->input.graph->tensors;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (all[t].role == kernel::Role::kTemporary || job_->input.contents.contains(static_cast<int>(t))) continue;
    tensors_.push_back(all[t]);
    numbers_.push_back(t);
  }
  if (!job_->input.contents.empty()) given_ = contentsOf(job_->input);
}

BoundKernel::~BoundKernel() = default;

Result<std::unique_ptr<BoundKernel>> BoundKernel::make(const Options &given) {
  Options options = withTarget(given);
  if (isTuned(options)) {
    Options search = options;
    search.maps.clear();
    if (options.maps.front() == kKept) {
      Result<std::optional<std::string>> map = keptMap(search);
      if (!map) return map.diagnostics();
      if (!*map) return std::unique_ptr<BoundKernel>();
      options.maps = {std::move(**map)};
    } else {
      Result<std::string> map = tunedMap(search);
      if (!map) return map.diagnostics();
      options.maps = {std::move(*map)};
    }
  }
  options.store.clear();
  Result<std::unique_ptr<Job>> job = loadJob(options, options.target, true);
  if (!job) return job.diagnostics();
  if (!(*job)->input.graph)
    return usageError("bound-program", options.input, "a device program has no tensors that arrays could be given for",
                      "pass a kernel: index notation, a name, or an .mlir, C or .cnm text");
  std::unique_ptr<BoundKernel> made(new BoundKernel(std::move(options), std::move(*job)));
  evaluate::Request request = made->job_->request(made->options_);
  Result<evaluate::CompiledGraph> compiled = evaluate::compile(request);
  if (!compiled) return compiled.diagnostics();
  made->last_->compiled = std::move(*compiled);
  made->describe();
  return made;
}

const std::string &BoundKernel::target() const {
  return job_->machine.name;
}

std::string BoundKernel::map() const {
  return options_.maps.empty() ? "auto" : join(options_.maps, "|");
}

Bytes BoundKernel::capacity() const {
  return job_->target->capacity(job_->machine);
}

void BoundKernel::describe() {
  for (const evaluate::PlannedPart &p : last_->compiled) {
    Part part{"", p.compiled != nullptr ? p.mapping.text : "", p.compiled != nullptr ? p.mappingWhy : p.why,
              p.compiled == nullptr};
    for (int k = p.first; k < p.first + p.count; ++k)
      part.kernel += (part.kernel.empty() ? "" : "+") + job_->graph()->kernels[static_cast<std::size_t>(k)].name;
    parts_.push_back(std::move(part));
    if (p.compiled != nullptr) footprint_ = std::max(footprint_, p.compiled->footprint());
  }
}

Evaluated BoundKernel::answer(const evaluate::Report &report) const {
  evaluate::Report named = report;
  nameReport(named, job_->input);
  return {std::move(named), runOf(VerbId::kSimulate, options_, job_->machine)};
}

Status BoundKernel::compileAndRun(const evaluate::Request &request) {
  // A run that fails gives nothing back, and takes what it was given.
  Result<evaluate::CompiledGraph> compiled = last_->compiled.empty()
                                                 ? evaluate::compile(request)
                                                 : Result<evaluate::CompiledGraph>(std::move(last_->compiled));
  if (!compiled) return compiled.diagnostics();
  last_->compiled.clear();
  Result<evaluate::Evaluation> done = evaluate::evaluateRecorded(request, std::move(*compiled));
  if (!done) return done.diagnostics();
  *last_ = std::move(*done);
  return okStatus();
}

Result<Evaluated> BoundKernel::simulate(kernel::DataSet &data) {
  evaluate::Request request = job_->request(options_);
  request.isSimulation = true;
  request.data = &data;
  if (Status s = compileAndRun(request); !s) return s.diagnostics();
  return answer(last_->report);
}

/// Every run of every kernel, in the order that its mapping accumulates in.
Status BoundKernel::interpret(kernel::DataSet &data) const {
  const kernel::Graph &graph = *job_->graph();
  std::vector<int> order;
  for (int p = 0; p < static_cast<int>(last_->compiled.size()); ++p) order.push_back(p);
  if (job_->rounds != nullptr) order = job_->rounds->runs;
  for (const int p : order) {
    const evaluate::PlannedPart &part = last_->compiled[static_cast<std::size_t>(p)];
    const bool isChecked = part.compiled != nullptr && part.compiled->whyUnchecked().empty();
    const auto orders = evaluate::ordersOf(isChecked ? part.compiled.get() : nullptr, part.count);
    for (int k = 0; k < part.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (Status s =
              kernel::interpretKernel(graph, part.first + k, data, at < orders.size() ? orders[at] : kernel::Order());
          !s)
        return s;
    }
  }
  return okStatus();
}

Result<Evaluated> BoundKernel::estimate(kernel::DataSet &data) {
  const bool dependsOnData = job_->target->generatesCode();
  if (dependsOnData || !estimated_) {
    evaluate::Request request = job_->request(options_);
    request.values.reset();
    request.contents = dependsOnData ? &data : nullptr;
    if (Status s = compileAndRun(request); !s) return s.diagnostics();
    if (!dependsOnData) estimated_ = std::make_unique<const evaluate::Report>(last_->report);
  }
  kernel::DataSet results = std::move(data);
  for (std::size_t t = 0; t < results.size(); ++t) {
    const kernel::Tensor &tensor = job_->graph()->tensors[t];
    if (!isRead(tensor.role)) results[t] = kernel::TensorData(tensor.type, tensor.shape);
  }
  if (Status s = interpret(results); !s) return s.diagnostics();
  data = std::move(results);
  return answer(estimated_ ? *estimated_ : last_->report);
}

Result<Evaluated> BoundKernel::run(BoundMode mode, std::span<void *const> arrays) {
  PIMENTO_CHECK(arrays.size() == tensors_.size());
  const std::lock_guard lock(mutex_);
  kernel::DataSet data(job_->graph()->tensors.size());
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (!isRead(tensors_[a].role)) continue;
    kernel::TensorData &t = data[numbers_[a]];
    t.type = tensors_[a].type;
    t.shape = tensors_[a].shape;
    const auto *from = static_cast<const std::byte *>(arrays[a]);
    t.bytes.assign(from, from + tensors_[a].elements() * sizeOf(tensors_[a].type).value);
  }
  for (std::size_t t = 0; t < given_.size(); ++t)
    if (!given_[t].bytes.empty()) data[t] = given_[t];
  Result<Evaluated> done = mode == BoundMode::kSimulate ? simulate(data) : estimate(data);
  if (!done) return done;
  for (std::size_t a = 0; a < arrays.size(); ++a)
    if (isWritten(tensors_[a].role)) {
      const std::vector<std::byte> &bytes = data[numbers_[a]].bytes;
      std::memcpy(arrays[a], bytes.data(), bytes.size());
    }
  return done;
}

}  // namespace pimento::driver
