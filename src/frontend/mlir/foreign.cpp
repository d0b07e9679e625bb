#include "pimento/frontend/mlir/foreign.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "pimento/frontend/mlir/parse.h"

namespace pimento::frontend {

namespace {

constexpr std::size_t kMaxWrappers = 64;
constexpr const char *kWrapper = "pimento.wrapper";

bool isYield(llvm::StringRef op) {
  return op.ends_with("yield") || op.ends_with("return") || op.ends_with("terminator") || op.ends_with("end");
}

/// The dialect and op at the start of a line, perhaps after "%r = ".
llvm::StringRef opOf(llvm::StringRef line) {
  line = line.trim();
  if (line.starts_with("%")) {
    const std::size_t equals = line.find('=');
    if (equals == llvm::StringRef::npos) return {};
    line = line.drop_front(equals + 1).ltrim();
  }
  const llvm::StringRef name = line.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  const std::size_t dot = name.find('.');
  return dot == 0 || dot == llvm::StringRef::npos || dot + 1 == name.size() ? llvm::StringRef() : name;
}

mlir::ParseResult unknown(mlir::OpAsmParser &parser, const std::string &name) {
  return parser.emitError(parser.getNameLoc(), "custom op '") << name << "' is unknown";
}

mlir::ParseResult parseYield(mlir::OpAsmParser &parser, mlir::OperationState &state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
  const auto where = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(state.attributes)) return mlir::failure();
  if (!operands.empty() &&
      (parser.parseColonTypeList(types) || parser.resolveOperands(operands, types, where, state.operands)))
    return mlir::failure();
  state.attributes.clear();
  state.name = mlir::OperationName(mlir::scf::YieldOp::getOperationName(), state.getContext());
  return mlir::success();
}

/// [attributes {...}] [-> types] { ... }
mlir::ParseResult parseWrapper(mlir::OpAsmParser &parser, mlir::OperationState &state, const std::string &name) {
  mlir::NamedAttrList notes;
  if (parser.parseOptionalAttrDictWithKeyword(notes)) return mlir::failure();
  llvm::SmallVector<mlir::Type> types;
  if (mlir::succeeded(parser.parseOptionalArrow())) {
    const bool isList = mlir::succeeded(parser.parseOptionalLParen());
    if (parser.parseTypeList(types) || (isList && parser.parseRParen())) return mlir::failure();
  }
  auto region = std::make_unique<mlir::Region>();
  const mlir::OptionalParseResult body = parser.parseOptionalRegion(*region, {});
  if (!body.has_value()) return unknown(parser, name);
  if (*body) return mlir::failure();
  if (region->empty()) region->emplaceBlock();
  mlir::Block &last = region->back();
  if (last.empty() || !last.back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    mlir::OpBuilder build(parser.getContext());
    build.setInsertionPointToEnd(&last);
    build.create<mlir::scf::YieldOp>(state.location);
  }
  state.addTypes(types);
  state.addRegion(std::move(region));
  state.addAttribute(kWrapper, parser.getBuilder().getStringAttr(name));
  state.name = mlir::OperationName(mlir::scf::ExecuteRegionOp::getOperationName(), state.getContext());
  return mlir::success();
}

void addOp(mlir::MLIRContext &context, llvm::StringRef name) {
  const auto [dialectName, opName] = name.split('.');
  mlir::DynamicDialect *const dialect = context.getOrLoadDynamicDialect(dialectName, [](mlir::DynamicDialect *) {});
  const std::string full = name.str();
  const auto accept = [](mlir::Operation *) { return mlir::success(); };
  const auto print = [](mlir::Operation *op, mlir::OpAsmPrinter &printer, llvm::StringRef) {
    printer.printGenericOp(op);
  };
  const bool ends = isYield(opName);
  dialect->registerDynamicOp(mlir::DynamicOpDefinition::get(
      opName, dialect, accept, accept,
      [full, ends](mlir::OpAsmParser &parser, mlir::OperationState &state) {
        return ends ? parseYield(parser, state) : parseWrapper(parser, state, full);
      },
      print));
}

/// The op with the region's ops in its place. False if it is more than a wrapper.
bool unwrap(mlir::Operation &op) {
  if (op.getNumRegions() != 1 || !op.getRegion(0).hasOneBlock()) return false;
  mlir::Block &block = op.getRegion(0).front();
  mlir::Operation *const exit = block.empty() ? nullptr : &block.back();
  const bool hasExit = exit != nullptr && exit->getNumResults() == 0 && exit->getNumRegions() == 0 &&
                       isYield(exit->getName().getStringRef());
  const auto yields = hasExit ? exit->getOperands() : mlir::ValueRange();
  if (block.getNumArguments() != 0 && (block.getNumArguments() != op.getNumOperands() ||
                                       block.getArgumentTypes() != mlir::TypeRange(op.getOperandTypes())))
    return false;
  if (mlir::TypeRange(yields) != mlir::TypeRange(op.getResultTypes())) return false;
  for (unsigned a = 0; a < block.getNumArguments(); ++a) block.getArgument(a).replaceAllUsesWith(op.getOperand(a));
  op.replaceAllUsesWith(yields);
  if (hasExit) exit->erase();
  op.getBlock()->getOperations().splice(op.getIterator(), block.getOperations());
  op.erase();
  return true;
}

}  // namespace

void addWrappers(mlir::MLIRContext &context, std::string_view text) {
  std::set<std::string> known, wrapping;
  for (const llvm::StringRef dialect : context.getAvailableDialects()) known.insert(dialect.str());
  std::vector<llvm::StringRef> wrappers, yields;
  llvm::StringRef rest(text.data(), text.size());
  while (!rest.empty()) {
    const auto [line, after] = rest.split('\n');
    rest = after;
    const llvm::StringRef op = opOf(line);
    if (op.empty() || known.contains(op.split('.').first.str())) continue;
    if (line.rtrim().ends_with("{")) wrappers.push_back(op);
    if (isYield(op)) yields.push_back(op);
  }
  if (!wrappers.empty()) context.getOrLoadDialect<mlir::scf::SCFDialect>();
  std::set<std::string> added;
  for (const llvm::StringRef op : wrappers) {
    if (added.size() >= kMaxWrappers || isYield(op) || !added.insert(op.str()).second) continue;
    wrapping.insert(op.split('.').first.str());
    addOp(context, op);
  }
  for (const llvm::StringRef op : yields)
    if (wrapping.contains(op.split('.').first.str()) && added.insert(op.str()).second) addOp(context, op);
}

Status lookThrough(mlir::func::FuncOp function, const std::string &file, Diagnostics &warnings) {
  std::set<std::string> said;
  Diagnostics found;
  std::vector<mlir::Operation *> ops;
  function.walk([&](mlir::Operation *op) {
    if (mlir::isa<mlir::scf::ExecuteRegionOp>(op) || !op->isRegistered()) ops.push_back(op);
  });
  for (mlir::Operation *op : ops) {
    const bool isEnd = !op->isRegistered() && op->getNumRegions() == 0 && op->getNextNode() == nullptr &&
                       !op->getParentOp()->isRegistered() && isYield(op->getName().getStringRef());
    if (isEnd) continue;  // goes with what it ends; the walk meets it first
    const auto wrapper = op->getAttrOfType<mlir::StringAttr>(kWrapper);
    const std::string name = wrapper ? wrapper.str() : op->getName().getStringRef().str();
    const bool isOurs = !wrapper && op->isRegistered();
    const Location where = place(op->getLoc(), file);
    if (!unwrap(*op)) {
      found.push_back(unsupportedOp(
          name, where,
          fmt::format("an unknown op may wrap known ones in one block that yields its results; {}", kSupportedOps)));
      if (found.size() >= 20) break;
      continue;
    }
    if (isOurs || !said.insert(name).second) continue;
    Diagnostic d = error("wrapped-ops", where, fmt::format("'{}' is unknown: the ops in it are read without it", name),
                         "write the mapping as the attribute pimento.mapping of the ops");
    d.severity = Severity::kWarning;
    warnings.push_back(std::move(d));
  }
  if (!found.empty()) return found;
  return okStatus();
}

}  // namespace pimento::frontend
