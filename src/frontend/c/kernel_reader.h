// Reads one function of C by running it on symbols: integers are sums of loops where they can be, pointers are a buffer
// and a place in it, other scalars are expressions. Internal to the C front end.
//
// A loop body is looked at twice. The first time, every variable that it assigns starts as a symbol; what comes out
// tells variables that are private to an iteration, those that go up by a constant, and those that are carried. The
// second time counts: a carried variable lives in a buffer, one element for each iteration of the loops around it; if
// the body does more than accumulate into it, it gets an element for every iteration of the loop itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "pimento/frontend/nest/recorder.h"
#include "pimento/kernel/zoo.h"

namespace pimento::frontend {

/// Element `index` of a buffer; the index `level` is what pointer arithmetic moves. Or the address of a scalar.
struct CPointer {
  int buffer = -1;
  std::vector<kernel::Affine> index;
  std::size_t level = 0;
  DataIndex data;  ///< an index that is no sum of loops
  const clang::VarDecl *scalar = nullptr;
};

struct CValue {
  enum class Kind : std::uint8_t { kNothing, kScalar, kPointer } kind = Kind::kNothing;
  int scalar = -1;
  CPointer pointer;
};

/// What to say where a loop is none that this reads.
inline constexpr const char *kLoopHint =
    "write for (int i = 0; i < n; i++): a loop variable declared in the loop, bounds that are sums of outer loops and "
    "sizes, a "
    "constant step";

class CReader : private NestRecorder {
 public:
  CReader(clang::ASTContext &context, NestProgram &program, const kernel::Sizes &sizes)
      : NestRecorder(program), context_(context), sizes_(sizes) {}

  /// The whole function. False: see diagnostics().
  bool read(const clang::FunctionDecl &function);
  Diagnostics &diagnostics() { return errors_; }

 private:
  /// A scalar or pointer variable: a value, or an element of a buffer while a loop carries it.
  struct Variable {
    CValue value;
    int buffer = -1;
    std::vector<kernel::Affine> index;
    std::size_t predicates = 0;  ///< how many conditions were around when the buffer was made
  };
  using Variables = std::map<const clang::VarDecl *, Variable>;

  enum class Flow : std::uint8_t { kNext, kContinue, kReturn };
  struct Frame {
    const clang::FunctionDecl *function = nullptr;
    CValue result;
    std::size_t loops = 0;  ///< around the call
  };
  struct State {
    Variables variables;
    std::vector<int> predicates;
    std::size_t statements = 0;
  };
  /// How a loop counts.
  struct Counting {
    const clang::VarDecl *variable = nullptr;
    std::int64_t step = 0;
    kernel::Affine start;  ///< its first value, unless data say it
    bool startsFromData = false;
    std::vector<const clang::Stmt *> others;  ///< what else the step of a `for` does
    const clang::Stmt *skipped = nullptr;     ///< the step, where it stands in the body
    bool isInCondition = false;               ///< the step is part of the condition: while (n--)
    // Where `break` leaves the loop:
    const clang::VarDecl *at = nullptr;       ///< where that was: the counter, or of a search the iteration
    const clang::VarDecl *stopped = nullptr;  ///< whether it was left; of a search none
    const clang::IfStmt *search = nullptr;    ///< what a search looks for
  };
  struct LoopParts {
    const clang::Expr *condition = nullptr, *step = nullptr;
    const clang::Stmt *body = nullptr;
    clang::SourceLocation where;
    bool isDo = false;  ///< the first iteration is not asked for
  };
  struct Carried {
    const clang::VarDecl *variable = nullptr;
    int symbol = -1;
    CValue before, symbolic, after;
    bool isRead = false, isTimed = false;
    std::optional<std::int64_t> step;  ///< it goes up by a constant
    int buffer = -1;
    std::vector<kernel::Affine> index;
  };

  // kernel_reader.cpp: functions and statements
  Flow run(const clang::Stmt *s);
  Flow runAll(const std::vector<const clang::Stmt *> &list, std::size_t from);
  Flow runIf(const clang::IfStmt &s, const std::vector<const clang::Stmt *> *rest, std::size_t next);
  Flow runBranches(int condition, const DisjointGuards *affine, const std::function<Flow()> &onTrue,
                   const std::function<Flow()> &onFalse, clang::SourceLocation where);
  void runDeclaration(const clang::VarDecl &v);
  void runReturn(const clang::ReturnStmt &s);
  bool mergeVariables(int condition, const Variables &onTrue, const Variables &onFalse);
  std::optional<CValue> merge(int condition, const CValue &a, const CValue &b);
  bool enter(const clang::Stmt *s);

  // kernel_reader_loops.cpp
  Flow runLoop(const LoopParts &parts);
  std::optional<Counting> countingOf(const LoopParts &parts);
  std::optional<Counting> stepOf(const clang::Expr *e);
  bool countIterations(const LoopParts &parts, const Counting &counting, int loop, std::vector<kernel::Affine> &guards,
                       bool &isKnown);
  void endBy(int loop, kernel::Affine last);
  bool takeDataBound(int &truth, const Counting &counting, int loop);
  bool boundByData(int truth, const Counting &counting, int loop);
  bool settleBounded(const LoopParts &parts, int loop, const std::set<int> &stored);
  void seeExtent(const CPointer &p);
  bool startLoop(const LoopParts &parts, Counting &counting, int loop);
  std::vector<Carried> carriedBy(const LoopParts &parts, const Counting &counting);
  bool tryBody(const LoopParts &parts, const Counting &counting, int loop, const Guard &guard,
               std::vector<Carried> &carried);
  bool runBody(const LoopParts &parts, const Counting &counting);
  bool runForReal(const LoopParts &parts, const Counting &counting, int loop, const Guard &guard,
                  std::vector<Carried> &carried);
  void enterCarried(std::vector<Carried> &carried, int loop);
  void leaveLoop(const Counting &counting, int loop, bool isKnown, std::vector<Carried> &carried);
  int counterAt(const Counting &counting, int loop) const;
  Flow runDo(const clang::DoStmt &s);
  bool startsDo(const LoopParts &parts, const Counting &asked);
  CValue advanced(const Carried &c, const kernel::Affine &iterations) const;
  std::optional<std::int64_t> stepBetween(const CValue &from, const CValue &to) const;
  bool mentions(const CValue &v, int symbol) const;

  // kernel_reader_break.cpp
  const clang::IfStmt *searchOf(const LoopParts &parts, const Counting &counting) const;
  void prepareBreak(const LoopParts &parts, Counting &counting);
  Flow runBreak(const clang::BreakStmt &s);
  bool runUnlessLeft(const clang::Stmt &body, const Counting &counting, const std::function<void()> &whole);
  bool runSearch(const LoopParts &parts, const Counting &counting);
  void finishBreak(const LoopParts &parts, const Counting &counting, bool isKnown);

  // kernel_reader_values.cpp: expressions
  CValue evaluate(const clang::Expr *e);
  int scalar(const clang::Expr *e);
  int condition(const clang::Expr *e);
  CValue evaluateCast(const clang::CastExpr &e);
  CValue evaluateUnary(const clang::UnaryOperator &e);
  CValue evaluateBinary(const clang::BinaryOperator &e);
  CValue evaluateConditional(const clang::ConditionalOperator &e);
  CValue evaluateVariable(const clang::DeclRefExpr &e);
  CValue readVariable(const clang::VarDecl &v, clang::SourceLocation where);
  CValue evaluateAssignment(const clang::BinaryOperator &e);
  CValue step(const clang::UnaryOperator &e);
  CValue movePointer(CPointer p, int by, bool isBack, const clang::Expr &e);
  int arithmetic(clang::BinaryOperatorKind kind, DType type, int a, int b, const clang::Expr &e);
  /// Where an expression designates: a pointer to an element, or to a scalar variable.
  CPointer place(const clang::Expr *e);

  // kernel_reader_calls.cpp
  CValue evaluateCall(const clang::CallExpr &e);
  CValue inlineCall(const clang::FunctionDecl &f, const clang::CallExpr &e);
  std::optional<CPointer> openElements(CPointer p, const clang::Expr &bytes, std::vector<int> &loops);
  CValue moveMemory(const std::string &name, const clang::CallExpr &e);
  bool sameRows(const CPointer &a, const CPointer &b) const;

  // kernel_reader_memory.cpp: buffers and what is stored
  void declareParameters(const clang::FunctionDecl &function);
  std::optional<CPointer> arrayOf(const clang::VarDecl &v);
  std::string missingSizes(const clang::VariableArrayType &array) const;
  bool shapeOf(clang::QualType type, std::vector<std::int64_t> &shape, DType &element, const clang::VarDecl &v);
  void declareArray(const clang::VarDecl &v, NestBuffer::Kind kind);
  void initializeArray(const CPointer &first, const clang::VarDecl &v);
  void storeAll(const CPointer &first, int value, const clang::VarDecl &v);
  CValue load(const CPointer &p, const clang::Expr &e);
  void store(const CPointer &p, int value, clang::SourceLocation where);
  void assign(const clang::VarDecl *v, CValue value, clang::SourceLocation where);
  void emit(NestStatement s, std::size_t predicates);
  void keepOldValues(int buffer);
  void flushDelayed();

  // Small things
  std::optional<DType> typeOf(clang::QualType type) const;
  DType scalarType(clang::QualType type, clang::SourceLocation where);
  Location placeOf(clang::SourceLocation where) const;
  /// Legal C that no kernel says; and C that is wrong.
  void fail(std::string code, clang::SourceLocation where, std::string message, std::string hint);
  /// The text of a statement or expression, its first word or its first characters.
  std::string quoted(const clang::Stmt *s, bool isFirstWord) const;
  void failInput(std::string code, clang::SourceLocation where, std::string message, std::string hint);
  bool isFine() const { return errors_.empty(); }
  CValue scalarValue(int e) const { return {CValue::Kind::kScalar, e, {}}; }
  void markRead(int e);
  void markRead(const kernel::Affine &form);
  int newLoop(std::string name, std::int64_t extent, bool isSymbol);
  State save() const;
  void restore(const State &state);

  clang::ASTContext &context_;
  const kernel::Sizes &sizes_;
  Diagnostics errors_;
  Variables variables_;
  std::map<const clang::VarDecl *, CPointer> arrays_;  ///< first elements
  std::vector<Frame> frames_;
  std::vector<const Counting *> leaving_;  ///< loops around that `break` leaves
  /// Of loops that `break` leaves, by their bodies: stopped, at.
  std::map<const clang::Stmt *, std::pair<const clang::VarDecl *, const clang::VarDecl *>> breakVariables_;
  std::set<int> readSymbols_;
  std::set<int> storedBuffers_;
  std::vector<NestStatement> delayed_;    ///< side effects that wait for the end of the expression
  std::vector<NestStatement> constants_;  ///< what fills constant arrays, before everything else
  bool isDelaying_ = false;
  bool isTail_ = true;  ///< nothing follows in the loop body or function that the current statement belongs to
  int depth_ = 0;
  long steps_ = 0;
};

/// What a function must have to be read: the types of C as dtypes.
std::optional<DType> dtypeOf(const clang::ASTContext &context, clang::QualType type);

}  // namespace pimento::frontend
