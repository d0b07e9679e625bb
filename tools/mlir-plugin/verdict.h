// What Pimento says of one op: the rows of driver::compare, read as a decision. Knows nothing of MLIR.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/emit/suite.h"

namespace pimento::mlirplugin {

struct Verdict {
  bool isOffloaded = false;
  std::string target, mapping;  ///< where it is offloaded
  std::string reason;
  /// Of the side it runs on, and of both; nothing where no machine could be asked about it.
  std::optional<double> timeNs, energyPj, hostTimeNs, deviceTimeNs;
};

/// What is asked about one op.
struct Question {
  std::string text;                ///< a module of one function
  std::vector<std::string> sizes;  ///< of dynamic dimensions: "d0=4096"

  auto operator<=>(const Question &) const = default;
};

/// Asks, each question once.
class Adviser {
 public:
  /// `options`: targets, overrides, mapping ... of every question.
  explicit Adviser(driver::Options options) : options_(std::move(options)) {}

  const Verdict &ask(const Question &question);

 private:
  driver::Options options_;
  std::map<Question, Verdict> known_;
};

/// The fastest machine of a comparison that takes less time than its host.
Verdict verdictOf(const std::vector<emit::ComparisonRow> &rows);

}  // namespace pimento::mlirplugin
