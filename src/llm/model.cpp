#include "pimento/llm/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "pimento/base/csv.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::llm {

namespace {

/// "20480", "53248/3".
std::optional<double> parseWidth(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto whole = parseInteger(text.substr(0, slash));
  const auto parts =
      slash == std::string_view::npos ? std::optional<std::int64_t>(1) : parseInteger(text.substr(slash + 1));
  if (!whole || !parts || *whole < 1 || *parts < 1) return std::nullopt;
  return static_cast<double>(*whole) / static_cast<double>(*parts);
}

/// Numbers that divide `heads` and `kvHeads`.
std::vector<std::string> sharings(const Model &model) {
  std::vector<std::string> out;
  constexpr std::int64_t kMost = 16;
  for (std::int64_t g = 1; g <= std::min(model.kvHeads, kMost); ++g)
    if (model.heads % g == 0 && model.kvHeads % g == 0) out.push_back(std::to_string(g));
  return out;
}

}  // namespace

double Model::weightsOfBlock() const {
  const auto d = static_cast<double>(hidden);
  return d * qkvWidth() + attentionWidth() * d + (isGated ? 3 : 2) * d * ff;
}

double Model::weights() const {
  return static_cast<double>(layers) * weightsOfBlock() + static_cast<double>(vocabulary * hidden * (isTied ? 1 : 2));
}

Result<std::vector<Model>> readModels(std::string_view text, const std::string &file) {
  const CsvTable table = readCsv(text);
  std::vector<Model> models;
  std::set<std::string> names;
  for (const CsvTable::Row &row : table.rows) {
    const auto bad = [&](std::string_view column, std::string_view what) {
      return error("bad-model", {file, row.line, 0},
                   fmt::format("column '{}' holds '{}'", column, table.cell(row, column).value_or("")),
                   fmt::format("it takes {}", what));
    };
    Model m;
    m.name = std::string(table.cell(row, "name").value_or(""));
    if (m.name.empty() || !names.insert(m.name).second) return bad("name", "a name, each once");
    constexpr std::int64_t kMost = 10'000'000;
    for (const auto &[column, out] :
         std::initializer_list<std::pair<std::string_view, std::int64_t *>>{{"layers", &m.layers},
                                                                            {"hidden", &m.hidden},
                                                                            {"heads", &m.heads},
                                                                            {"kv_heads", &m.kvHeads},
                                                                            {"head_dim", &m.headDim},
                                                                            {"vocabulary", &m.vocabulary}}) {
      const auto n = parseInteger(table.cell(row, column).value_or(""));
      if (!n || *n < 1 || *n > kMost) return bad(column, "a whole number from 1 to 10,000,000");
      *out = *n;
    }
    if (m.heads % m.kvHeads != 0) return bad("kv_heads", "a divisor of heads");
    const auto ff = parseWidth(table.cell(row, "ff").value_or(""));
    if (!ff) return bad("ff", "a whole number, or a fraction such as 53248/3");
    m.ff = *ff;
    for (const auto &[column, out] :
         std::initializer_list<std::pair<std::string_view, bool *>>{{"gated", &m.isGated}, {"tied", &m.isTied}}) {
      const std::string_view flag = table.cell(row, column).value_or("");
      if (flag != "yes" && flag != "no") return bad(column, "yes or no");
      *out = flag == "yes";
    }
    m.source = std::string(table.cell(row, "source").value_or(""));
    if (m.source.empty()) return bad("source", "where the numbers come from");
    models.push_back(std::move(m));
  }
  if (models.empty())
    return error("bad-model", {file, 1, 0}, "the table has no models",
                 "its first line names the columns: name, layers, hidden, heads, kv_heads, head_dim, ff, gated, "
                 "vocabulary, tied, source");
  return models;
}

Result<Model> modelNamed(std::string_view name, const std::vector<Model> &models) {
  const auto found = std::ranges::find(models, name, &Model::name);
  if (found != models.end()) return *found;
  std::vector<std::string> names;
  for (const Model &m : models) names.push_back(m.name);
  return usageError("unknown-model", "", fmt::format("unknown model '{}'", name),
                    suggest(name, names) + "; or the name of a .csv file with a model of your own");
}

Status checkSharing(const Model &model, std::int64_t gpus) {
  if (model.heads % gpus == 0 && model.kvHeads % gpus == 0) return okStatus();
  const std::int64_t heads = model.heads % gpus == 0 ? model.kvHeads : model.heads;
  return usageError(
      "heads-not-divided", "--gpus",
      fmt::format("{} GPUs cannot share the {} {} of {}", gpus, heads,
                  model.heads % gpus == 0 ? "heads of keys and values" : "heads", model.name),
      fmt::format("tensor parallelism gives each GPU as many heads: use {}", join(sharings(model), ", ")));
}

}  // namespace pimento::llm
