// Cuts a failing C program down while it still fails: lines, blocks, what stands in parentheses.
//
// Works on text, for programs with a statement a line. What does not compile any more does not fail as it should, so
// nothing here needs to know C.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::test {

class CReducer {
 public:
  /// `fails` says whether a text shows the failure; it is asked at most `questions` times.
  CReducer(std::string text, std::function<bool(const std::string &)> fails, int questions = 2000)
      : text_(std::move(text)), fails_(std::move(fails)), questions_(questions) {}

  std::string run() {
    for (bool isSmaller = true; isSmaller && questions_ > 0;) {
      isSmaller = removeLines();
      isSmaller |= unwrapBlocks();
      isSmaller |= shortenExpressions();
    }
    return text_;
  }

 private:
  using Lines = std::vector<std::string>;

  static Lines linesOf(const std::string &text) {
    Lines lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }
  static std::string textOf(const Lines &lines) {
    std::string text;
    for (const std::string &line : lines) text += line + "\n";
    return text;
  }

  bool accept(std::string candidate) {
    if (questions_ <= 0 || candidate.size() >= text_.size()) return false;
    --questions_;
    if (!fails_(candidate)) return false;
    text_ = std::move(candidate);
    return true;
  }

  // How many lines from `first` on belong together: a block with its end.
  static std::size_t extent(const Lines &lines, std::size_t first) {
    int open = 0;
    for (std::size_t i = first; i < lines.size(); ++i) {
      for (const char c : lines[i]) open += (c == '{') - (c == '}');
      if (open <= 0) return i - first + 1;
    }
    return 1;
  }

  bool removeLines() {
    bool isSmaller = false;
    for (std::size_t chunk = 64; chunk > 0; chunk /= 2) {
      // From the end, since what stands there is used by nobody.
      for (std::size_t at = linesOf(text_).size(); at-- > 0;) {
        Lines lines = linesOf(text_);
        if (at >= lines.size()) continue;
        std::size_t count = 0;
        for (std::size_t i = 0; i < chunk && at + count < lines.size(); ++i) count += extent(lines, at + count);
        count = std::min(count, lines.size() - at);
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at),
                    lines.begin() + static_cast<std::ptrdiff_t>(at + count));
        isSmaller |= accept(textOf(lines));
        if (chunk > 1) at -= std::min(at, chunk / 2);
      }
    }
    return isSmaller;
  }

  // A block gives way to what it contains.
  bool unwrapBlocks() {
    bool isSmaller = false;
    for (std::size_t at = 0; at < linesOf(text_).size(); ++at) {
      Lines lines = linesOf(text_);
      const std::size_t count = extent(lines, at);
      if (count < 2) continue;
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at + count - 1));
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      isSmaller |= accept(textOf(lines));
    }
    return isSmaller;
  }

  // What stands in parentheses becomes 0 or 1, or a part of it in parentheses.
  bool shortenExpressions() {
    bool isSmaller = false;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] != '(') continue;
      const std::size_t end = closing(at);
      if (end == std::string::npos || end - at < 3) continue;
      const std::string inside = text_.substr(at, end - at + 1);
      const auto with = [&](std::string_view other) {
        return accept(text_.substr(0, at) + std::string(other) + text_.substr(end + 1));
      };
      bool isShorter = with("0") || with("1");
      for (std::size_t part = 1; !isShorter && part < inside.size(); ++part) {
        if (inside[part] != '(') continue;
        const std::size_t partEnd = closing(at + part) - at;
        if (partEnd >= inside.size()) break;
        isShorter = with(inside.substr(part, partEnd - part + 1));
        part = partEnd;
      }
      isSmaller |= isShorter;
    }
    return isSmaller;
  }

  std::size_t closing(std::size_t at) const {
    int open = 0;
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      open += (text_[at] == '(') - (text_[at] == ')');
      if (open == 0) return at;
    }
    return std::string::npos;
  }

  std::string text_;
  std::function<bool(const std::string &)> fails_;
  int questions_;
};

}  // namespace pimento::test
