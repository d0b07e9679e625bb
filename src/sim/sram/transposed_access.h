// Ordinary loads and stores of transposed data (Infinity Stream, section 5.3): an element has its value wherever its
// region lies, but takes a pass through the transpose units, and a core waits while the region is on its way or arrays
// compute.
//
// A clockless device: whoever asks names the cycle, and tells it when the table's states have changed. A line occupies
// the unit of each way that its elements lie in, for as many cycles as an element has bits, behind those before it.
// Not here: the way to the bank and back (sim/uncore), and units that a fetch occupies (transposer.h).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "pimento/sim/sram/arrays.h"
#include "pimento/sim/sram/layout_table.h"
#include "pimento/sim/sram/transpose_units.h"

namespace pimento::sim::sram {

class TransposedAccess {
 public:
  struct Request {
    std::uint64_t token = 0;    ///< the caller's
    std::uint64_t address = 0;  ///< of an element
    bool isWrite = false;
    bool isStream = false;    ///< of a stream beside the L3; else of a core
    std::uint64_t value = 0;  ///< that is written: the element's bits
  };
  struct Answer {
    std::uint64_t token = 0;
    std::int64_t time = 0;    ///< the element is read or written
    bool isNormal = false;    ///< it lies in caches and memory: the caller asks there, from `time` on
    std::uint64_t value = 0;  ///< what was read
  };

  /// The arrays hold tile t's bitlines from t * bitlines on; table and arrays outlive this.
  TransposedAccess(const machine::Sram &sram, LayoutTable &table, Arrays &arrays);

  /// Nothing: it waits. What waits is answered by changed(); later requests of the region wait behind it.
  std::optional<Answer> ask(std::int64_t now, const Request &request);
  /// The table's states have changed: what need not wait any more, in the order in which it was asked.
  std::vector<Answer> changed(std::int64_t now);
  std::size_t waiting() const { return waiting_.size(); }
  /// Passes of lines through units.
  std::int64_t transposed() const { return units_.passes(); }

 private:
  std::optional<Answer> answered(std::int64_t now, const Request &request);
  std::int64_t throughUnits(int region, std::uint64_t address, std::int64_t now);

  machine::Sram sram_;
  LayoutTable &table_;
  Arrays &arrays_;
  TransposeUnits units_;
  std::deque<Request> waiting_;
};

}  // namespace pimento::sim::sram
