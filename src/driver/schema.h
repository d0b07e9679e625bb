// `pimento targets --schema`: the keys of machine files, from the table that also drives their checks.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pimento::driver {

/// Every key with its kind, units or choices, bounds, whether it is required, and its meaning.
std::string schemaTable();
/// {"schema": [row, ...]}.
nlohmann::ordered_json schemaJson();

}  // namespace pimento::driver
