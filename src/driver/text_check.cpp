#include "pimento/driver/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/driver/convert_option.h"
#include "pimento/driver/job.h"
#include "pimento/driver/source_text.h"
#include "pimento/evaluate/report.h"
#include "pimento/evaluate/text_check.h"
#include "pimento/frontend/native.h"

namespace pimento::driver {

namespace {

const std::vector<std::string> kChecks = {"text", "interpreter"};

std::string nameOf(SourceText::Language language) {
  return language == SourceText::Language::kC ? "C" : "MLIR";
}

/// The graph that was read from the text.
const kernel::Graph &graphOfText(const Input &input) {
  return input.conversion ? input.conversion->original : *input.graph;
}

Result<frontend::NativeAnswer> runText(const Options &options, const Input &input, const kernel::DataSet &data) {
  const SourceText &source = *input.source;
  const kernel::Graph &graph = graphOfText(input);
  const frontend::NativeLimits limits = frontend::NativeLimits::of(graph);
  if (source.language == SourceText::Language::kC)
    return frontend::runC(source.text, options.input,
                          {options.function, source.sizes, {options.includes, options.defines}}, graph, data, limits);
  return frontend::runMlir(source.text, options.input, {options.function, source.sizes}, graph, source.tensors, data,
                           limits);
}

}  // namespace

Status checkCheck(const Options &options, const Job &job) {
  const bool isKnown = std::find(kChecks.begin(), kChecks.end(), options.check) != kChecks.end();
  if (options.check == kChecks.front() && !job.input.source)
    return usageError("no-text", "--check", fmt::format("'{}' has no source to compile", options.input),
                      "use a .c or .mlir file, or omit --check");
  if (options.check.empty() || isKnown) return okStatus();
  return usageError("unknown-check", "--check", fmt::format("unknown check '{}'", options.check),
                    suggest(options.check, kChecks));
}

TextCheck::TextCheck(const Options &options, const Job &job, const std::optional<kernel::DataSet> &data)
    : options_(options), job_(job), data_(data) {
  if (!job.input.source || options.check == kChecks.back()) return;
  inputs_ = data;
  // Parts of kernels that run apart have temporaries behind those of the text.
  const std::size_t tensors = graphOfText(job.input).tensors.size();
  if (inputs_ && inputs_->size() > tensors) inputs_->resize(tensors);
}

Status TextCheck::check(evaluate::Report &report) const {
  if (!inputs_ || !report.isChecked) return okStatus();
  const Result<frontend::NativeAnswer> text = runText(options_, job_.input, *inputs_);
  if (!text) return text.diagnostics();
  if (!text->whyNot.empty()) {
    const Location where = text->where.file.empty() ? Location{options_.input} : text->where;
    report.warnings.push_back(
        fmt::format("{}: the results were not compared with the source: {}", where.str(), text->whyNot));
    return okStatus();
  }
  const SourceText::Language language = job_.input.source->language;
  const evaluate::TextAnswer answer{nameOf(language), &text->outputs, language == SourceText::Language::kC};
  const Result<evaluate::TextAgreement> found =
      evaluate::compareWithText(graphOfText(job_.input), *inputs_, *data_, answer);
  if (!found) return found.diagnostics();
  if (found->open > 0)
    report.warnings.push_back(fmt::format(
        "{}: {} elements differ from the source's results, the first in '{}', and have no error bound: a sum may "
        "overflow, or a comparison depends on rounding",
        options_.input, found->open, found->openTensor));
  report.checkedText = evaluate::CheckedText{answer.language, found->isBitForBit};
  return okStatus();
}

}  // namespace pimento::driver
