// A query: options of the driver, set one by one by name.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/driver/bound_kernel.h"
#include "pimento/driver/option_table.h"
#include "pimento/driver/options.h"
#include "pimento/driver/tool_box.h"

namespace pimento::capi {

class Query {
 public:
  /// A copy shares what the first has read and compiled, and stops with it no more.
  Query() = default;
  Query(const Query &other) : options_(other.options_), tools_(other.tools_) {}
  Query &operator=(const Query &) = delete;

  /// `value` null: the default. Diagnostics: api-key, api-value.
  Status set(std::string_view key, const char *value);
  /// Diagnostics: api-key (also: no list), api-value.
  Status add(std::string_view key, std::string_view value);
  /// Diagnostic: api-value (an unknown language).
  Status setText(std::string_view language, std::string text, std::string name);

  /// Whether pimento_run asks it, and the names of those it asks.
  static bool asks(driver::VerbId verb);
  static std::vector<std::string> verbNames();

  bool asksToTune() const { return driver::isTuned(options_); }
  bool hasKernel() const { return !options_.input.empty(); }
  /// For driver::compare, with the defaults of this interface. Diagnostic: api-key (an option that it does not take).
  Result<driver::Options> options() const;
  /// For a verb, with those of the command line. Diagnostics: api-key, api-value (several machines for a verb of one).
  Result<driver::Options> options(driver::VerbId verb) const;

  /// Asks what runs on this query to stop, or what will run next if nothing does.
  void stop() const { *isStopped_ = true; }
  /// Clears that when its run is over.
  void goOn() const { *isStopped_ = false; }

 private:
  Status checkTaken(driver::VerbId verb) const;
  driver::Options common() const;

  driver::Options options_;
  std::shared_ptr<const driver::ToolBox> tools_ = driver::makeToolBox();  ///< queries come one after the other
  std::unique_ptr<std::atomic<bool>> isStopped_ = std::make_unique<std::atomic<bool>>(false);
};

}  // namespace pimento::capi
