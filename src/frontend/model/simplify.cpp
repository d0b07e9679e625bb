#include "pimento/frontend/model/simplify.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pimento::frontend::model {

namespace {

using kernel::TensorData;

class Simplifier {
 public:
  explicit Simplifier(Model &model) : model_(model) { index(); }

  void run() {
    for (std::size_t i = 0; i < model_.operators.size(); ++i) {
      const std::string &kind = model_.operators[i].kind;
      if (kind == "BatchNormalization") foldNormalisation(i);
      if (kind == "Div") joinReciprocal(i);
      if (kind == "Erf") joinGelu(i);
      if (kind == "Sigmoid") joinSilu(i);
      if (kind == "Sqrt") joinLayerNormalization(i);
    }
    dropUnused();
  }

 private:
  void index() {
    for (std::size_t i = 0; i < model_.operators.size(); ++i) {
      for (const std::string &name : model_.operators[i].inputs) readers_[name].push_back(i);
      for (const std::string &name : model_.operators[i].outputs) makers_[name] = i;
    }
    results_.insert(model_.outputs.begin(), model_.outputs.end());
  }

  Operator &at(std::size_t i) { return model_.operators[i]; }
  Operator *makerOf(const std::string &name, std::string_view kind) {
    const auto maker = makers_.find(name);
    return maker != makers_.end() && at(maker->second).kind == kind ? &at(maker->second) : nullptr;
  }
  /// The one operator that reads a value which is no result.
  std::optional<std::size_t> onlyReader(const std::string &name) {
    const auto readers = readers_.find(name);
    if (results_.contains(name) || readers == readers_.end() || readers->second.size() != 1) return std::nullopt;
    return readers->second.front();
  }
  const TensorData *constant(const std::string &name) {
    if (const auto found = model_.constants.find(name); found != model_.constants.end()) return &found->second;
    const Operator *maker = makerOf(name, "Constant");
    if (maker == nullptr) return nullptr;
    const auto value = maker->attributes.find("value");
    return value != maker->attributes.end() ? std::get_if<TensorData>(&value->second) : nullptr;
  }
  bool isNumber(const std::string &name, double x) {
    const TensorData *c = constant(name);
    constexpr double kNear = 1e-3;  // types may have few digits
    return c != nullptr && c->elements() == 1 && std::abs(c->asDouble(0) - x) <= kNear * std::abs(x);
  }
  /// The operand beside `one` of an operator with two; null: it does not have `one`.
  static const std::string *besides(const Operator &op, const std::string &one) {
    if (op.inputs.size() != 2) return nullptr;
    if (op.inputs[0] == one) return &op.inputs[1];
    return op.inputs[1] == one ? &op.inputs[0] : nullptr;
  }
  /// The operand of Mul, Add, ... that stands beside the number x.
  const std::string *besidesNumber(const Operator &op, double x) {
    if (op.inputs.size() != 2) return nullptr;
    if (isNumber(op.inputs[1], x)) return op.inputs.data();
    return isNumber(op.inputs[0], x) ? &op.inputs[1] : nullptr;
  }

  void replace(std::size_t i, std::string kind, std::vector<std::string> inputs,
               std::map<std::string, Attribute> with) {
    Operator &op = at(i);
    for (const std::string &name : op.inputs) std::erase(readers_[name], i);
    op.kind = std::move(kind);
    op.inputs = std::move(inputs);
    op.attributes = std::move(with);
    for (const std::string &name : op.inputs) readers_[name].push_back(i);
  }

  /// The weights of a convolution take what scales its result.
  void foldNormalisation(std::size_t i) {
    const Operator &norm = at(i);
    if (norm.inputs.size() < 5 || norm.outputs.empty()) return;
    Operator *conv = makerOf(norm.inputs[0], "Conv");
    if (conv == nullptr || onlyReader(norm.inputs[0]) != i || conv->inputs.size() < 2) return;
    const bool hasBias = conv->inputs.size() > 2 && !conv->inputs[2].empty();
    const TensorData *before = hasBias ? constant(conv->inputs[2]) : nullptr;
    const TensorData *given = constant(conv->inputs[1]);
    if (given == nullptr || given->shape.empty() || (hasBias && before == nullptr)) return;
    std::vector<const TensorData *> of;
    const std::int64_t channels = given->shape[0];
    for (std::size_t n = 1; n < 5; ++n) {
      of.push_back(constant(norm.inputs[n]));
      if (of.back() == nullptr || of.back()->elements() != channels) return;
    }
    if (channels == 0 || (before != nullptr && before->elements() != channels)) return;
    const auto epsilon = norm.attributes.find("epsilon");
    const auto *stated = epsilon == norm.attributes.end() ? nullptr : std::get_if<double>(&epsilon->second);
    TensorData weights = *given, bias(weights.type, {channels});
    const std::int64_t perChannel = weights.elements() / channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const double scale = of[0]->asDouble(c) / std::sqrt(of[3]->asDouble(c) + (stated != nullptr ? *stated : 1e-5));
      bias.setDouble(c,
                     ((before != nullptr ? before->asDouble(c) : 0) - of[2]->asDouble(c)) * scale + of[1]->asDouble(c));
      for (std::int64_t n = 0; n < perChannel; ++n)
        weights.setDouble(c * perChannel + n, weights.asDouble(c * perChannel + n) * scale);
    }
    const std::string result = norm.outputs.front();
    model_.constants[result + ".weights"] = std::move(weights);
    model_.constants[result + ".bias"] = std::move(bias);
    const auto convAt = static_cast<std::size_t>(conv - model_.operators.data());
    replace(convAt, "Conv", {conv->inputs[0], result + ".weights", result + ".bias"}, conv->attributes);
    // What it wrote, it writes under the normalisation's name.
    replace(i, "Identity", {}, {});
    at(i).outputs.clear();
    at(convAt).outputs = {result};
    makers_[result] = convAt;
  }

  void joinReciprocal(std::size_t i) {
    const Operator &quotient = at(i);
    const TensorData *one = quotient.inputs.size() == 2 ? constant(quotient.inputs[0]) : nullptr;
    if (one != nullptr && isFloat(one->type) && one->shape.size() <= 1 && isNumber(quotient.inputs[0], 1))
      replace(i, "Reciprocal", {quotient.inputs[1]}, {});
  }

  /// 0.5 x (1 + erf(x / sqrt 2)), its factors in any order.
  void joinGelu(std::size_t erf) {
    constexpr double kRoot2 = 1.41421356237309504880;
    if (at(erf).inputs.size() != 1) return;
    const std::string *x = nullptr;
    if (Operator *scaled = makerOf(at(erf).inputs[0], "Div"))
      x = scaled->inputs.size() == 2 && isNumber(scaled->inputs[1], kRoot2) ? scaled->inputs.data() : nullptr;
    else if (Operator *times = makerOf(at(erf).inputs[0], "Mul"))
      x = besidesNumber(*times, 1 / kRoot2);
    const auto plus = onlyReader(at(erf).outputs.front());
    if (x == nullptr || !plus || at(*plus).kind != "Add" || besidesNumber(at(*plus), 1) == nullptr) return;
    const std::string of = *x;
    bool hasHalf = false, hasX = false;
    std::size_t last = *plus;
    while (!hasHalf || !hasX) {
      const std::string product = at(last).outputs.front();
      const auto next = onlyReader(product);
      if (!next || at(*next).kind != "Mul") return;
      const std::string *other = besides(at(*next), product);
      if (other == nullptr) return;
      if (!hasHalf && isNumber(*other, 0.5)) {
        hasHalf = true;
      } else if (!hasX && *other == of) {
        hasX = true;
      } else if (Operator *half = makerOf(*other, "Mul"); half != nullptr && !hasHalf && !hasX) {
        const std::string *halved = besidesNumber(*half, 0.5);
        if (halved == nullptr || *halved != of) return;
        hasHalf = hasX = true;
      } else {
        return;
      }
      last = *next;
    }
    replace(last, "Gelu", {of}, {});
  }

  void joinSilu(std::size_t sigmoid) {
    if (at(sigmoid).inputs.size() != 1) return;
    const std::string result = at(sigmoid).outputs.front(), of = at(sigmoid).inputs[0];
    const auto product = onlyReader(result);
    if (!product || at(*product).kind != "Mul") return;
    const std::string *other = besides(at(*product), result);
    if (other != nullptr && *other == of) replace(*product, "Silu", {of}, {});
  }

  /// The last axes of a mean over them, which keeps them; their number.
  std::optional<std::int64_t> lastAxes(const Operator &mean) {
    const auto keeps = mean.attributes.find("keepdims");
    const auto *kept = keeps == mean.attributes.end() ? nullptr : std::get_if<std::int64_t>(&keeps->second);
    if (kept != nullptr && *kept == 0) return std::nullopt;
    std::vector<std::int64_t> axes;
    if (const auto given = mean.attributes.find("axes"); given != mean.attributes.end()) {
      if (const auto *list = std::get_if<std::vector<std::int64_t>>(&given->second)) axes = *list;
    } else if (const TensorData *c = mean.inputs.size() > 1 ? constant(mean.inputs[1]) : nullptr) {
      for (std::int64_t n = 0; n < c->elements(); ++n) axes.push_back(c->asInteger(n));
    }
    std::ranges::sort(axes);
    const auto count = static_cast<std::int64_t>(axes.size());
    for (std::int64_t n = 0; n < count; ++n)
      if (axes[static_cast<std::size_t>(n)] != n - count) return std::nullopt;
    return count > 0 ? std::optional(count) : std::nullopt;
  }

  /// d / sqrt(mean(d d) + epsilon) * scale + bias of d = x - mean(x).
  void joinLayerNormalization(std::size_t root) {
    const auto quotient = onlyReader(at(root).outputs.front());
    if (!quotient || at(*quotient).kind != "Div" || at(*quotient).inputs[1] != at(root).outputs.front()) return;
    const Operator *sum = makerOf(at(root).inputs[0], "Add");
    if (sum == nullptr) return;
    const TensorData *epsilon = constant(sum->inputs[1]);
    const Operator *variance = epsilon != nullptr ? makerOf(sum->inputs[0], "ReduceMean") : nullptr;
    if (variance == nullptr || epsilon->elements() != 1) return;
    const std::string difference = at(*quotient).inputs[0];
    const Operator *sub = makerOf(difference, "Sub");
    const Operator *mean = sub != nullptr ? makerOf(sub->inputs[1], "ReduceMean") : nullptr;
    if (mean == nullptr || mean->inputs[0] != sub->inputs[0]) return;
    // Some exporters subtract twice.
    const auto isDifference = [&](const std::string &name) {
      const Operator *same = makerOf(name, "Sub");
      return name == difference || (same != nullptr && same->inputs == sub->inputs);
    };
    const Operator *power = makerOf(variance->inputs[0], "Pow");
    const Operator *square = makerOf(variance->inputs[0], "Mul");
    const bool isPower = power != nullptr && isDifference(power->inputs[0]) && isNumber(power->inputs[1], 2);
    const bool isSquare = square != nullptr && isDifference(square->inputs[0]) && isDifference(square->inputs[1]);
    const auto axes = lastAxes(*mean);
    if ((!isPower && !isSquare) || !axes || lastAxes(*variance) != axes) return;
    const auto scaled = onlyReader(at(*quotient).outputs.front());
    if (!scaled || at(*scaled).kind != "Mul") return;
    const std::string *scale = besides(at(*scaled), at(*quotient).outputs.front());
    const auto isPerElement = [&](const std::string *name) {
      const TensorData *c = name != nullptr ? constant(*name) : nullptr;
      return c != nullptr && static_cast<std::int64_t>(c->shape.size()) == *axes && c->elements() > 1;
    };
    if (!isPerElement(scale)) return;
    std::vector<std::string> inputs = {sub->inputs[0], *scale};
    std::size_t last = *scaled;
    if (const auto biased = onlyReader(at(*scaled).outputs.front()); biased && at(*biased).kind == "Add") {
      const std::string *bias = besides(at(*biased), at(*scaled).outputs.front());
      if (isPerElement(bias)) {
        inputs.push_back(*bias);
        last = *biased;
      }
    }
    replace(last, "LayerNormalization", std::move(inputs), {{"axis", -*axes}, {"epsilon", epsilon->asDouble(0)}});
  }

  void dropUnused() {
    std::set<std::string> needed(model_.outputs.begin(), model_.outputs.end());
    std::vector<Operator> kept;
    for (std::size_t i = model_.operators.size(); i-- > 0;) {
      Operator &op = at(i);
      if (std::ranges::none_of(op.outputs, [&](const std::string &name) { return needed.contains(name); })) continue;
      needed.insert(op.inputs.begin(), op.inputs.end());
      kept.push_back(std::move(op));
    }
    std::ranges::reverse(kept);
    model_.operators = std::move(kept);
  }

  Model &model_;
  std::map<std::string, std::vector<std::size_t>> readers_;
  std::map<std::string, std::size_t> makers_;
  std::set<std::string> results_;
};

}  // namespace

void simplify(Model &model) {
  Simplifier(model).run();
}

}  // namespace pimento::frontend::model
