// An answer: the JSON of a comparison as a tree, looked up by path.
//
// Not another form of results: what their keys mean is the JSON's contract (docs/cli.md).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pimento::capi {

class Answer {
 public:
  /// `json`: what driver::compare gives.
  explicit Answer(std::string json);

  const std::string &json() const { return json_; }
  std::size_t rows() const { return rows_.size(); }
  bool isOk(std::size_t row) const;
  bool isAnyOk() const;
  /// The row with the least number at `path`.
  std::optional<std::size_t> least(std::string_view path) const;

  std::optional<double> number(std::size_t row, std::string_view path) const;
  /// Null where there is none.
  const std::string *text(std::size_t row, std::string_view path) const;
  std::size_t count(std::size_t row, std::string_view path) const;
  const std::string *key(std::size_t row, std::string_view path, std::size_t index) const;

 private:
  using Json = nlohmann::ordered_json;
  const Json *at(std::size_t row, std::string_view path) const;

  std::string json_;
  Json rows_;
};

}  // namespace pimento::capi
