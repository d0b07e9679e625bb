// A value of a JSON text and the path to it, so that what is missing or of the wrong type is said with its path.
//
// Reading goes on after a mistake, with an empty value, so that one run names them all (up to a limit). A Node refers
// to the JSON and to the list of messages, and must not outlive them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::emit::html {

using Json = nlohmann::json;

/// What is wrong with one text.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// One message, unless there are many already.
  void add(std::string code, std::string message, std::string hint);
  bool any() const { return !list_.empty(); }
  const Diagnostics &list() const { return list_; }
  const std::string &file() const { return file_; }

 private:
  std::string file_;
  Diagnostics list_;
};

class Node {
 public:
  /// The whole text's value.
  Node(const Json &json, Problems &problems) : json_(&json), problems_(&problems) {}

  /// The member `key`, which an object must have. "wrong-type", "missing-key".
  Node at(std::string_view key) const;
  /// The member `key`; empty where there is none, or it is null. "wrong-type" where this is no object.
  std::optional<Node> find(std::string_view key) const;

  /// The value as a number, text, ...: "wrong-type" and an empty value where it is none.
  double number() const;
  /// A number from 0 to 1e30: "bad-value". Less than 1e-30 is 0.
  double amount() const;
  std::string text() const;
  bool truth() const;
  std::vector<Node> items() const;
  std::vector<std::pair<std::string, Node>> members() const;
  std::vector<std::string> texts() const;

  bool isNull() const { return json_->is_null(); }
  bool isNumber() const { return json_->is_number(); }
  bool isText() const { return json_->is_string(); }
  bool isList() const { return json_->is_array(); }
  bool isObject() const { return json_->is_object(); }
  std::size_t size() const { return json_->size(); }

  // Members that may be missing or null, as older results have it.
  double amountOr(std::string_view key, double otherwise) const;
  std::optional<double> maybeAmount(std::string_view key) const;
  std::string textOr(std::string_view key, std::string_view otherwise) const;
  std::vector<std::string> textsOr(std::string_view key) const;

  /// "stages[2].cycles"
  const std::string &path() const { return path_; }
  /// Says that the value cannot be: "bad-value".
  void refuse(std::string_view why, std::string_view hint) const;

 private:
  Node(const Json &json, Problems &problems, std::string path)
      : json_(&json), problems_(&problems), path_(std::move(path)) {}
  void wrongType(std::string_view needed) const;
  Node member(std::string_view key, const Json &value) const;

  const Json *json_;
  Problems *problems_;
  std::string path_;
};

}  // namespace pimento::emit::html
