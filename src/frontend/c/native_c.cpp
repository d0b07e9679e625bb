// A function of C, compiled by Clang for this machine and run on the operands of its graph.
//
// A second function, appended to the text, takes one array of pointers and calls the first, so that it is Clang who
// knows how arguments are passed. Variables at file scope that the graph has become declarations: they lie where the
// operands do.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "pimento/frontend/c/kernel_function.h"
#include "pimento/frontend/c/kernel_parse.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/native.h"
#include "pimento/frontend/native/defined_math.h"
#include "pimento/frontend/native/jit.h"
#include "pimento/frontend/native/operands.h"

namespace pimento::frontend {

namespace {

constexpr const char *kEntry = "pimento_native_entry";

/// A parameter or variable of the text.
struct NativeVariable {
  std::string name;
  std::optional<DType> type;  ///< of an element
  bool isScalar = false;
  bool isBool = false;
  bool isDeclared = false;  ///< the text says how long it is
  Location where;
};

/// What has to be known of the text to call its function.
struct Signature {
  std::string function;
  std::vector<NativeVariable> parameters, variables;
  std::optional<DType> result;
};

clang::QualType elementOf(const clang::ASTContext &context, clang::QualType type) {
  for (;;) {
    if (const clang::ArrayType *array = context.getAsArrayType(type)) {
      type = array->getElementType();
    } else if (type->isPointerType()) {
      type = type->getPointeeType();
    } else {
      return type;
    }
  }
}

class SignatureReader {
 public:
  SignatureReader(clang::ASTContext &context, std::string file) : context_(context), file_(std::move(file)) {}

  Signature read(const clang::FunctionDecl &f) const {
    Signature s;
    s.function = f.getNameAsString();
    for (const clang::ParmVarDecl *p : f.parameters()) {
      const clang::QualType type = p->getOriginalType();
      NativeVariable v = describe(*p, type);
      v.isScalar = !type->isPointerType() && !type->isArrayType();
      v.isDeclared = v.isScalar || (type->isArrayType() && !type->isIncompleteArrayType());
      s.parameters.push_back(std::move(v));
    }
    for (const clang::Decl *d : context_.getTranslationUnitDecl()->noload_decls()) {
      const auto *v = llvm::dyn_cast<clang::VarDecl>(d);
      if (v == nullptr) continue;
      s.variables.push_back(describe(*v, v->getType()));
      s.variables.back().isDeclared = !v->getType()->isIncompleteArrayType();
    }
    if (!f.getReturnType()->isVoidType()) s.result = dtypeOf(context_, f.getReturnType());
    return s;
  }

 private:
  NativeVariable describe(const clang::VarDecl &v, clang::QualType type) const {
    NativeVariable made;
    made.name = v.getNameAsString();
    const clang::QualType element = elementOf(context_, type);
    made.type = dtypeOf(context_, element);
    made.isBool = element->isBooleanType();
    const clang::SourceManager &sources = context_.getSourceManager();
    const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(v.getLocation()));
    made.where = at.isValid()
                     ? Location{at.getFilename(), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())}
                     : Location{file_};
    return made;
  }

  clang::ASTContext &context_;
  std::string file_;
};

/// The type that has the element type's values, as the appended function spells it.
const char *spelled(DType type) {
  switch (type) {
    case DType::kF64:
      return "double";
    case DType::kF32:
      return "float";
    case DType::kF16:
      return "_Float16";
    case DType::kBF16:
      return "__bf16";
    case DType::kI64:
      return "long long";
    case DType::kI32:
      return "int";
    case DType::kI16:
      return "short";
    case DType::kI8:
      return "signed char";
    case DType::kU64:
      return "unsigned long long";
    case DType::kU32:
      return "unsigned";
    case DType::kU16:
      return "unsigned short";
    case DType::kU8:
      return "unsigned char";
    default:
      return nullptr;
  }
}

NativeAnswer leftOut(std::string why) {
  return {{}, std::move(why), {}};
}

/// One run: from the signature to the answer.
class CRun {
 public:
  CRun(std::string_view text, std::string_view file, const CKernelOptions &options, const kernel::Graph &graph,
       const kernel::DataSet &data, const NativeLimits &limits)
      : text_(text),
        file_(file),
        options_(options),
        graph_(graph),
        data_(data),
        limits_(limits),
        operands_(graph, data, file_) {}

  Result<NativeAnswer> run() {
    std::optional<Signature> signature;
    Diagnostics found;
    const Result<CTree> tree = CTree::parse(text_, file_, options_.preprocessing);
    if (!tree) return tree.diagnostics();
    const Status read = tree->use([&](clang::ASTContext &context) {
      const auto function = chooseFunction(context, Location{file_}, options_.function);
      if (function) {
        signature = SignatureReader(context, file_).read(**function);
        sizes_ = sizesOf(context, **function, options_.sizes);
      } else {
        found = function.diagnostics();
      }
    });
    if (!read) return read.diagnostics();
    if (!signature) return found;
    call_ = "\n#line 1 \"\"\nvoid " + std::string(kEntry) + "(void **pimento_operands) { ";
    for (std::string why : {bindParameters(*signature), bindVariables(*signature), bindRest()})
      if (!why.empty()) return leftOut(std::move(why));
    call_ += " }\n";
    std::string why;
    std::optional<NativeModule> module = compile(why);
    if (!module) return leftOut(std::move(why));
    moveVariables(*module->module);
    const std::optional<NativeCode> code = compileNative(std::move(*module), kEntry, symbols_, why);
    if (!code) return leftOut(std::move(why));
    return operands_.run(code->entry(), arguments_, limits_);
  }

 private:
  /// The tensor that stands for a variable of the text; -1: none.
  int tensorOf(const NativeVariable &v) const {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const kernel::Tensor &tensor = graph_.tensors[t];
      if (tensor.role == kernel::Role::kTemporary || tensor.name != v.name) continue;
      if (tensor.type == v.type && tensor.shape.empty() == v.isScalar && !bound_.contains(static_cast<int>(t)))
        return static_cast<int>(t);
    }
    return -1;
  }

  /// Nothing, or why data are no values of the type.
  std::string checkValues(const NativeVariable &v, int tensor) const {
    const kernel::TensorData &given = data_[static_cast<std::size_t>(tensor)];
    const auto isValue = [](std::byte b) { return b <= std::byte{1}; };
    if (!v.isBool || std::ranges::all_of(given.bytes, isValue)) return {};
    return fmt::format("the data of '{}' are not _Bool values", v.name);
  }

  std::string addTensor(const NativeVariable &v, int tensor) {
    bound_.insert(tensor);
    arguments_.push_back(operands_.addTensor(v.name, tensor, v.isDeclared, v.where));
    if (arguments_.back() == nullptr) return "there is not enough memory for its arrays";
    return checkValues(v, tensor);
  }

  /// Null: no memory.
  std::string addOther(const NativeVariable &v, std::size_t bytes) {
    arguments_.push_back(operands_.addOther(v.name, bytes, v.where));
    return arguments_.back() == nullptr ? "there is not enough memory for its arrays" : "";
  }

  std::string bindParameters(const Signature &s) {
    std::string list;
    for (const NativeVariable &p : s.parameters) {
      const std::size_t slot = arguments_.size();
      const char *const type = p.type ? spelled(*p.type) : nullptr;
      if (p.isScalar && type == nullptr) return fmt::format("the type of '{}' is not supported here", p.name);
      const auto size = sizes_.find(p.name);
      if (const int tensor = tensorOf(p); tensor >= 0) {
        if (std::string why = addTensor(p, tensor); !why.empty()) return why;
      } else if (p.isScalar && size != sizes_.end()) {
        if (std::string why = addOther(p, sizeof(std::int64_t)); !why.empty()) return why;
        std::memcpy(arguments_.back(), &size->second, sizeof size->second);
      } else if (std::string why = addOther(p, kOfNoTensor); !why.empty()) {
        return why;
      }
      list += list.empty() ? "" : ", ";
      list += p.isScalar ? fmt::format("*({} *)pimento_operands[{}]", type, slot)
                         : fmt::format("pimento_operands[{}]", slot);
    }
    call_ += bindResult(s) + fmt::format("{}({});", s.function, list);
    return {};
  }

  /// The result goes where the output is that no parameter or variable names.
  std::string bindResult(const Signature &s) {
    if (!s.result || spelled(*s.result) == nullptr) return {};
    std::set<std::string> taken;
    for (const auto *list : {&s.parameters, &s.variables})
      for (const NativeVariable &v : *list) taken.insert(v.name);
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const kernel::Tensor &tensor = graph_.tensors[t];
      if (tensor.role != kernel::Role::kOutput || tensor.type != s.result || tensor.elements() != 1) continue;
      if (!tensor.name.starts_with("result") || taken.contains(tensor.name)) continue;
      bound_.insert(static_cast<int>(t));
      const std::size_t slot = arguments_.size();
      arguments_.push_back(operands_.addTensor("the result", static_cast<int>(t), true, {file_}));
      return arguments_.back() == nullptr ? ""
                                          : fmt::format("*({} *)pimento_operands[{}] = ", spelled(*s.result), slot);
    }
    return {};
  }

  std::string bindVariables(const Signature &s) {
    for (const NativeVariable &v : s.variables) {
      const int tensor = tensorOf(v);
      if (tensor < 0) continue;
      if (std::string why = addTensor(v, tensor); !why.empty()) return why;
      symbols_.emplace_back(v.name, arguments_.back());
    }
    return {};
  }

  std::string bindRest() const {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const kernel::Tensor &tensor = graph_.tensors[t];
      if (tensor.role != kernel::Role::kTemporary && !bound_.contains(static_cast<int>(t)))
        return fmt::format("it has no parameter, result or variable '{}'", tensor.name);
    }
    return {};
  }

  std::optional<NativeModule> compile(std::string &why) const {
    const std::string whole = text_ + "\n" + call_;
    const std::string triple = nativeTriple();
    std::vector<const char *> arguments = {
        "-triple", triple.c_str(), "-emit-llvm-only", "-O1", "-disable-llvm-passes", "-mrelocation-model", "pic",
        "-pic-level", "2", "-w",
        // What C leaves open and kernels do not: overflow wraps, each operation on halves is rounded. char is signed
        // and sqrt an instruction unless clang -cc1 is told otherwise.
        "-fwrapv", "-relaxed-aliasing", "-ffloat16-excess-precision=none", "-fbfloat16-excess-precision=none",
        "-fno-builtin-fmin", "-fno-builtin-fmax", "-fno-builtin-fminf", "-fno-builtin-fmaxf", "-fno-builtin-pow",
        "-fno-builtin-powf", "-fno-finite-loops",
        // What C leaves undefined ends the run.
        "-fsanitize=integer-divide-by-zero,shift-exponent,float-cast-overflow,array-bounds",
        "-ftrivial-auto-var-init=pattern"};
    std::vector<std::string> notBuiltin;
    for (const auto &[name, function] : definedFunctions()) notBuiltin.push_back("-fno-builtin-" + name);
    for (const std::string &argument : notBuiltin) arguments.push_back(argument.c_str());
    if (hasHalfConversion()) arguments.insert(arguments.end(), {"-target-feature", "+f16c"});
    NativeModule made{std::make_unique<llvm::LLVMContext>(), nullptr};
    auto action = std::make_unique<clang::EmitLLVMOnlyAction>(made.context.get());
    if (Status s = runClang(whole, file_, options_.preprocessing, arguments, *action); !s) {
      (void)action.release();  // after a crash they are not safe to take apart
      (void)made.context.release();
      why = "Clang does not compile it: " + s.diagnostics().front().message;
      return std::nullopt;
    }
    made.module = action->takeModule();
    if (!made.module) {
      why = "Clang generates no code for it";
      return std::nullopt;
    }
    for (const auto &[name, function] : definedFunctions()) {
      llvm::Function *const called = made.module->getFunction(name);
      if (called != nullptr && called->isDeclaration()) called->setName(definedName(name));
    }
    return made;
  }

  /// Variables that are operands lie with the operands.
  void moveVariables(llvm::Module &module) const {
    for (const auto &[name, address] : symbols_) {
      llvm::GlobalVariable *const v = module.getNamedGlobal(name);
      if (v == nullptr) continue;
      v->setInitializer(nullptr);
      v->setLinkage(llvm::GlobalValue::ExternalLinkage);
      v->setConstant(false);
      v->setDSOLocal(false);
    }
  }

  static constexpr std::size_t kOfNoTensor = 4096;

  std::string text_, file_;
  const CKernelOptions &options_;
  const kernel::Graph &graph_;
  const kernel::DataSet &data_;
  const NativeLimits &limits_;
  kernel::Sizes sizes_;
  NativeOperands operands_;
  std::vector<void *> arguments_;
  NativeSymbols symbols_;
  std::set<int> bound_;
  std::string call_;
};

}  // namespace

Result<NativeAnswer> runC(std::string_view text, std::string_view file, const CKernelOptions &options,
                          const kernel::Graph &graph, const kernel::DataSet &data, const NativeLimits &limits) {
  return CRun(text, file, options, graph, data, limits).run();
}

}  // namespace pimento::frontend
