// The layers of one block of a language model, as what each asks of a device; a model is the block in a loop.
//
// As the study of DCC has them (and AttAcc's simulator): queries, keys and values; attention; projection; feed-forward;
// two normalisations; sums over GPUs. Additions of residuals are part of a normalisation's traffic.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/llm/model.h"
#include "pimento/llm/operation.h"

namespace pimento::llm {

enum class LayerKind : std::uint8_t {
  kQkv,         ///< product: queries, keys, values
  kAttention,   ///< scores, softmax, context
  kProjection,  ///< product
  kNorm,
  kUp,  ///< product: the first half of the feed-forward part, with its gate
  kActivation,
  kDown,       ///< product: its second half
  kAllReduce,  ///< sum over GPUs
  kHead,       ///< product: scores of the vocabulary, once per token
};
/// "qkv", "attention", "projection", "norm", "up", "activation", "down", "all_reduce", "head".
std::string_view name(LayerKind kind);

/// One GPU's share of a layer.
struct Layer {
  LayerKind kind = LayerKind::kQkv;
  std::vector<Operation> operations;  ///< one after the other; of a sum none
  double bytes = 0;                   ///< of a sum: of the whole result

  bool isProduct() const {
    return kind == LayerKind::kQkv || kind == LayerKind::kProjection || kind == LayerKind::kUp ||
           kind == LayerKind::kDown || kind == LayerKind::kHead;
  }
};

/// Rows of tokens that go through a block together.
struct Step {
  std::int64_t requests = 1;  ///< each of as many tokens
  std::int64_t tokens = 1;    ///< of one request: 1 while tokens are generated, the prompt before
  std::int64_t length = 1;    ///< keys and values that a token attends to
  double elementBytes = 2;
};

/// One block on `gpus` GPUs. The model can be shared by as many (checkSharing).
std::vector<Layer> blockLayers(const Model &model, const Step &step, std::int64_t gpus);
/// Behind the last block.
Layer headLayer(const Model &model, const Step &step, std::int64_t gpus);

}  // namespace pimento::llm
