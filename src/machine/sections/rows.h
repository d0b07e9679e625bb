// Short forms of schema rows, for the tables of section modules.
#pragma once

#include <string>
#include <vector>

#include "pimento/machine/schema.h"

namespace pimento::machine::row {

// Bounds that keep arithmetic and memory sane; they describe no device.
inline constexpr double kAny = 1e15;
inline constexpr double kMostCount = 1e9;
inline constexpr double kMostCycles = 1e9;
inline constexpr double kMostPerLength = 4096;  // a wait, at the longest command, fits 32 bits

using Rows = std::vector<SchemaRow>;
using Words = std::vector<std::string>;

SchemaRow section(std::string path, std::string meaning, bool isRequired = false);
/// A section that the file names with a word that may have hyphens: no formula has it.
SchemaRow word(std::string path, std::string meaning);
SchemaRow text(std::string path, std::string meaning, bool isRequired = false);
SchemaRow list(std::string path, std::string meaning, Words choices = {}, bool isRequired = false);
SchemaRow flag(std::string path, std::string meaning);
SchemaRow choice(std::string path, Words choices, std::string meaning, bool isRequired = true);
SchemaRow dtype(std::string path, std::string meaning);
SchemaRow integer(std::string path, std::string unit, double low, double high, std::string meaning, bool isRequired);
SchemaRow count(std::string path, std::string meaning, bool isRequired = true);
SchemaRow index(std::string path, std::string unit, std::string meaning);
SchemaRow real(std::string path, std::string unit, double low, double high, std::string meaning,
               bool isRequired = true);
SchemaRow formula(std::string path, std::string unit, double low, double high, std::string meaning,
                  bool isRequired = true);

/// What may stand anywhere: provenance, and the keys of a number in mapping form. Every kind of file has them.
Rows everywhere();

/// Puts `more` after `rows`.
void append(Rows &rows, Rows more);

}  // namespace pimento::machine::row
