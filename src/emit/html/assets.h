// The style sheets and the script of the page: chart.css, page.css, page.js and timeline.js, embedded when the tool is
// built.
#pragma once

#include <string_view>

namespace pimento::emit::html {

extern const std::string_view kChartCss;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kTimelineJs;

}  // namespace pimento::emit::html
