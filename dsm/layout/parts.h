// Which bytes of an array a part of it takes, in as few ranges as it is worth.
//
// Pure; any thread may call. Source: [Mid18] section 2.7 (sms_preload_array).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/layout/distribution.h"
#include "dsm/layout/pages.h"

namespace dsm {

// Ascending. Rows that follow each other are one range, and so are rows that lie closer
// than `gap` bytes: with a page for it, what lies between comes along anyway. Errors:
// InvalidArgument where the part has other dimensions or does not lie in the array.
absl::StatusOr<std::vector<ByteRange>> BytesOfPart(const ArrayShape& array, const Bounds& part,
                                                   std::uint64_t gap);

}  // namespace dsm
