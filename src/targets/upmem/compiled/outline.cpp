#include "pimento/targets/upmem/compiled/outline.h"

#include <algorithm>

#include "pimento/targets/upmem/compiled/build.h"
#include "pimento/targets/upmem/compiled/likely.h"
#include "pimento/targets/upmem/compiled/transfers.h"
#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem::compiled {

namespace {

class CompiledOutline final : public evaluate::Outline {
 public:
  CompiledOutline(Source source, const machine::Machine &machine, program::DpuCompiler *compiler,
                  std::shared_ptr<Cache> cache)
      : source_(std::move(source)), machine_(machine), compiler_(compiler), cache_(std::move(cache)) {
    host_ = Plan(source_.scheme, source_.written.arguments, nullptr).hostWork();
    least_ = leastByTransfers(source_.scheme, machine_, *cache_).cycles;
  }

  evaluate::HostWork hostWork() const override { return host_; }
  Cycles least() const override { return least_; }
  std::string_view structure() const override { return source_.written.text; }

  double slotsOfPoints() const override {
    const Scheme &scheme = source_.scheme;
    const auto valid = scheme.mostOf();
    const auto product = [](const std::vector<std::int64_t> &sizes) {
      double points = 1;
      for (const std::int64_t n : sizes) points *= static_cast<double>(n);
      return points;
    };
    double most = 0;
    for (std::int64_t t = 0; t < scheme.threads; ++t) most = std::max(most, product(scheme.validOf(valid, t)));
    return std::max(product(valid), most * static_cast<double>(machine_.dpu->issueInterval.value));
  }

  std::optional<evaluate::DeviceCost> likely(const kernel::DataSpec *values, Cache &shared) const override {
    const auto image = buildProgram(source_.written.text, 1, source_.scheme.stackBytes, compiler_, *cache_);
    if (!image) return std::nullopt;
    const Plan plan(source_.scheme, source_.written.arguments,
                    std::shared_ptr<const program::Code>(*image, &(*image)->code));
    const auto likely = likelyRun(plan, *image, *machine_.dpu, {constantOf(values), values}, shared);
    if (!likely) return std::nullopt;
    RunResult r;
    r.cycles = likely->cycles;
    r.counts = likely->counts;
    DpuTotal total;
    total.add(r, plan.dpus());
    return total.run(machine_, host_.ranks, plan.dpus(), 1);
  }

 private:
  static std::optional<double> constantOf(const kernel::DataSpec *values) {
    using Kind = kernel::DataSpec::Kind;
    if (values == nullptr || values->kind == Kind::kRandom || values->kind == Kind::kUniform) return std::nullopt;
    return values->kind == Kind::kOne ? 1 : values->kind == Kind::kZero ? 0 : values->low;
  }

  Source source_;
  const machine::Machine &machine_;
  program::DpuCompiler *compiler_;
  std::shared_ptr<Cache> cache_;
  evaluate::HostWork host_;
  Cycles least_;
};

}  // namespace

Result<std::unique_ptr<evaluate::Outline>> outline(const evaluate::GraphPart &part, const mapping::Mapping &mapping,
                                                   const machine::Machine &machine, program::DpuCompiler *compiler,
                                                   std::shared_ptr<Cache> cache) {
  Result<Source> source = writeSource(*part.graph, part.first, mapping, machine);
  if (!source) return source.diagnostics();
  return std::unique_ptr<evaluate::Outline>(
      std::make_unique<CompiledOutline>(std::move(*source), machine, compiler, std::move(cache)));
}

}  // namespace pimento::targets::upmem::compiled
