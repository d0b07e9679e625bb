#include "pimento/emit/html/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/emit/html/assets.h"
#include "pimento/emit/html/profile_result.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

constexpr const char *kKinds =
    "pass results of estimate, simulate, compare, validate, explore, tune, llm, serve or profile (--json), timelines "
    "(--trace), "
    "or "
    "figures (docs/reports.md)";

/// Line and column of a byte, from 1.
Location placeOf(const NamedJson &input, std::size_t byte) {
  const std::string_view before = std::string_view(input.text).substr(0, std::min(byte, input.text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = line == 0 ? 0 : before.rfind('\n') + 1;
  return {input.name, static_cast<int>(line) + 1, static_cast<int>(before.size() - begin) + 1};
}

/// The library's reason, without its own names and places.
std::string reasonOf(const std::string &what) {
  const std::size_t at = what.find("- ");
  if (at == std::string::npos) return "it is not valid JSON";
  std::string reason = what.substr(at + 2);
  // It quotes the text, which may have any bytes in it.
  for (char &c : reason)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return reason.size() > 200 ? reason.substr(0, 200) + "..." : reason;
}

/// The value of the text; the elements of "traceEvents" go to `trace` instead.
Result<Json> parse(const NamedJson &input, TraceReader &trace) {
  if (trim(input.text).empty())
    return error("empty-file", {input.name, 0, 0}, "it is empty", "check whether the command that wrote it failed");
  if (input.text.size() > kMaxText) return tooLarge(input.name, input.text.size());
  std::string topKey;
  const auto take = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::key && depth == 1) topKey = parsed.get<std::string>();
    if (depth != 2 || topKey != "traceEvents") return true;
    const bool isElement = event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end ||
                           event == Json::parse_event_t::value;
    if (isElement) trace.add(parsed);
    return !isElement;
  };
  try {
    return Json::parse(input.text, take);
  } catch (const Json::parse_error &e) {
    return error("bad-json", placeOf(input, e.byte == 0 ? 0 : e.byte - 1), reasonOf(e.what()),
                 "pass a file written with --json");
  } catch (const Json::exception &e) {
    return error("bad-json", {input.name, 0, 0}, reasonOf(e.what()), "pass a file written with --json");
  }
}

std::string keysOf(const Json &json) {
  std::vector<std::string> keys;
  for (auto it = json.begin(); it != json.end() && keys.size() < 6; ++it)
    keys.push_back("'" + it.key().substr(0, 40) + "'");
  if (json.size() > keys.size()) keys.emplace_back("...");
  return keys.empty() ? "it has no keys" : "its keys are " + join(keys, ", ");
}

/// The section that shows one input; empty where it is of no known kind.
std::optional<Section> read(const Json &json, TraceReader &trace, Problems &problems, std::string_view id) {
  if (!json.is_object()) {
    problems.add("unknown-result", "it is JSON, but not an object", kKinds);
    return std::nullopt;
  }
  const Node node(json, problems);
  if (json.contains("traceEvents")) {
    if (!json["traceEvents"].is_array()) {
      node.at("traceEvents").items();
      return std::nullopt;
    }
    const Trace whole = trace.finish(node, problems);
    return problems.any() ? std::nullopt : std::optional(sectionOf(whole, id));
  }
  const auto section = [&](auto result) { return problems.any() ? std::nullopt : std::optional(sectionOf(result)); };
  if (json.contains("figure")) return section(readFigure(node));
  if (json.contains("llm")) return section(json.contains("requests") ? readServe(node) : readLlm(node));
  if (json.contains("program") && json.contains("cpi_stack")) return section(readHostProfile(node));
  if (json.contains("tune")) return section(readTune(node));
  if (json.contains("explore")) return section(readExplore(node));
  if (json.contains("suite")) return section(readValidate(node));
  if (json.contains("rows")) return section(readCompare(node));
  if (json.contains("kernel") && (json.contains("cycles") || json.contains("breakdown")))
    return section(readReport(node));
  problems.add("unknown-result", fmt::format("it is JSON, but not a result that a page can show: {}", keysOf(json)),
               kKinds);
  return std::nullopt;
}

/// Who reads the page need not know the folders of who made it.
std::string baseName(const std::string &path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

std::string partId(std::string_view section, std::size_t part) {
  return fmt::format("{}-{}", section, part + 1);
}

std::string sectionId(std::size_t section) {
  return fmt::format("s{}", section + 1);
}

std::string contentsHtml(const std::vector<Section> &sections) {
  std::string out = "<nav aria-label=\"Contents\"><ol>\n";
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const std::string id = sectionId(s);
    out += fmt::format("<li><a href=\"#{}\">{}</a><ol>", id, escape(sections[s].title));
    for (std::size_t p = 0; p < sections[s].parts.size(); ++p)
      out += fmt::format("<li><a href=\"#{}\">{}</a></li>", partId(id, p), escape(sections[s].parts[p].title));
    out += "</ol></li>\n";
  }
  return out + "<li><a href=\"#reading\">How to read the numbers</a></li>\n</ol></nav>\n";
}

std::string sectionHtml(const Section &section, const std::string &id, const std::string &file) {
  std::string out = fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<p class=\"kind\">{1} <span>{2}</span></p>\n"
      "<h2 id=\"{0}-title\">{3}</h2>\n{4}",
      id, escape(section.kind), escape(file), escape(section.title), section.head);
  for (std::size_t p = 0; p < section.parts.size(); ++p)
    out +=
        fmt::format("<h3 id=\"{}\">{}</h3>\n{}", partId(id, p), escape(section.parts[p].title), section.parts[p].html);
  return out + "</section>\n";
}

constexpr const char *kReading = R"(<section id="reading" aria-labelledby="reading-title" class="reading">
<h2 id="reading-title">How to read the numbers</h2>
<ul>
<li><b>Device cycles</b> are those of the machine model, run command by command or proved to repeat. They are exact with respect
to Pimento's own simulation, never to hardware; the documentation of the model describes its validation.</li>
<li><b>Time</b> covers the whole run: the device kernel and the host's part, which is placing and rearranging operands, reading
back, adding partial results, and computing the layers that stay on it. The host's part comes from bandwidth models, not from simulation.</li>
<li><b>Energy</b> is modelled from published constants, each with its source, and is not validated. A range puts all constants at
the low or high end of their sources. Compare ratios rather than absolute values.</li>
<li><b>Confidence</b> of a constant: <i>datasheet</i>, <i>measured</i> or <i>paper</i> say where it was published;
<i>assumed</i> is our own estimate.</li>
<li>Numbers are rounded for reading. Point at one, or tap it, for all of it.</li>
</ul>
</section>
)";

}  // namespace

Diagnostic tooLarge(std::string_view name, std::size_t bytes) {
  return capacityError("file-too-large", {std::string(name), 0, 0},
                       fmt::format("it has {} bytes; the limit for a page is {}",
                                   shortText(Quantity::kCount, static_cast<double>(bytes)),
                                   shortText(Quantity::kCount, static_cast<double>(kMaxText))),
                       "trace a smaller kernel, or open it in ui.perfetto.dev");
}

Result<std::string> page(const std::vector<NamedJson> &inputs) {
  PIMENTO_CHECK(!inputs.empty());
  std::vector<Section> sections;
  Diagnostics diagnostics;
  for (const NamedJson &input : inputs) {
    TraceReader trace;
    const Result<Json> json = parse(input, trace);
    if (!json) {
      diagnostics.insert(diagnostics.end(), json.diagnostics().begin(), json.diagnostics().end());
      continue;
    }
    Problems problems(input.name);
    std::optional<Section> section = read(*json, trace, problems, sectionId(sections.size()));
    if (section) sections.push_back(std::move(*section));
    diagnostics.insert(diagnostics.end(), problems.list().begin(), problems.list().end());
  }
  if (!diagnostics.empty()) return diagnostics;
  const bool isTimeline =
      std::any_of(sections.begin(), sections.end(), [](const Section &s) { return s.kind == "timeline"; });
  const std::string title = sections.size() == 1 ? sections[0].title : fmt::format("{} results", sections.size());
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      // Nothing is fetched, whatever stands in the page.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\"/>\n"
      "<title>{} – Pimento</title>\n<style>\n",
      escape(title));
  out += kChartCss;
  out += kPageCss;
  out += "</style>\n</head>\n<body>\n";
  out += patterns();
  out += "<header><h1><span class=\"brand\">Pimento</span> report</h1></header>\n<div class=\"layout\">\n";
  out += contentsHtml(sections) + "<main>\n";
  for (std::size_t s = 0; s < sections.size(); ++s)
    out += sectionHtml(sections[s], sectionId(s), baseName(inputs[s].name));
  out += kReading;
  out += "</main>\n</div>\n<script>\n";
  out += kPageJs;
  out += "</script>\n";
  if (isTimeline) {
    out += "<script>\n";
    out += kTimelineJs;
    out += "</script>\n";
  }
  return out + "</body>\n</html>\n";
}

Result<std::string> picture(const NamedJson &input) {
  TraceReader trace;
  const Result<Json> json = parse(input, trace);
  if (!json) return json.diagnostics();
  const std::string hint = "a figure has the keys 'figure', 'title' and 'chart' (docs/reports.md)";
  if (!json->is_object() || !json->contains("figure"))
    return error("no-chart", {input.name, 0, 0}, "only figures can be drawn as pictures; this is another result", hint);
  Problems problems(input.name);
  const FigureResult figure = readFigure(Node(*json, problems));
  if (problems.any()) return problems.list();
  std::string svg = pictureOf(figure);
  if (svg.empty()) return error("no-chart", {input.name, 0, 0}, "the figure has tables but no chart", hint);
  return svg;
}

}  // namespace pimento::emit::html
