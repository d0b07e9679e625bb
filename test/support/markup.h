// A strict look at the page's markup: every element is closed in order, attributes are quoted and there once, text
// holds no bare '<' or '&'. Stricter than HTML, which mends all of that silently.
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::test {

/// Reads a page; `problems` is empty if it is well formed. Contents of script and style elements are kept, not read.
class Markup {
 public:
  explicit Markup(std::string_view text) : text_(text) {
    constexpr std::string_view kDoctype = "<!DOCTYPE html>";
    if (!text_.starts_with(kDoctype))
      complain("no doctype");
    else
      at_ = kDoctype.size();
    while (at_ < text_.size() && problems.size() < 10) text_[at_] == '<' ? tag() : characters();
    if (!open_.empty()) complain("not closed: " + open_.back());
  }

  struct Element {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;

    std::string get(std::string_view key) const {
      for (const auto &[k, v] : attributes)
        if (k == key) return v;
      return {};
    }
  };

  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(elements.begin(), elements.end(), [&](const Element &e) { return e.name == name; }));
  }

  std::vector<std::string> problems;
  std::vector<Element> elements;
  std::vector<std::string> scripts;
  std::string visible;  ///< text outside of scripts and styles, entities as they are

 private:
  void complain(const std::string &what) {
    problems.push_back("byte " + std::to_string(at_) + ": " + what + ": " + std::string(text_.substr(at_, 60)));
  }

  void characters() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string_view run = text_.substr(at_, end - at_);
    checkEntities(run);
    visible += run;
    at_ = end;
  }

  void checkEntities(std::string_view run) {
    for (std::size_t i = run.find('&'); i != std::string_view::npos; i = run.find('&', i + 1)) {
      const std::size_t end = run.find(';', i);
      const bool isEntity = end != std::string_view::npos && end - i > 1 && end - i < 9;
      if (!isEntity) complain("a bare '&' in '" + std::string(run.substr(i, 20)) + "'");
    }
    for (const char c : run)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        complain("a control character");
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-')) ++at_;
    if (at_ == begin) {
      complain("a name is missing");
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  void tag() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '/') {
      ++at_;
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed)
        complain("</" + closed + "> closes " + (open_.empty() ? "nothing" : open_.back()));
      else
        open_.pop_back();
      if (at_ >= text_.size() || text_[at_] != '>') return complain("'>' is missing");
      ++at_;
      return;
    }
    Element e{name(), {}};
    const bool isClosed = attributes(e);
    elements.push_back(e);
    if (!isClosed) open_.push_back(e.name);
    if (!isClosed && (e.name == "script" || e.name == "style")) {
      const std::size_t end = std::min(text_.find("</" + e.name, at_), text_.size());
      if (e.name == "script") scripts.emplace_back(text_.substr(at_, end - at_));
      at_ = end;
    }
  }

  /// Whether the element ends here ("/>").
  bool attributes(Element &e) {
    while (at_ < text_.size() && problems.size() < 10) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      if (text_.substr(at_).starts_with("/>")) {
        at_ += 2;
        return true;
      }
      if (at_ < text_.size() && text_[at_] == '>') {
        ++at_;
        return false;
      }
      const std::string key = name();
      if (!e.get(key).empty()) complain("'" + key + "' is there twice");
      if (!text_.substr(at_).starts_with("=\"")) {
        complain("'" + key + "' has no quoted value");
        return false;
      }
      at_ += 2;
      const std::size_t end = std::min(text_.find('"', at_), text_.size());
      const std::string_view value = text_.substr(at_, end - at_);
      if (value.find('<') != std::string_view::npos) complain("a bare '<' in '" + key + "'");
      checkEntities(value);
      e.attributes.emplace_back(key, value);
      at_ = end + 1;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
};

}  // namespace pimento::test
