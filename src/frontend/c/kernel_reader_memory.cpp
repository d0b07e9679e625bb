// Arrays and what is stored in them.
#include <fmt/format.h>

#include <algorithm>

#include "llvm/Support/Casting.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/c/kernel_assigned.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/conditions.h"
#include "pimento/frontend/nest/forms.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;
using llvm::dyn_cast;

/// "n=64,m=64": the names in the extents of this array and of all parameters that have no number yet.
std::string CReader::missingSizes(const clang::VariableArrayType &array) const {
  std::vector<std::string> missing;
  const auto add = [&](const clang::Expr *extent) {
    for (const clang::VarDecl *v : variablesIn(extent)) {
      std::string name = v->getNameAsString();
      const bool isKnown = sizes_.contains(name) || std::ranges::find(missing, name) != missing.end();
      if (!isKnown) missing.push_back(std::move(name));
    }
  };
  add(array.getSizeExpr());
  for (const clang::ParmVarDecl *p : frames_.front().function->parameters()) {
    clang::QualType type = p->getOriginalType();
    if (type->isPointerType()) type = type->getPointeeType();
    for (const clang::ArrayType *each = context_.getAsArrayType(type); each != nullptr;
         each = context_.getAsArrayType(each->getElementType()))
      if (const auto *variable = dyn_cast<clang::VariableArrayType>(each);
          variable != nullptr && variable->getSizeExpr() != nullptr)
        add(variable->getSizeExpr());
  }
  std::string sizes;
  for (const std::string &name : missing) sizes += (sizes.empty() ? "" : ",") + name + "=64";
  return sizes;
}

/// Extents of an array or pointer; the first is 0 where the declaration leaves it open.
bool CReader::shapeOf(clang::QualType type, std::vector<std::int64_t> &shape, DType &element, const clang::VarDecl &v) {
  if (type->isPointerType() && !llvm::isa<clang::DecayedType>(type)) {
    shape.push_back(0);
    type = type->getPointeeType();
  }
  if (const auto *decayed = dyn_cast<clang::DecayedType>(type)) type = decayed->getOriginalType();
  while (const clang::ArrayType *array = context_.getAsArrayType(type)) {
    std::int64_t extent = 0;
    if (const auto *constant = dyn_cast<clang::ConstantArrayType>(array)) {
      extent = static_cast<std::int64_t>(constant->getSize().getLimitedValue());
    } else if (const auto *variable = dyn_cast<clang::VariableArrayType>(array);
               variable != nullptr && variable->getSizeExpr() != nullptr) {
      const int size = scalar(variable->getSizeExpr());
      const auto known = isFine() ? pool_.integerOf(size) : std::nullopt;
      if (!known) {
        const std::string names = missingSizes(*variable);
        failInput("c-bounds", v.getLocation(), fmt::format("an extent of '{}' is unknown", v.getNameAsString()),
                  names.empty() ? "extents are constants or integer parameters" : "set it: --size " + names);
        return false;
      }
      extent = *known;
    } else if (!shape.empty()) {
      break;
    }
    const bool isOpen = llvm::isa<clang::IncompleteArrayType>(array);
    if (extent < 1 && !isOpen) {
      failInput("c-bounds", v.getLocation(), fmt::format("an extent of '{}' is {}", v.getNameAsString(), extent),
                "extents must be at least 1");
      return false;
    }
    shape.push_back(extent);
    type = array->getElementType();
  }
  if (type->isPointerType() || shape.empty()) {
    fail("c-type", v.getLocation(), fmt::format("'{}' is an array of pointers", v.getNameAsString()),
         "declare it as one array: float A[n][m], or float *A indexed A[i * m + j]");
    return false;
  }
  element = scalarType(type, v.getLocation());
  return isFine();
}

void CReader::declareParameters(const clang::FunctionDecl &function) {
  std::vector<std::string> names;
  for (const clang::ParmVarDecl *p : function.parameters()) {
    if (p->getType()->isIntegerType()) names.push_back(p->getNameAsString());
  }
  for (const auto &[name, size] : sizes_) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    errors_.push_back(
        usageError("unknown-size", "--size",
                   fmt::format("function '{}' has no integer parameter '{}'", function.getNameAsString(), name),
                   names.empty() ? "it has no integer parameters" : suggest(name, names)));
    return;
  }
  for (const clang::ParmVarDecl *p : function.parameters()) {
    const clang::QualType type = p->getOriginalType();
    Variable &variable = variables_[p];
    NestBuffer buffer;
    buffer.name = p->getNameAsString();
    buffer.where = placeOf(p->getLocation());
    if (!type->isPointerType() && !type->isArrayType()) {
      buffer.type = scalarType(type, p->getLocation());
      if (!isFine()) return;
      const auto size = sizes_.find(buffer.name);
      if (size != sizes_.end() && type->isIntegerType()) {
        const unsigned bits = context_.getIntWidth(type) - (type->isSignedIntegerType() ? 1 : 0);
        if (bits < 63 && size->second >> bits != 0) {
          errors_.push_back(error("bad-size", buffer.where,
                                  fmt::format("parameter '{}' is of type '{}', in which {} does not fit", buffer.name,
                                              type.getAsString(), size->second),
                                  "use a smaller size, or a wider type in the source"));
          return;
        }
        variable.value = scalarValue(pool_.integer(buffer.type, size->second));
        continue;
      }
      buffer.isScalar = true;
      const DType t = buffer.type;
      variable.value = scalarValue(pool_.load(t, addBuffer(std::move(buffer)), {}, {}, placeOf(p->getLocation())));
      continue;
    }
    if (!shapeOf(type, buffer.shape, buffer.type, *p)) return;
    buffer.isRestrict = p->getType().isRestrictQualified();
    CPointer pointer;
    pointer.index.resize(buffer.shape.size());
    pointer.buffer = addBuffer(std::move(buffer));
    variable.value = {CValue::Kind::kPointer, -1, std::move(pointer)};
  }
}

/// The first element of an array variable, or of a variable at file scope.
std::optional<CPointer> CReader::arrayOf(const clang::VarDecl &v) {
  const auto known = arrays_.find(&v);
  if (known != arrays_.end()) return known->second;
  if (!v.hasGlobalStorage() || v.getType()->isPointerType()) return std::nullopt;
  const bool isArray = v.getType()->isArrayType();
  if (!isArray && v.getType().isConstQualified()) return std::nullopt;
  NestBuffer buffer;
  buffer.name = v.getNameAsString();
  buffer.where = placeOf(v.getLocation());
  buffer.isRestrict = true;  // no two variables overlap
  CPointer first;
  if (isArray) {
    if (!shapeOf(v.getType(), buffer.shape, buffer.type, v)) return std::nullopt;
  } else {
    buffer.shape = {1};
    buffer.type = scalarType(v.getType(), v.getLocation());
  }
  first.index.resize(buffer.shape.size());
  const bool hasContents = v.getType().isConstQualified() && v.getInit() != nullptr;
  const bool isConstantArray = isArray && context_.getBaseElementType(v.getType()).isConstQualified();
  if (hasContents || isConstantArray) buffer.kind = NestBuffer::Kind::kLocal;
  const bool isFilled = buffer.kind == NestBuffer::Kind::kLocal;
  first.buffer = addBuffer(std::move(buffer));
  arrays_[&v] = first;
  if (isFilled) {
    // At the start of everything, whatever is around now.
    std::vector<NestStatement> later;
    later.swap(program_.statements);
    const auto loops = std::exchange(loops_, {});
    const auto guards = std::exchange(guards_, {});
    const auto predicates = std::exchange(predicates_, {});
    initializeArray(first, v);
    loops_ = loops;
    guards_ = guards;
    predicates_ = predicates;
    constants_.insert(constants_.end(), program_.statements.begin(), program_.statements.end());
    program_.statements = std::move(later);
  }
  return first;
}

/// A local array has an element for each iteration of the loops around it.
void CReader::declareArray(const clang::VarDecl &v, NestBuffer::Kind kind) {
  NestBuffer buffer;
  buffer.name = v.getNameAsString();
  buffer.kind = kind;
  buffer.isRestrict = true;
  buffer.where = placeOf(v.getLocation());
  CPointer first;
  for (const int l : loops_) {
    buffer.shape.push_back(program_.loops[static_cast<std::size_t>(l)].extent);
    first.index.push_back(unit(l));
  }
  std::vector<std::int64_t> own;
  if (!shapeOf(v.getType(), own, buffer.type, v)) return;
  if (own.front() == 0)
    return failInput("c-bounds", v.getLocation(), "a local array has no extent", "write it: float t[64]");
  buffer.shape.insert(buffer.shape.end(), own.begin(), own.end());
  first.level = first.index.size();
  first.index.resize(buffer.shape.size());
  first.buffer = addBuffer(std::move(buffer));
  arrays_[&v] = first;
  if (v.getInit() != nullptr) initializeArray(first, v);
}

void CReader::storeAll(const CPointer &first, int value, const clang::VarDecl &v) {
  const NestBuffer &buffer = program_.buffers[static_cast<std::size_t>(first.buffer)];
  const std::vector<int> loops = loops_;
  CPointer p = first;
  for (std::size_t d = first.level; d < buffer.shape.size(); ++d) {
    const int loop = newLoop(fmt::format("d{}", d - first.level), buffer.shape[d], false);
    loops_.push_back(loop);
    p.index[d] = unit(loop);
  }
  p.level = p.index.empty() ? 0 : p.index.size() - 1;
  store(p, value, v.getLocation());
  loops_ = loops;
}

void CReader::initializeArray(const CPointer &first, const clang::VarDecl &v) {
  constexpr std::size_t kMostElements = 64;
  const DType type = program_.buffers[static_cast<std::size_t>(first.buffer)].type;
  const auto *list = dyn_cast<clang::InitListExpr>(v.getInit()->IgnoreImplicit());
  if (list == nullptr)
    return fail("c-type", v.getLocation(), "this array is initialized from a string", "list its elements");
  storeAll(first, isFloat(type) ? pool_.real(type, 0) : pool_.integer(type, 0), v);
  std::size_t count = 0;
  const std::function<void(const clang::InitListExpr &, CPointer)> fill = [&](const clang::InitListExpr &l,
                                                                              CPointer p) {
    for (unsigned i = 0; i < l.getNumInits() && isFine(); ++i) {
      CPointer element = p;
      element.index[p.level].constant += i;
      const clang::Expr *init = l.getInit(i);
      if (const auto *inner = dyn_cast<clang::InitListExpr>(init); inner != nullptr && p.level + 1 < p.index.size()) {
        ++element.level;
        fill(*inner, element);
        continue;
      }
      const int value = scalar(init);
      const bool isZero = isFine() && pool_.isConstant(value) && pool_[value].integer == 0 && pool_[value].real == 0;
      if (isZero) continue;
      if (++count > kMostElements) {
        return fail("c-too-large", v.getLocation(), fmt::format("'{}' has too many initializers", v.getNameAsString()),
                    "make it a parameter: its contents are data");
      }
      store(element, value, init->getBeginLoc());
    }
  };
  fill(*list, first);
}

CValue CReader::load(const CPointer &p, const clang::Expr &e) {
  if (!isFine()) return {};
  if (p.scalar != nullptr) return readVariable(*p.scalar, e.getBeginLoc());
  if (p.buffer < 0 || p.level + 1 < p.index.size()) {
    fail("c-type", e.getBeginLoc(), "a whole array is used as a value", "use its elements");
    return {};
  }
  const NestBuffer &b = program_.buffers[static_cast<std::size_t>(p.buffer)];
  if (isTrial_) {
    for (const Affine &form : p.index) markRead(form);
  }
  seeExtent(p);
  return scalarValue(pool_.load(b.type, p.buffer, p.index, p.data, placeOf(e.getBeginLoc())));
}

void CReader::store(const CPointer &p, int value, clang::SourceLocation where) {
  if (!isFine()) return;
  if (p.scalar != nullptr) return assign(p.scalar, scalarValue(value), where);
  if (p.buffer < 0 || p.level + 1 < p.index.size()) {
    return fail("c-type", where, "a whole array is stored to", "store to its elements");
  }
  seeExtent(p);
  NestStatement s;
  s.buffer = p.buffer;
  s.index = p.index;
  s.data = p.data;
  s.value = value;
  s.where = placeOf(where);
  emit(std::move(s), 0);
}

void CReader::assign(const clang::VarDecl *v, CValue value, clang::SourceLocation where) {
  Variable &variable = variables_[v];
  if (variable.buffer < 0) {
    variable.value = std::move(value);
    return;
  }
  NestStatement s;
  s.buffer = variable.buffer;
  s.index = variable.index;
  s.value = value.scalar;
  s.where = placeOf(where);
  emit(std::move(s), variable.predicates);
}

/// `predicates`: how many of the conditions around need not be asked, since what is stored only counts where they hold.
void CReader::emit(NestStatement s, std::size_t predicates) {
  s.loops = loops_;
  s.predicate = predicateFrom(predicates);
  s.function = frames_.back().function->getNameAsString();
  if (s.predicate >= 0 && pool_.integerOf(s.predicate) == 0) return;
  for (Affine &form : s.index) form = trimmed(std::move(form));
  storedBuffers_.insert(s.buffer);
  if (isDelaying_) {
    delayed_.push_back(std::move(s));
    return;
  }
  if (!isTrial_) keepOldValues(s.buffer);
  emitGuarded(std::move(s));
}

/// Side effects of an expression, once its value is used.
void CReader::flushDelayed() {
  std::vector<NestStatement> list;
  list.swap(delayed_);
  for (NestStatement &s : list) {
    if (!isTrial_) keepOldValues(s.buffer);
    emitGuarded(std::move(s));
  }
}

/// Before `buffer` is written: values that were read from it go into a place of their own.
void CReader::keepOldValues(int buffer) {
  std::map<int, int> kept;
  const auto keep = [&](int &value, const std::string &name) {
    keepOld(buffer, value, name, frames_.back().function->getNameAsString(), kept);
  };
  for (auto &[declaration, variable] : variables_) {
    if (variable.value.kind == CValue::Kind::kScalar) keep(variable.value.scalar, declaration->getNameAsString());
  }
  for (int &predicate : predicates_) {
    keep(predicate, "condition");
    const DType type = pool_[predicate].type;
    if (type != DType::kU8) predicate = pool_.cast(DType::kU8, predicate);
  }
  for (Frame &frame : frames_) {
    if (frame.result.kind == CValue::Kind::kScalar) keep(frame.result.scalar, "result");
  }
}

}  // namespace pimento::frontend
