// An answer: what a verb says as JSON, looked up by path, and as text for people. Both are made when they are asked
// for.
//
// Not another form of results: what their keys mean is the JSON's contract (docs/cli.md).
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pimento::capi {

class Answer {
 public:
  using Text = std::function<std::string()>;

  /// Both may be asked for by several threads, and are called once. A comparison has its rows, anything else is one
  /// row.
  Answer(Text json, Text table) : makeJson_(std::move(json)), makeTable_(std::move(table)) {}
  explicit Answer(std::string json, std::string table = {})
      : Answer([json = std::move(json)] { return json; }, [table = std::move(table)] { return table; }) {}

  const std::string &json() const;
  const std::string &table() const;
  std::size_t rows() const { return tree().size(); }
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
  const Json &tree() const;

  Text makeJson_, makeTable_;
  mutable std::once_flag hasJson_, hasTable_, hasRows_;
  mutable std::string json_, table_;
  mutable Json rows_;
};

}  // namespace pimento::capi
