#include "pimento/dpu/link_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::dpu {

namespace {

constexpr std::string_view kBootstrapSection = ".text.__bootstrap", kBootstrap = "__bootstrap";

bool isForTheHost(const Section &section) {
  return section.memory == Memory::kMram || section.name.starts_with(".dpu_host");
}

}  // namespace

Location placeIn(const Object &object, const Section &section, std::uint32_t offset) {
  const auto after = std::upper_bound(section.lines.begin(), section.lines.end(), offset,
                                      [](std::uint32_t at, const SectionLine &l) { return at < l.offset; });
  if (after == section.lines.begin()) return {object.file};
  const SectionLine &line = *(after - 1);
  if (line.file < 0 || static_cast<std::size_t>(line.file) >= object.files.size()) return {object.file};
  return {object.files[static_cast<std::size_t>(line.file)], line.line, 0};
}

LinkSet::LinkSet(std::vector<Object> objects, const LinkOptions &options, const std::vector<Object> *library)
    : objects_(std::move(objects)), options_(options), library_(library), collects_(options.collects) {
  if (!library_) return;
  for (std::size_t i = 0; i < library_->size(); ++i) {
    for (const Symbol &symbol : (*library_)[i].symbols) {
      if (symbol.section != Symbol::kUndefined && symbol.binding != Binding::kLocal)
        offers_.try_emplace(symbol.name, i);
    }
  }
}

void LinkSet::settle(Diagnostics &found) {
  for (std::size_t i = 0; i < objects_.size(); ++i) define(i, found);
  if (!hasStart()) want(std::string(kBootstrap), found);
  // Without a start nothing says what is needed.
  collects_ = collects_ && hasStart();
  for (const std::string &name : options_.keep) want(name, found);
  for (std::size_t i = 0; i < objects_.size(); ++i) addRoots(i);
  need(std::string(kBootstrap));
  for (const std::string &name : options_.keep) need(name);
  while (!open_.empty()) {
    const SectionNumber next = open_.back();
    open_.pop_back();
    follow(next, found);
  }
}

Location LinkSet::placeOf(const Definition &d) const {
  const Object &object = objects_[d.object];
  const Symbol &symbol = symbolOf(d);
  if (symbol.section < 0) return {object.file};
  return placeIn(object, object.sections[static_cast<std::size_t>(symbol.section)], symbol.value);
}

void LinkSet::define(std::size_t object, Diagnostics &found) {
  for (std::size_t i = 0; i < objects_[object].symbols.size(); ++i) {
    const Symbol &symbol = objects_[object].symbols[i];
    if (symbol.section == Symbol::kUndefined || symbol.binding == Binding::kLocal) continue;
    const auto [at, isNew] = globals_.try_emplace(symbol.name, Definition{object, i});
    if (isNew) continue;
    const Symbol &other = symbolOf(at->second);
    auto rank = [](const Symbol &s) { return s.binding == Binding::kWeak ? 0 : s.section == Symbol::kCommon ? 1 : 2; };
    if (rank(symbol) == 2 && rank(other) == 2) {
      found.push_back(error("dpu-link-defined-twice", placeOf({object, i}),
                            fmt::format("'{}' is defined here and in {}", symbol.name, placeOf(at->second).str()),
                            "make one of the two local (no .globl) or .weak"));
    } else if (rank(symbol) > rank(other) || (rank(symbol) == 1 && rank(other) == 1 && symbol.size > other.size)) {
      at->second = {object, i};
    }
  }
}

void LinkSet::want(const std::string &name, Diagnostics &found) {
  if (globals_.contains(name)) return;
  const auto offer = offers_.find(name);
  if (offer == offers_.end() || !taken_.insert(offer->second).second) return;
  objects_.push_back((*library_)[offer->second]);
  define(objects_.size() - 1, found);
}

bool LinkSet::hasStart() const {
  if (globals_.contains(kBootstrap)) return true;
  return std::any_of(objects_.begin(), objects_.end(), [](const Object &o) {
    return std::any_of(o.sections.begin(), o.sections.end(),
                       [](const Section &s) { return s.name == kBootstrapSection; });
  });
}

void LinkSet::addRoots(std::size_t object) {
  const std::vector<Section> &sections = objects_[object].sections;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    if (!collects_ || sections[s].isRetained || sections[s].name == kBootstrapSection || isForTheHost(sections[s]))
      need(object, s);
  }
  if (collects_) return;
  for (std::size_t i = 0; i < objects_[object].symbols.size(); ++i)
    if (objects_[object].symbols[i].section == Symbol::kCommon) commons_.insert({object, i});
}

void LinkSet::need(std::size_t object, std::size_t section) {
  if (needed_.insert({object, section}).second) open_.emplace_back(object, section);
}

void LinkSet::need(const std::string &name) {
  const auto global = globals_.find(name);
  if (global == globals_.end()) return;
  const Symbol &symbol = symbolOf(global->second);
  if (symbol.section == Symbol::kCommon) commons_.insert(global->second);
  if (symbol.section >= 0) need(global->second.object, static_cast<std::size_t>(symbol.section));
}

std::string LinkSet::meant(const std::string &name) const {
  constexpr std::string_view kReal = "__real_";
  if (options_.wrapped.empty()) return name;
  if (options_.wrapped.contains(name)) return "__wrap_" + name;
  if (name.starts_with(kReal) && options_.wrapped.contains(name.substr(kReal.size()))) return name.substr(kReal.size());
  return name;
}

const LinkSet::Definition *LinkSet::definitionOf(std::size_t object, std::size_t symbol, Definition &own) const {
  const Symbol &referred = objects_[object].symbols[symbol];
  if (referred.binding == Binding::kLocal && referred.section != Symbol::kUndefined) {
    own = {object, symbol};
    return &own;
  }
  const auto global = globals_.find(referred.section == Symbol::kUndefined ? meant(referred.name) : referred.name);
  return global == globals_.end() ? nullptr : &global->second;
}

void LinkSet::follow(SectionNumber from, Diagnostics &found) {
  const std::size_t object = from.first;
  for (std::size_t i = 0; i < objects_[object].sections[from.second].relocations.size(); ++i) {
    const std::uint32_t symbol = objects_[object].sections[from.second].relocations[i].symbol;
    if (symbol >= objects_[object].symbols.size()) continue;  // the linker complains
    Definition own;
    const Definition *to = definitionOf(object, symbol, own);
    if (!to) {
      Symbol referred = objects_[object].symbols[symbol];
      if (referred.section == Symbol::kUndefined) referred.name = meant(referred.name);
      if (referred.binding == Binding::kWeak || referred.name.empty()) continue;
      const std::size_t before = objects_.size();
      want(referred.name, found);
      for (std::size_t o = before; o < objects_.size(); ++o) addRoots(o);
      to = definitionOf(object, symbol, own);
      if (!to) undefined_.insert(referred.name);
    }
    if (!to) continue;
    const Symbol &defined = symbolOf(*to);
    if (defined.section == Symbol::kCommon) commons_.insert(*to);
    if (defined.section >= 0) need(to->object, static_cast<std::size_t>(defined.section));
  }
}

}  // namespace pimento::dpu
