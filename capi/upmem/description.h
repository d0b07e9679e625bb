// The machine of an allocation as C programs see it (dpu_description.h): counted owners, since a set and callers share
// one.
#pragma once

#include <dpu_description.h>

#include "profile.h"

namespace pimento::upmem {

/// With one owner; dpu_free_description takes it away.
dpu_description_t describe(const Setup &setup);

}  // namespace pimento::upmem
