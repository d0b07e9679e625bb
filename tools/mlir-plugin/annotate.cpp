// pimento-annotate: asks about every linalg op of a module.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "attributes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes.h"
#include "pimento/base/text.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/mapping_option.h"
#include "pimento/driver/option_table.h"
#include "pimento/mapping/mapping.h"
#include "slice.h"
#include "verdict.h"

namespace pimento::mlirplugin {

namespace {

bool hasDynamicShape(const Slice &slice) {
  return std::any_of(slice.arguments.begin(), slice.arguments.end(), [](mlir::Value v) {
    const auto shaped = mlir::dyn_cast<mlir::ShapedType>(v.getType());
    return v.getType().isIndex() || (shaped && shaped.hasRank() && !shaped.hasStaticShape());
  });
}

bool hasEncoding(const Slice &slice) {
  return std::any_of(slice.arguments.begin(), slice.arguments.end(), [](mlir::Value v) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(v.getType());
    return tensor && tensor.getEncoding();
  });
}

/// Whether `size` names a loop that `op` has not: one list serves all ops.
bool isOfMoreLoops(const std::string &size, mlir::Operation *op) {
  auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(op);
  if (!linalg || size.size() < 2 || size[0] != 'd') return false;
  const auto loop = parseInteger(std::string_view(size).substr(1, size.find('=') - 1));
  return loop && *loop >= linalg.getNumLoops();
}

/// Six digits, which is what MLIR prints in decimals: longer numbers it prints in hexadecimals.
double rounded(double value) {
  return parseNumber(fmt::format("{:.5e}", value)).value_or(value);
}

/// What the table of options says of a key of the C interface.
llvm::cl::desc about(std::string_view key) {
  const std::string_view help = driver::optionOfApi(key)->help;
  return llvm::cl::desc(llvm::StringRef(help.data(), help.size()));
}

class AnnotatePass : public mlir::PassWrapper<AnnotatePass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AnnotatePass)

  AnnotatePass() = default;
  AnnotatePass(const AnnotatePass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "pimento-annotate"; }
  llvm::StringRef getDescription() const override {
    return "annotate every linalg op with its time, its energy, and whether, where, how and why to offload it";
  }

  void runOnOperation() override {
    // Nothing of ours may reach MLIR as an exception: it is built without.
    try {
      annotateAll();
    } catch (const std::exception &e) {
      mlir::emitError(getOperation().getLoc(), "pimento: ") << e.what();
      signalPassFailure();
    }
  }

 private:
  driver::Options commonOptions() const {
    driver::Options o;
    o.targets.assign(targets_.begin(), targets_.end());
    if (o.targets.empty()) o.targets = {"hbm-pim"};
    o.sets.assign(sets_.begin(), sets_.end());
    o.maps = {map_};
    o.data = data_;
    o.offload = "best";
    o.jobs = jobs_;
    if (!machines_.empty()) o.machinePath = {machines_};
    return o;
  }

  /// Machines and their numbers are the user's words about all ops: wrong ones are an error of the run.
  bool check(const driver::Options &options) {
    Diagnostics wrong;
    for (const std::string &target : options.targets)
      if (const auto machine = driver::loadTarget(options, target); !machine) wrong = machine.diagnostics();
    if (const auto maps = driver::parseMaps(options); !maps) wrong = maps.diagnostics();
    for (const Diagnostic &d : wrong)
      mlir::emitError(getOperation().getLoc(), "pimento: " + d.message + " [" + d.code + "]; " + d.hint);
    return wrong.empty();
  }

  void annotateAll() {
    const driver::Options options = commonOptions();
    if (!check(options)) return signalPassFailure();
    Adviser adviser(options);
    getOperation()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (!isWork(op)) return mlir::WalkResult::advance();
      annotate(op, adviser);
      return mlir::WalkResult::skip();
    });
  }

  void annotate(mlir::Operation *op, Adviser &adviser) {
    Verdict known;
    const Slice slice = sliceOf(op);
    if (isPartOfOthers(op)) known.reason = "part of the op whose accumulation it initializes";
    // Attributes of other dialects, which the front end does not read.
    if (hasEncoding(slice)) known.reason = "tensors with an encoding (for example sparse ones) are not supported";
    if (!known.reason.empty()) return write(op, known);
    Question question{textOf(slice), {}};
    if (const auto own = op->getAttrOfType<mlir::StringAttr>(kSizes))
      question.sizes = {own.str()};
    else if (hasDynamicShape(slice))
      for (const std::string &size : sizes_)
        if (!isOfMoreLoops(size, op)) question.sizes.push_back(size);
    write(op, adviser.ask(question));
  }

  static void write(mlir::Operation *op, const Verdict &v) {
    mlir::Builder b(op->getContext());
    const auto set = [&](const char *name, mlir::Attribute value) {
      if (value)
        op->setAttr(name, value);
      else
        op->removeAttr(name);
    };
    const auto text = [&](const std::string &s) { return s.empty() ? mlir::Attribute() : b.getStringAttr(s); };
    const auto number = [&](std::optional<double> d) { return d ? b.getF64FloatAttr(rounded(*d)) : mlir::Attribute(); };
    set(kOffload, b.getBoolAttr(v.isOffloaded));
    set(kTarget, text(v.target));
    set(kMapping, text(v.mapping));
    set(kReason, text(v.reason));
    set(kTimeNs, number(v.timeNs));
    set(kEnergyPj, number(v.energyPj));
    set(kHostTimeNs, number(v.hostTimeNs));
    set(kDeviceTimeNs, number(v.deviceTimeNs));
  }

  ListOption<std::string> targets_{*this, "targets", llvm::cl::desc("machines to choose from (default: hbm-pim)")};
  ListOption<std::string> sets_{*this, "set", about("set")};
  ListOption<std::string> sizes_{*this, "sizes", llvm::cl::desc("loops of ops with dynamic shapes: d0=4096,d1=1024")};
  Option<std::string> map_{*this, "map", about("map"), llvm::cl::init("auto")};
  Option<std::string> data_{*this, "data", about("data")};
  Option<std::string> machines_{*this, "machines", about("machines")};
  Option<int> jobs_{*this, "jobs", about("jobs"), llvm::cl::init(0)};
};

}  // namespace

std::unique_ptr<mlir::Pass> makeAnnotatePass() {
  return std::make_unique<AnnotatePass>();
}

}  // namespace pimento::mlirplugin
