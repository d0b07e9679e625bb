#include "pimento/frontend/mlir/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "pimento/frontend/mlir/foreign.h"
#include "pimento/frontend/mlir/later_ops.h"

namespace pimento::frontend {

const char *const kSupportedOps =
    "supported: func.func; linalg.generic, map, reduce, transpose, broadcast and the named structured ops (matvec, "
    "matmul, add, exp, fill, ...); affine.for, parallel, if, apply, load, store; scf.for and memref.load/store with "
    "affine indices; arith and math on scalars; tensor.empty, tensor.cast, tensor.dim; memref.alloc, "
    "alloca, dealloc, copy, cast, dim";

Diagnostic unsupportedOp(std::string_view op, Location where, std::string hint) {
  const std::string_view dialect = op.substr(0, op.find('.'));
  return unsupported("unsupported-op", std::move(where),
                     fmt::format("operation '{}' (dialect '{}') is not supported", op, dialect), std::move(hint));
}

Location place(mlir::Location where, const std::string &file) {
  Location found{file};
  where->walk([&](mlir::Location l) {
    if (const auto at = mlir::dyn_cast<mlir::FileLineColLoc>(l)) {
      found = {at.getFilename().str(), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())};
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return found;
}

std::string ParsedModule::nameOf(mlir::Value value) const {
  if (!value) return {};
  const auto result = mlir::dyn_cast<mlir::OpResult>(value);
  std::string spelled;
  value.getLoc()->walk([&](mlir::Location l) {
    const auto named = mlir::dyn_cast<mlir::NameLoc>(l);
    if (!named || !named.getName().getValue().starts_with("%")) return mlir::WalkResult::advance();
    llvm::SmallVector<llvm::StringRef> names;
    named.getName().getValue().split(names, '%');
    const std::size_t position = result ? result.getResultNumber() + 1 : 1;
    spelled = names[position < names.size() ? position : 1].str();
    return mlir::WalkResult::interrupt();
  });
  return spelled;
}

std::string ParsedModule::identifierOf(mlir::Value value) const {
  std::string name = nameOf(value);
  for (char &c : name) {
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) c = '_';
  }
  const bool isNumber = !name.empty() && name.find_first_not_of("0123456789_") == std::string::npos;
  return isNumber ? std::string() : name;
}

namespace {

constexpr std::size_t kMaxDiagnostics = 20;

/// The text between the first pair of quotes after `mark`, if `mark` occurs.
std::optional<std::string> quotedAfter(std::string_view message, std::string_view mark, char quote) {
  const std::size_t at = message.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t open = message.find(quote, at);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = message.find('\'', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(message.substr(open + 1, close - open - 1));
}

/// The op a parser message complains it does not know.
std::optional<std::string> unknownOpIn(const std::string &message) {
  // MLIR 19: "Dialect `scf' not found for custom op 'scf.for'"
  if (auto op = quotedAfter(message, "not found for custom op", '\'')) return op;
  // "custom op 'linalg.foo' is unknown", at times with "(tried 'func.linalg.foo' as well)"
  if (message.find("' is unknown") != std::string::npos) return quotedAfter(message, "custom op", '\'');
  // "unregistered operation 'linalg.foo' found in dialect ('linalg') that does not allow unknown operations"
  if (auto op = quotedAfter(message, "unregistered operation", '\'')) return op;
  return std::nullopt;
}

/// Collects what MLIR says in one phase.
class Listener {
 public:
  Listener(mlir::MLIRContext &context, std::string file, std::string_view text)
      : file_(std::move(file)), text_(text), handler_(&context, [this](mlir::Diagnostic &d) { hear(d); }) {}

  void enterPhase(const char *code, const char *hint) {
    code_ = code;
    hint_ = hint;
  }
  /// Where messages that carry no place of their own are put.
  void setFallback(Location where) { fallback_ = std::move(where); }

  /// What was heard; if that is nothing, `otherwise`.
  Diagnostics take(const char *otherwise) {
    if (found_.empty()) found_.push_back(error(code_, Location{file_}, otherwise, hint_));
    return std::move(found_);
  }

 private:
  void hear(mlir::Diagnostic &d) {
    if (d.getSeverity() != mlir::DiagnosticSeverity::Error || found_.size() >= kMaxDiagnostics) return;
    Location where = place(d.getLocation(), file_);
    if (where.line == 0 && fallback_) where = *fallback_;
    const std::string message = d.str();
    if (auto op = unknownOpIn(message)) {
      found_.push_back(unsupportedOp(*op, where));
      return;
    }
    if (message.find("unregistered dialect") != std::string::npos) {  // names nothing; stands behind the quoted name
      const std::string op = quotedBefore(where);
      where.column = std::max(1, where.column - static_cast<int>(op.size()) - 2);
      found_.push_back(unsupportedOp(op, where));
      return;
    }
    std::string hint = hint_;
    for (mlir::Diagnostic &note : d.getNotes()) {
      const std::string said = note.str();
      if (!said.empty() && said.find("see current operation") == std::string::npos) hint = said + "; " + hint;
    }
    found_.push_back(error(code_, where, message, hint));
  }

  /// The op name in quotes that ends before a place of the text.
  std::string quotedBefore(const Location &where) const {
    std::size_t line = 0;
    for (int l = 1; l < where.line; ++l) line = std::min(text_.size(), text_.find('\n', line)) + 1;
    const std::size_t end = line + static_cast<std::size_t>(std::max(0, where.column - 2));
    if (end >= text_.size() || text_[end] != '"' || end == 0) return "?";
    const std::size_t begin = text_.rfind('"', end - 1);
    return begin == std::string_view::npos ? "?" : std::string(text_.substr(begin + 1, end - begin - 1));
  }

  std::string file_;
  std::string_view text_;
  const char *code_ = "mlir-syntax";
  const char *hint_ = "";
  std::optional<Location> fallback_;
  Diagnostics found_;
  mlir::ScopedDiagnosticHandler handler_;
};

/// "%A" -> "A".
std::string spelled(llvm::SMRange range) {
  if (!range.isValid()) return {};
  std::string s(range.Start.getPointer(), range.End.getPointer());
  return !s.empty() && s[0] == '%' ? s.substr(1) : std::string();
}

mlir::Location named(const std::string &names, mlir::Location where) {
  return mlir::NameLoc::get(mlir::StringAttr::get(where.getContext(), names), where);
}

/// Puts the names of values into the locations of what makes them: "%A%B" for an op of two results.
void recordNames(const mlir::AsmParserState &state) {
  for (const auto &block : state.getBlockDefs()) {
    for (unsigned a = 0; a < block.arguments.size() && a < block.block->getNumArguments(); ++a) {
      const std::string name = spelled(block.arguments[a].loc);
      mlir::BlockArgument argument = block.block->getArgument(a);
      if (!name.empty()) argument.setLoc(named("%" + name, argument.getLoc()));
    }
  }
  for (const auto &op : state.getOpDefs()) {
    std::string names;
    for (std::size_t g = 0; g < op.resultGroups.size(); ++g) {
      const unsigned begin = op.resultGroups[g].startIndex;
      const unsigned end = g + 1 < op.resultGroups.size() ? op.resultGroups[g + 1].startIndex : op.op->getNumResults();
      const std::string group = spelled(op.resultGroups[g].definition.loc);
      for (unsigned r = begin; r < end && r < op.op->getNumResults(); ++r)
        names += "%" + (end - begin == 1 ? group : fmt::format("{}_{}", group, r - begin));
    }
    if (!names.empty()) op.op->setLoc(named(names, op.op->getLoc()));
  }
}

/// Verifies op by op: a message without a place (MLIR builds the bodies of named ops itself) then gets that of its op.
bool verifyAll(mlir::ModuleOp module, Listener &listener, const std::string &file) {
  bool good = true;
  module.walk([&](mlir::func::FuncOp function) {
    for (mlir::Block &block : function.getBody()) {
      for (mlir::Operation &op : block) {
        if (op.hasTrait<mlir::OpTrait::IsTerminator>()) continue;  // checked with its function
        listener.setFallback(place(op.getLoc(), file));
        good = mlir::succeeded(mlir::verify(&op)) && good;
      }
    }
  });
  listener.setFallback(Location{file});
  return good && mlir::succeeded(mlir::verify(module));
}

/// One file on its way through MLIR, in one piece so that it can be abandoned in one piece.
class Session {
 public:
  Session(std::string_view text, std::string_view file)
      : parsed_(newModule(text, file)), listener_(*parsed_->context, parsed_->file, text) {
    sources_.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(withPlainNames(text), parsed_->file),
                                llvm::SMLoc());
  }

  bool run() {
    listener_.enterPhase("mlir-syntax", "the source must be MLIR 19, as mlir-opt-19 prints it");
    const mlir::ParserConfig config(parsed_->context.get(), /*verifyAfterParse=*/false);
    if (mlir::failed(mlir::parseAsmSourceFile(sources_, parsed_->module->getBody(), config, &state_))) return false;
    // What runs a scf.forall elsewhere (#gpu.block<x>): attributes of dialects that are not loaded.
    parsed_->module->walk([](mlir::scf::ForallOp op) { op.removeMappingAttr(); });
    listener_.enterPhase("mlir-invalid", "mlir-opt-19 rejects this too: it violates a rule of the op");
    if (!verifyAll(*parsed_->module, listener_, parsed_->file)) return false;
    recordNames(state_);
    return true;
  }

  Diagnostics complaints() { return listener_.take("MLIR rejects the source without a message"); }
  /// What MLIR said before it crashed, which mostly is the reason.
  Diagnostics lastWords() {
    listener_.enterPhase("mlir-crash",
                         "the source violates a rule of MLIR and crashes mlir-opt-19 too; check the "
                         "attributes of the ops first");
    return listener_.take("MLIR's parser crashed on the text");
  }
  std::unique_ptr<ParsedModule> takeModule() { return std::move(parsed_); }

 private:
  static std::unique_ptr<ParsedModule> newModule(std::string_view text, std::string_view file) {
    auto parsed = std::make_unique<ParsedModule>();
    parsed->file = std::string(file);
    parsed->context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    mlir::MLIRContext &context = *parsed->context;
    context.allowUnregisteredDialects(true);
    context.printOpOnDiagnostic(false);
    mlir::DialectRegistry registry;
    registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect,
                    mlir::func::FuncDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                    mlir::memref::MemRefDialect, mlir::ml_program::MLProgramDialect, mlir::scf::SCFDialect,
                    mlir::tensor::TensorDialect, mlir::tosa::TosaDialect>();
    context.appendDialectRegistry(registry);
    addLaterOps(context);
    addWrappers(context, text);
    parsed->module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    return parsed;
  }

  std::unique_ptr<ParsedModule> parsed_;
  llvm::SourceMgr sources_;
  mlir::AsmParserState state_;
  Listener listener_;
};

}  // namespace

// LLVM's own means, since some parsers of MLIR 19 follow a null pointer after they have reported an error
// (linalg.reduce with an unfinished list of dimensions), or take a length from what they find there, which ends in an
// exception. Signal handlers are the process's: they are in place only while `work` runs.
bool survives(llvm::function_ref<void()> work) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  bool hasThrown = false;
  const bool good = guard.RunSafely([&] {
    try {
      work();
    } catch (const std::exception &) {
      hasThrown = true;
    }
  });
  llvm::CrashRecoveryContext::Disable();
  return good && !hasThrown;
}

Result<std::unique_ptr<ParsedModule>> parseModule(std::string_view text, std::string_view file) {
  auto session = std::make_unique<Session>(text, file);
  bool good = false;
  if (!survives([&] { good = session->run(); })) {
    return session.release()->lastWords();  // leaked: after a crash MLIR's state is not safe to take apart
  }
  if (!good) return session->complaints();
  return session->takeModule();
}

}  // namespace pimento::frontend
