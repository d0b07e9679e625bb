#include "pimento/emit/html/node.h"

#include <fmt/format.h>

#include "pimento/base/suggest.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kMaxProblems = 10;
constexpr std::size_t kMaxKeysInHint = 40;
// Sums, ratios and axes stay finite between these.
constexpr double kLeastAmount = 1e-30, kMostAmount = 1e30;

const Json kNothing = nullptr;

std::string_view kindOf(const Json &json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_string()) return "a string";
  if (json.is_boolean()) return "true or false";
  if (json.is_number()) return "a number";
  return "null";
}

constexpr const char *kWriteAgain = "write the file again with --json; docs/cli.md describes the keys";

}  // namespace

void Problems::add(std::string code, std::string message, std::string hint) {
  if (list_.size() >= kMaxProblems) return;
  list_.push_back(error(std::move(code), {file_, 0, 0}, std::move(message), std::move(hint)));
}

Node Node::member(std::string_view key, const Json &value) const {
  return {value, *problems_, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

void Node::wrongType(std::string_view needed) const {
  if (json_ == &kNothing) return;  // that it is missing was said
  problems_->add(
      "wrong-type",
      fmt::format("{} is {}, not {}", path_.empty() ? "the text" : "'" + path_ + "'", kindOf(*json_), needed),
      kWriteAgain);
}

void Node::refuse(std::string_view why, std::string_view hint) const {
  problems_->add("bad-value", fmt::format("'{}' {}", path_, why), std::string(hint));
}

Node Node::at(std::string_view key) const {
  if (!json_->is_object()) {
    wrongType("an object");
    return member(key, kNothing);
  }
  const auto it = json_->find(key);
  if (it != json_->end()) return member(key, *it);
  std::vector<std::string> keys;
  for (auto k = json_->begin(); k != json_->end() && keys.size() < kMaxKeysInHint; ++k) keys.push_back(k.key());
  const std::string near = nearest(key, keys);
  problems_->add(
      "missing-key",
      path_.empty() ? fmt::format("the key '{}' is missing", key) : fmt::format("'{}' has no key '{}'", path_, key),
      near.empty() ? kWriteAgain : fmt::format("did you mean '{}'? docs/cli.md describes the keys", near));
  return member(key, kNothing);
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!json_->is_object()) {
    if (!json_->is_null()) wrongType("an object");
    return std::nullopt;
  }
  const auto it = json_->find(key);
  if (it == json_->end() || it->is_null()) return std::nullopt;
  return member(key, *it);
}

double Node::number() const {
  if (json_->is_number()) return json_->get<double>();
  wrongType("a number");
  return 0;
}

double Node::amount() const {
  const double x = number();
  if (x > kMostAmount) {
    refuse(fmt::format("is {}, which is out of range", x), kWriteAgain);
    return 0;
  }
  if (x >= 0) return x < kLeastAmount ? 0 : x;
  refuse(fmt::format("is {}; it cannot be negative", x), kWriteAgain);
  return 0;
}

std::string Node::text() const {
  if (json_->is_string()) return json_->get_ref<const std::string &>();
  wrongType("a string");
  return {};
}

bool Node::truth() const {
  if (json_->is_boolean()) return json_->get<bool>();
  wrongType("true or false");
  return false;
}

std::vector<Node> Node::items() const {
  std::vector<Node> out;
  if (!json_->is_array()) {
    wrongType("a list");
    return out;
  }
  out.reserve(json_->size());
  for (const Json &item : *json_) out.push_back({item, *problems_, fmt::format("{}[{}]", path_, out.size())});
  return out;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> out;
  if (!json_->is_object()) {
    wrongType("an object");
    return out;
  }
  for (auto it = json_->begin(); it != json_->end(); ++it) out.emplace_back(it.key(), member(it.key(), it.value()));
  return out;
}

std::vector<std::string> Node::texts() const {
  std::vector<std::string> out;
  for (const Node &item : items()) out.push_back(item.text());
  return out;
}

double Node::amountOr(std::string_view key, double otherwise) const {
  return maybeAmount(key).value_or(otherwise);
}

std::optional<double> Node::maybeAmount(std::string_view key) const {
  const std::optional<Node> node = find(key);
  if (!node) return std::nullopt;
  return node->amount();
}

std::string Node::textOr(std::string_view key, std::string_view otherwise) const {
  const std::optional<Node> node = find(key);
  return node ? node->text() : std::string(otherwise);
}

std::vector<std::string> Node::textsOr(std::string_view key) const {
  const std::optional<Node> node = find(key);
  return node ? node->texts() : std::vector<std::string>{};
}

}  // namespace pimento::emit::html
