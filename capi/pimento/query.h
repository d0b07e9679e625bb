// A query: options of the driver, set one by one by name.
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/driver/options.h"
#include "pimento/driver/tool_box.h"

namespace pimento::capi {

class Query {
 public:
  Query();

  /// `value` null: the default. Diagnostics: api-key, api-value.
  Status set(std::string_view key, const char *value);
  /// Diagnostics: api-key (also: no list), api-value.
  Status add(std::string_view key, std::string_view value);
  /// Diagnostic: api-value (an unknown language).
  Status setText(std::string_view language, std::string text, std::string name);

  bool hasKernel() const { return !options_.input.empty(); }
  /// For driver::compare, with the defaults of this interface.
  driver::Options options() const;

 private:
  driver::Options options_;
  std::shared_ptr<const driver::ToolBox> tools_ = driver::makeToolBox();  ///< queries come one after the other
};

}  // namespace pimento::capi
