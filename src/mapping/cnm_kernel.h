// Parses one kernel of CNM IR, from its name through its '}'. Internal to the room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pimento/mapping/cnm.h"
#include "pimento/mapping/cnm_spaces.h"
#include "pimento/mapping/cnm_text.h"

namespace pimento::mapping {

class CnmKernel {
 public:
  /// `operands`: numbers of the graph's tensors by name; `coefficients`: how many affine ones the text has so far.
  CnmKernel(CnmText &text, const CnmModule &module, const std::unordered_map<std::string, int> &operands,
            std::size_t &coefficients)
      : text_(text),
        module_(module),
        operands_(operands),
        coefficients_(coefficients),
        spaces_(text, module, kernel_) {}

  /// False: what follows cannot be read, since a block was left open.
  bool parse(const Location &where);
  /// What each point does, up to the '}' behind it, of a kernel whose dims are known: text of DCC.
  bool parseBody(kernel::Kernel kernel, std::vector<Location> dimPlaces);

  kernel::Kernel take() { return std::move(kernel_); }
  kernel::Places::OfKernel takePlaces() { return std::move(places_); }
  std::optional<MapSpec> takeMapping() { return spaces_.take(); }

 private:
  bool statements(const Location &where, std::string_view what);
  bool header(const Location &where);
  std::optional<bool> statement();
  bool induction(const Location &at);
  bool guard(const Location &where);
  bool request(const Location &where);
  bool value(const Location &where);
  bool valueRest(kernel::Value &into);
  bool constant(kernel::Value &into);
  bool floating(double &into);
  bool bound(const Location &where);
  bool predicate(const Location &where);
  bool limit(const Location &where);
  bool store(const Location &where);
  bool operand(int &into);
  bool element(kernel::Access &into);
  bool checkRank(const kernel::Access &access, const Location &where);
  bool affine(kernel::Affine &into);
  bool term(kernel::Affine &into, bool isNegative);
  bool variable(int &dim);
  bool unknownVariable(const std::string &name, const Location &where);
  bool numbering(char mark, std::size_t next, std::string_view what);
  bool reference(int &into, char mark, std::size_t known, std::string_view what);
  kernel::Affine zero() const { return {std::vector<std::int64_t>(kernel_.dims.size(), 0), 0}; }

  CnmText &text_;
  const CnmModule &module_;
  const std::unordered_map<std::string, int> &operands_;
  std::size_t &coefficients_;
  kernel::Kernel kernel_;
  kernel::Places::OfKernel places_;
  CnmSpaces spaces_;
  bool isPastInductions_ = false, isBody_ = false;
};

}  // namespace pimento::mapping
