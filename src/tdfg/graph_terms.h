// A region's graph as terms of an e-graph, and back. Boxes, forms and dims are literals; the fact about a class is the
// domain of its terms, on which all of them agree. Internal to the room.
//
//   (tensor0 box1)            (mv d0 form2 X)      (shrink box3 X)
//   (add.f32 X Y)             (bc d1 form2 form4 X)
//   (outputs X (outputs Y none))
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/tdfg/always.h"
#include "pimento/tdfg/egraph/egraph.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

class GraphTerms final : public egraph::Analysis {
 public:
  /// The region must outlive it.
  GraphTerms(const Program &program, const Region &region);

  egraph::Language &language() { return language_; }
  const Always &always() const { return always_; }

  /// The region's outputs.
  egraph::Term encode(egraph::Terms &terms);
  /// Nodes and outputs of `region` become those of the term. Boxes around outputs go: an output says itself which cells
  /// it takes.
  void decode(const egraph::Terms &terms, egraph::Term root, Region &region) const;
  /// The node that a term is, without its arguments; null: a literal, or what holds outputs together. Of moves and
  /// broadcasts the type is the widest that the region moves.
  std::optional<Node> nodeOf(const egraph::Terms &terms, egraph::Term t) const;

  egraph::Op literal(const Box &box);
  egraph::Op literal(const Form &form);
  egraph::Op literal(int dim);

  /// Compute nodes and arrays of the region, one operator each.
  struct Compute {
    egraph::Op op;
    kernel::Op operation;
    DType type;  ///< of its arguments as of its result
    int arity;
  };
  const std::vector<Compute> &computes() const { return computes_; }
  const std::vector<egraph::Op> &tensors() const { return tensors_; }
  int arrayOf(egraph::Op tensor) const { return prototypes_.at(tensor).array; }

  /// ---- Facts ----
  enum class What : std::uint8_t { kUnknown, kEverywhere, kDomain, kBox, kForm, kDim };
  egraph::Fact of(egraph::Op op, std::span<const egraph::Fact> arguments) override;
  egraph::Fact merge(egraph::Fact a, egraph::Fact b) override;
  What what(egraph::Fact fact) const { return meanings_[fact].what; }
  bool isEverywhere(egraph::Fact fact) const { return what(fact) == What::kEverywhere; }
  /// Null: unknown.
  const Box *domain(egraph::Fact fact) const { return boxOf(fact, What::kDomain); }
  const Box *boxLiteral(egraph::Fact fact) const { return boxOf(fact, What::kBox); }
  const Form *formLiteral(egraph::Fact fact) const;
  int dimLiteral(egraph::Fact fact) const { return meanings_[fact].dim; }
  /// Facts that classes disagreed on; 0 unless a rule is wrong.
  int contradictions() const { return contradictions_; }
  /// Of what moves: within the bounding box. Nothing: it is not known how far that reaches.
  std::optional<Box> moved(const Box &box, int dim, const Form &by) const;
  std::optional<Box> repeated(const Box &box, int dim, const Form &first, const Form &count) const;

 private:
  struct Meaning {
    What what = What::kUnknown;
    Box box{};
    Form form{};
    int dim = -1;
    bool operator==(const Meaning &) const = default;
  };
  egraph::Fact fact(Meaning meaning);
  egraph::Fact domainFact(std::optional<Box> box);
  const Box *boxOf(egraph::Fact fact, What what) const;
  /// Along `dim` alone: along others it lay in the box before.
  std::optional<Box> inBounds(Box box, int dim) const;
  std::string textOf(const Box &box) const { return print(box, program_.names); }
  egraph::Op operatorOf(const std::string &name, int arity, const Node &node);
  egraph::Term encode(egraph::Terms &terms, std::size_t node);
  egraph::Term leaf(egraph::Terms &terms, egraph::Op literal) { return terms.add(literal, {}).first; }
  int decodeNode(const egraph::Terms &terms, egraph::Term t, Region &region, std::map<egraph::Term, int> &done) const;

  const Program &program_;
  const Region &region_;
  Always always_;
  std::vector<std::optional<Range>> bounding_;  ///< by dim
  egraph::Language language_;
  std::map<egraph::Op, Node> prototypes_;
  std::map<egraph::Op, Meaning> literals_;
  std::map<std::string, egraph::Op> boxes_, forms_;
  std::vector<Compute> computes_;
  std::vector<egraph::Op> tensors_;
  DType moved_ = DType::kU8;  ///< the widest that moves
  egraph::Op mv_, bc_, shrink_, outputs_, none_;
  std::vector<Meaning> meanings_;
  std::map<std::string, std::vector<egraph::Fact>> factsByText_;
  std::vector<egraph::Term> encoded_;
  int contradictions_ = 0;
};

}  // namespace pimento::tdfg
