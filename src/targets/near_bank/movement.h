// How operands and results move between the host's addresses and the banks: as reads and writes of the same channels.
//
// The host's data lie in rows behind those of the program, spread over all channels burst by burst, and in a channel
// over a row of every bank after the other (machine: near_bank.host_map). They are moved through on-chip memory, block
// by block: serial reads of contiguous addresses, then parallel writes to the banks (DCC, section 4.3). Since on-chip
// memory reorders, reads and writes of a block go round the bank groups (each a pass, passes.h). Where the host's data
// lie elsewhere (on_chip: 0), its reads are no commands of the device.
//
// All channels do the same. Not here: what the bursts hold.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/program/phases.h"
#include "pimento/targets/near_bank/passes.h"
#include "pimento/targets/near_bank/stream.h"

namespace pimento::targets::near_bank {

/// Bursts of a channel, one behind the other in the host's addresses.
struct HostBursts {
  std::int64_t first = 0, count = 0;
};

/// Bursts that go to the same columns of several banks: of number i of `banks`, those of `image` from
/// `firstBurst` + i * `pitch` on.
struct BankBursts {
  std::vector<std::int64_t> banks;
  std::int64_t firstColumn = 0, columns = 0;
  int image = -1;
  std::int64_t firstBurst = 0, pitch = 0;
};
/// 0 to `count` - 1.
std::vector<std::int64_t> firstBanks(std::int64_t count);

class Movement {
 public:
  /// `firstRow`: the host's data begin with it.
  Movement(const machine::Machine &machine, std::int64_t firstRow, const Passes &passes);

  const Passes &passes() const { return passes_; }

  /// Do the host's data lie in the device's banks?
  bool isInBanks() const { return unit_.onChip.value > 0; }
  /// Room for a tensor, aligned to bursts of all channels.
  HostBursts add(const kernel::Tensor &tensor);
  /// Rows of a bank that are taken, program included.
  std::int64_t rows() const;

  /// Reads and writes of the host's addresses; nothing where its data lie elsewhere.
  void read(Stream &stream, const HostBursts &from) const { stretch(stream, from, false); }
  void write(Stream &stream, const HostBursts &to) const { stretch(stream, to, true); }
  /// From the host's addresses into the banks, through on-chip memory; without its pass, burst by burst.
  void moveIn(Stream &stream, const HostBursts &from, const BankBursts &to) const;
  /// Writes of bursts into the banks; a loop of theirs is inside that at `round` (-1: none), which goes `perRound`
  /// columns on.
  void writeBanks(Stream &stream, const BankBursts &to, std::int64_t column, std::int64_t columns, int round = -1,
                  std::int64_t perRound = 0) const;
  /// Reads of the same columns of `banks` to the host.
  void readBanks(Stream &stream, const std::vector<std::int64_t> &banks, std::int64_t firstColumn,
                 std::int64_t columns) const;

 private:
  /// Numbers of `banks` in an order in which neighbours are of different bank groups.
  std::vector<std::size_t> around(const std::vector<std::int64_t> &banks) const;
  void access(Stream &stream, std::int64_t bank, const Address &at, bool isWrite) const;
  void stretch(Stream &stream, const HostBursts &bursts, bool isWrite) const;
  void withinRow(Stream &stream, std::int64_t first, std::int64_t count, bool isWrite) const;
  void copy(Stream &stream, const HostBursts &from, const BankBursts &to) const;
  void rowsOf(Stream &stream, std::int64_t row, std::int64_t rows, bool isWrite, int round,
              std::int64_t perRound) const;
  std::int64_t perRow() const { return organization_.columns * static_cast<std::int64_t>(unit_.hostBanks.size()); }

  const machine::Organization &organization_;
  const machine::NearBankUnit &unit_;
  Passes passes_;
  int readCommand_, writeCommand_;
  std::int64_t firstRow_, bursts_ = 0;
};

}  // namespace pimento::targets::near_bank
