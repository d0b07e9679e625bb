// A decoder-only language model by its numbers: blocks of attention and a feed-forward part, all alike.
//
// Not its weights: here is what they weigh. Numbers come from a table (llms/models.csv).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::llm {

struct Model {
  std::string name;
  std::int64_t layers = 1;              ///< blocks
  std::int64_t hidden = 1;              ///< elements of a token
  std::int64_t heads = 1, kvHeads = 1;  ///< of queries; of keys and values
  std::int64_t headDim = 1;
  double ff = 1;         ///< width of the feed-forward part; published models have fractions
  bool isGated = false;  ///< with a gate: three products
  std::int64_t vocabulary = 1;
  bool isTied = true;  ///< the last product has the embedding's weights
  std::string source;

  /// Elements of queries, keys and values of a token.
  double qkvWidth() const { return static_cast<double>((heads + 2 * kvHeads) * headDim); }
  /// Elements of all heads' outputs of a token.
  double attentionWidth() const { return static_cast<double>(heads * headDim); }
  double weightsOfBlock() const;
  /// Of all blocks, the embedding and the last product.
  double weights() const;
  /// Keys and values of one token in all blocks, elements.
  double kvOfToken() const { return 2.0 * static_cast<double>(layers * kvHeads * headDim); }
};

/// All models of a table. `file` names it in messages. Diagnostics: bad-model.
Result<std::vector<Model>> readModels(std::string_view text, const std::string &file);

/// Diagnostics: unknown-model; heads-not-divided, ff-not-divided: `gpus` do not share what the model has.
Result<Model> modelNamed(std::string_view name, const std::vector<Model> &models);
Status checkSharing(const Model &model, std::int64_t gpus);

}  // namespace pimento::llm
