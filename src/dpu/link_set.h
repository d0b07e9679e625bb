// The objects of a link: who defines what, which objects of a library join, and which sections the program needs.
//
// A section is needed if the program's start leads to it through relocations, or if somebody outside may look for it:
// sections of MRAM and .dpu_host*, which hosts read and write by name, and those that are to be retained (the
// attributes used and retain, flag R). Sections that nobody needs are left out, and with them what only they refer to:
// an object of a library joins where a needed section refers to a symbol that is still missing.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/object.h"

namespace pimento::dpu {

/// The line that a place of a section comes from; the object's file where none is known.
Location placeIn(const Object &object, const Section &section, std::uint32_t offset);

class LinkSet {
 public:
  /// A symbol, by the numbers of its object and in it.
  struct Definition {
    std::size_t object = 0, symbol = 0;
    auto operator<=>(const Definition &) const = default;
  };

  /// `library` may be null; both must outlive the set.
  LinkSet(std::vector<Object> objects, const LinkOptions &options, const std::vector<Object> *library);

  /// Decides everything; once. Diagnostic: dpu-link-defined-twice.
  void settle(Diagnostics &found);

  std::vector<Object> &objects() { return objects_; }
  const std::vector<Object> &objects() const { return objects_; }
  const Symbol &symbolOf(const Definition &d) const { return objects_[d.object].symbols[d.symbol]; }
  bool isNeeded(std::size_t object, std::size_t section) const { return needed_.contains({object, section}); }
  bool isNeeded(const Definition &common) const { return commons_.contains(common); }
  const std::map<std::string, Definition, std::less<>> &globals() const { return globals_; }
  /// What needed sections refer to and nobody defines; weak references left out.
  const std::set<std::string> &undefined() const { return undefined_; }
  /// The definition that a reference from `object` to its symbol means; null: none.
  const Definition *definitionOf(std::size_t object, std::size_t symbol, Definition &own) const;

 private:
  using SectionNumber = std::pair<std::size_t, std::size_t>;

  Location placeOf(const Definition &d) const;
  void define(std::size_t object, Diagnostics &found);
  /// Takes the library's object that defines `name`, unless somebody defines it.
  void want(const std::string &name, Diagnostics &found);
  /// All sections of an object that are needed whoever refers to them.
  void addRoots(std::size_t object);
  /// The symbol that a reference to `name` means (LinkOptions::wrapped).
  std::string meant(const std::string &name) const;
  bool hasStart() const;
  void need(std::size_t object, std::size_t section);
  void need(const std::string &name);
  void follow(SectionNumber from, Diagnostics &found);

  std::vector<Object> objects_;
  const LinkOptions &options_;
  const std::vector<Object> *library_;
  bool collects_ = true;
  std::map<std::string, Definition, std::less<>> globals_;
  std::map<std::string, std::size_t, std::less<>> offers_;  ///< of the library: objects by what they define
  std::set<std::size_t> taken_;                             ///< of the library
  std::set<SectionNumber> needed_;
  std::set<Definition> commons_;
  std::vector<SectionNumber> open_;  ///< needed, and not yet looked into
  std::set<std::string> undefined_;
};

}  // namespace pimento::dpu
