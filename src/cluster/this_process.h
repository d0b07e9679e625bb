// Who this process is.
#pragma once

#include <string>

namespace pimento::cluster {

std::string hostName();
/// Checksum of the file that this code was loaded from: equal ones compute the same.
std::string buildSum();

}  // namespace pimento::cluster
