#include "pimento/llm/layers.h"

#include <array>

namespace pimento::llm {

std::string_view name(LayerKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"qkv",        "attention", "projection", "norm", "up",
                                                      "activation", "down",      "all_reduce", "head"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Layer> blockLayers(const Model &model, const Step &step, std::int64_t gpus) {
  using enum LayerKind;
  using Kind = OperationKind;
  const auto g = static_cast<double>(gpus), d = static_cast<double>(model.hidden);
  const auto requests = static_cast<double>(step.requests), tokens = static_cast<double>(step.tokens);
  const auto length = static_cast<double>(step.length), headDim = static_cast<double>(model.headDim);
  const double db = step.elementBytes, rows = requests * tokens, ff = model.ff / g;
  const double groups = static_cast<double>(model.kvHeads) / g * requests;  // of heads that share keys and values
  const double queries = static_cast<double>(model.heads / model.kvHeads) * tokens;
  const auto product = [&](double inputs, double outputs) {
    return Operation{Kind::kLinear, rows, outputs, inputs, 1, db};
  };
  // Weights of queries, keys and values are cut by heads, those of the projection by inputs.
  const double share = g == 1 ? 1 : 1 / g;
  const Layer norm = {kNorm, {{Kind::kNorm, rows, d, 1, 1, db}}};
  const Layer sum = {kAllReduce, {}, rows * d * db};
  std::vector<Layer> block = {
      {kQkv, {product(d, model.qkvWidth() * share)}},
      {kAttention,
       {{Kind::kProducts, queries, length, headDim, groups, db},
        {Kind::kSoftmax, queries, length, 1, groups, db},
        {Kind::kProducts, queries, headDim, length, groups, db}}},
      {kProjection, {product(model.attentionWidth() * share, d)}},
      sum,
      norm,
  };
  Layer up = {kUp, {product(d, ff)}};
  if (model.isGated) up.operations.push_back(product(d, ff));
  block.push_back(std::move(up));
  block.push_back({kActivation, {{model.isGated ? Kind::kGated : Kind::kActivation, rows, ff, 1, 1, db}}});
  block.push_back({kDown, {product(ff, d)}});
  block.push_back(sum);
  block.push_back(norm);
  return block;
}

Layer headLayer(const Model &model, const Step &step, std::int64_t gpus) {
  const double rows = static_cast<double>(step.requests);  // the last token of each request
  const double share = static_cast<double>(model.vocabulary) / static_cast<double>(gpus);
  return {LayerKind::kHead,
          {{OperationKind::kLinear, rows, share, static_cast<double>(model.hidden), 1, step.elementBytes}}};
}

}  // namespace pimento::llm
