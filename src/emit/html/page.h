// Results as one HTML page that stands alone: no network, no fonts or scripts from elsewhere; for reading on a screen
// or a phone, for print, and for sending to somebody.
//
// The input is JSON as `--json` and `simulate --trace` write it (docs/cli.md), so every result that was kept can be
// shown, today's and last year's: keys that came later may be missing. Charts are SVG, complete without scripts; the
// page's script adds tooltips, sorting, zoom and the timeline. Equal inputs give equal bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::emit::html {

/// The text of one result and what to call it, usually its file.
struct NamedJson {
  std::string name;
  std::string text;
};

/// Longer texts are refused: a timeline of the two million events that `simulate --trace` writes at most has 350 MB.
inline constexpr std::size_t kMaxText = std::size_t{512} << 20;

/// The message about a result of `bytes` bytes, more than kMaxText; for those who know the size before they read.
Diagnostic tooLarge(std::string_view name, std::size_t bytes);

/// A page with one section per input, in the order given; at least one. Diagnostics, each with the input's name as
/// file: "empty-file", "file-too-large", "bad-json" (with line and column), "unknown-result" (JSON, but none of the
/// kinds), "missing-key", "wrong-type", "bad-value".
Result<std::string> page(const std::vector<NamedJson> &inputs);

/// The chart of a figure (docs/reports.md) as an SVG file. Diagnostics: those of page(), and "no-chart".
Result<std::string> picture(const NamedJson &input);

}  // namespace pimento::emit::html
