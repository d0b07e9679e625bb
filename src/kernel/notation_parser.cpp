#include "pimento/kernel/notation_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "pimento/kernel/notation_lexer.h"

namespace pimento::kernel {

namespace {

/// Nesting beyond this is no formula anyone wrote; the limit keeps recursion bounded here and in notation.cpp.
constexpr int kMaxDepth = 200;
constexpr int kMaxLoops = 8;
/// Of + and -: bounds of loops have no comparisons.
constexpr int kSumBinding = 6;

struct Operator {
  std::string_view text;
  int binding;
};

/// Loosest first, as in Python: comparisons bind looser than bit operations.
constexpr std::array<Operator, 16> kOperators{{{"==", 1},
                                               {"!=", 1},
                                               {"<", 1},
                                               {"<=", 1},
                                               {">", 1},
                                               {">=", 1},
                                               {"|", 2},
                                               {"^", 3},
                                               {"&", 4},
                                               {"<<", 5},
                                               {">>", 5},
                                               {"+", 6},
                                               {"-", 6},
                                               {"*", 7},
                                               {"/", 7},
                                               {"%", 7}}};

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::string &file) : tokens_(std::move(tokens)), file_(file) {}

  Result<SyntaxTree> run() {
    skipSeparators();
    while (!failure_ && current().kind != TokenKind::kEnd) {
      parseStatement();
      if (failure_) break;
      const bool isOpening = tree_.statements.back().kind == Statement::Kind::kFor;
      if (!isOpening && !isSymbol("}") && current().kind != TokenKind::kSeparator &&
          current().kind != TokenKind::kEnd) {
        fail(current(), fmt::format("expected the end of the statement, found {}", shown(current())),
             "separate statements with ';' and operands with an operator");
      }
      skipSeparators();
    }
    if (!failure_ && open_ > 0) fail(current(), "a loop is not closed", "write, for example, 'for k in 0..n { ... }'");
    if (failure_) return *failure_;
    if (tree_.statements.empty()) {
      return error("empty-notation", {file_, 1, 1}, "the statement is missing",
                   "write, for example, 'y[i] += A[i,j] * x[j]'");
    }
    return std::move(tree_);
  }

 private:
  const Token &current() const { return tokens_[at_]; }
  void next() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  bool isSymbol(std::string_view text) const { return current().kind == TokenKind::kSymbol && current().text == text; }

  void skipSeparators() {
    while (current().kind == TokenKind::kSeparator) next();
  }
  /// A line may end after an operator.
  void skipLineEnds() {
    while (current().kind == TokenKind::kSeparator && current().text == "\n") next();
  }

  static std::string shown(const Token &token) {
    if (token.kind == TokenKind::kEnd) return "the end";
    if (token.text == "\n") return "the end of the line";
    return fmt::format("'{}'", token.text);
  }

  /// Keeps the first failure.
  int fail(const Token &where, const std::string &message, std::string hint, const char *code = "syntax") {
    if (!failure_) failure_ = error(code, {file_, where.line, where.column}, message, std::move(hint));
    return -1;
  }

  bool expect(std::string_view symbol, const std::string &after) {
    if (isSymbol(symbol)) {
      next();
      return true;
    }
    fail(current(), fmt::format("expected '{}' {}, found {}", symbol, after, shown(current())),
         fmt::format("close or complete the expression with '{}'", symbol));
    return false;
  }

  int add(SyntaxNode::Kind kind, const Token &token, std::string_view text, std::vector<int> children = {}) {
    SyntaxNode node;
    node.kind = kind;
    node.text = std::string(text);
    node.line = token.line;
    node.column = token.column;
    for (const int child : children) {
      if (child < 0) return -1;
      node.depth = std::max(node.depth, tree_.nodes[static_cast<std::size_t>(child)].depth + 1);
    }
    if (node.depth > kMaxDepth) return tooDeep(token);
    node.children = std::move(children);
    tree_.nodes.push_back(std::move(node));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  int tooDeep(const Token &token) {
    return fail(token, fmt::format("the expression nests more than {} operations", kMaxDepth),
                "split it into several statements", "too-deep");
  }

  void parseStatement() {
    Statement statement;
    statement.line = current().line;
    statement.column = current().column;
    if (isSymbol("}") && open_ > 0) {
      --open_;
      next();
      statement.kind = Statement::Kind::kEnd;
      tree_.statements.push_back(statement);
      return;
    }
    if (isWord("for") && ahead().kind == TokenKind::kName) return parseLoop(statement);
    if (isWord("swap") && ahead().kind == TokenKind::kName) return parseSwap(statement);
    if (current().kind != TokenKind::kName) {
      fail(current(), fmt::format("a statement starts with the tensor it writes, found {}", shown(current())),
           "write, for example, 'y[i] = ...'");
      return;
    }
    statement.target = parseReference();
    if (failure_) return;
    const Token assign = current();
    if (assign.kind != TokenKind::kAssign) {
      fail(assign, fmt::format("expected an assignment, found {}", shown(assign)),
           "choices: =, +=, *=, min=, max=, append=");
      return;
    }
    static constexpr std::array<std::string_view, 5> kAssigns{"=", "+=", "*=", "min=", "max="};
    const auto which = std::find(kAssigns.begin(), kAssigns.end(), assign.text) - kAssigns.begin();
    const bool isAppend = which == static_cast<std::ptrdiff_t>(kAssigns.size());
    if (isAppend) statement.kind = Statement::Kind::kAppend;
    statement.combine = isAppend ? Combine::kAssign : static_cast<Combine>(which);
    statement.assignLine = assign.line;
    statement.assignColumn = assign.column;
    next();
    skipLineEnds();
    statement.value = parseExpression();
    if (isAppend) parseSelection(statement);
    if (!failure_ && takeWord("with")) parseWith(statement);
    if (!failure_ && takeWord("for")) {
      do {
        skipLineEnds();
        parseRange(statement);
      } while (!failure_ && takeSymbol(","));
    }
    if (!failure_ && takeWord("where")) {
      do {
        skipLineEnds();
        statement.conditions.push_back(parseExpression());
      } while (!failure_ && takeSymbol(","));
    }
    if (!failure_) tree_.statements.push_back(std::move(statement));
  }

  bool isWord(std::string_view word) const { return current().kind == TokenKind::kName && current().text == word; }
  const Token &ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool takeWord(std::string_view word) {
    if (!isWord(word)) return false;
    next();
    return true;
  }
  bool takeSymbol(std::string_view symbol) {
    if (!isSymbol(symbol)) return false;
    next();
    return true;
  }

  std::string takeName() {
    if (current().kind != TokenKind::kName) {
      fail(current(), fmt::format("expected a name, found {}", shown(current())), "names are letters, digits and _");
      return {};
    }
    std::string name(current().text);
    next();
    return name;
  }

  /// ... for NAME in LOW..HIGH
  void parseRange(Statement &statement) {
    const char *const hint = "write, for example, 'y[i] += v[e] * x[c[e]] for e in p[i]..p[i+1]'";
    Statement::Range range;
    const Token name = current();
    const std::string index = takeName();
    if (!failure_) range.index = add(SyntaxNode::Kind::kName, name, index);
    if (!failure_ && !takeWord("in")) fail(current(), fmt::format("expected 'in', found {}", shown(current())), hint);
    if (!failure_) range.low = parseBinary(kSumBinding);
    if (!failure_) expect("..", "between the bounds");
    if (!failure_) range.high = parseBinary(kSumBinding);
    if (!failure_) statement.ranges.push_back(range);
  }

  /// for NAME in LOW..HIGH {
  void parseLoop(Statement &statement) {
    statement.kind = Statement::Kind::kFor;
    next();
    statement.name = takeName();
    if (!failure_ && !takeWord("in"))
      fail(current(), fmt::format("expected 'in', found {}", shown(current())),
           "write, for example, 'for k in 0..n { ... }'");
    if (!failure_) statement.low = parseBinary(kSumBinding);
    if (!failure_) expect("..", "between the bounds");
    if (!failure_) statement.high = parseBinary(kSumBinding);
    if (!failure_) expect("{", "before the loop's statements");
    if (!failure_ && open_ == kMaxLoops)
      fail(current(), fmt::format("more than {} nested loops", kMaxLoops), "use fewer");
    if (failure_) return;
    ++open_;
    tree_.statements.push_back(std::move(statement));
  }

  void parseSwap(Statement &statement) {
    statement.kind = Statement::Kind::kSwap;
    next();
    statement.name = takeName();
    if (!failure_) expect(",", "between the two tensors");
    if (!failure_) statement.other = takeName();
    if (!failure_) tree_.statements.push_back(std::move(statement));
  }

  /// ... if CONDITION [count REFERENCE] [limit NUMBER]
  void parseSelection(Statement &statement) {
    if (failure_) return;
    if (!takeWord("if")) {
      fail(current(), fmt::format("expected 'if', found {}", shown(current())),
           "a selection is: o[i] append= x[i,j] if x[i,j] > 0 count n[i] limit 8");
      return;
    }
    statement.predicate = parseExpression();
    if (!failure_ && takeWord("count")) statement.count = parseReference();
    if (!failure_ && takeWord("limit")) statement.limit = parsePrimary();
  }

  /// ... with REFERENCE = EXPRESSION
  void parseWith(Statement &statement) {
    if (current().kind != TokenKind::kName) {
      fail(current(), fmt::format("expected a tensor, found {}", shown(current())),
           "write, for example, 'with b[i] = j'");
      return;
    }
    statement.withTarget = parseReference();
    if (!failure_ && (current().kind != TokenKind::kAssign || current().text != "="))
      fail(current(), fmt::format("expected '=', found {}", shown(current())), "write, for example, 'with b[i] = j'");
    if (failure_) return;
    next();
    statement.withValue = parseExpression();
  }

  /// NAME or NAME[...].
  int parseReference() {
    const Token name = current();
    next();
    if (!isSymbol("[")) return add(SyntaxNode::Kind::kName, name, name.text);
    next();
    std::vector<int> indices = parseList("]", "after the indices");
    return failure_ ? -1 : add(SyntaxNode::Kind::kElement, name, name.text, std::move(indices));
  }

  /// Expressions separated by commas up to and including `close`; may be empty.
  std::vector<int> parseList(std::string_view close, const std::string &after) {
    std::vector<int> items;
    if (!isSymbol(close)) {
      items.push_back(parseExpression());
      while (!failure_ && isSymbol(",")) {
        next();
        items.push_back(parseExpression());
      }
    }
    if (!failure_) expect(close, after);
    return items;
  }

  int parseExpression() {
    if (nesting_ >= kMaxDepth) return tooDeep(current());
    ++nesting_;
    const int result = parseChoice();
    --nesting_;
    return result;
  }

  int parseChoice() {
    const int condition = parseBinary(1);
    if (failure_ || !isSymbol("?")) return condition;
    const Token question = current();
    next();
    skipLineEnds();
    const int yes = parseExpression();
    if (failure_) return -1;
    if (!expect(":", "between the two choices")) return -1;
    skipLineEnds();
    const int no = parseExpression();
    return failure_ ? -1 : add(SyntaxNode::Kind::kChoice, question, "?", {condition, yes, no});
  }

  const Operator *currentOperator() const {
    if (current().kind != TokenKind::kSymbol) return nullptr;
    const auto found =
        std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator &o) { return o.text == current().text; });
    return found == kOperators.end() ? nullptr : &*found;
  }

  /// Precedence climbing; operators of one binding associate to the left.
  int parseBinary(int binding) {
    int left = parseUnary();
    while (!failure_) {
      const Operator *op = currentOperator();
      if (!op || op->binding < binding) return left;
      const Token token = current();
      next();
      skipLineEnds();
      const int right = parseBinary(op->binding + 1);
      if (failure_) return -1;
      left = add(SyntaxNode::Kind::kBinary, token, token.text, {left, right});
    }
    return -1;
  }

  int parseUnary() {
    if (!isSymbol("-") && !isSymbol("+")) return parsePrimary();
    const Token sign = current();
    next();
    if (++nesting_ > kMaxDepth) return tooDeep(sign);
    const int operand = parseUnary();
    --nesting_;
    return failure_ ? -1 : add(SyntaxNode::Kind::kUnary, sign, sign.text, {operand});
  }

  int parsePrimary() {
    const Token token = current();
    if (token.kind == TokenKind::kNumber) {
      next();
      return add(SyntaxNode::Kind::kNumber, token, token.text);
    }
    if (token.kind == TokenKind::kName) {
      if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == "(") return parseCall();
      return parseReference();
    }
    if (isSymbol("(")) {
      next();
      const int inner = parseExpression();
      return !failure_ && expect(")", "after the expression") ? inner : -1;
    }
    return fail(token, fmt::format("expected a number, a tensor, an index or a function, found {}", shown(token)),
                "complete the expression, for example with x[i] or 2.5");
  }

  int parseCall() {
    const Token name = current();
    next();
    next();
    std::vector<int> arguments = parseList(")", "after the arguments");
    return failure_ ? -1 : add(SyntaxNode::Kind::kCall, name, name.text, std::move(arguments));
  }

  std::vector<Token> tokens_;
  const std::string &file_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int open_ = 0;  ///< loops
  SyntaxTree tree_;
  std::optional<Diagnostic> failure_;
};

}  // namespace

Result<SyntaxTree> parseSyntax(std::string_view text, const std::string &file) {
  auto tokens = lexNotation(text, file);
  if (!tokens) return std::move(tokens.diagnostics());
  return Parser(std::move(*tokens), file).run();
}

}  // namespace pimento::kernel
