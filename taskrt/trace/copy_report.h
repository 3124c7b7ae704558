// What was copied, by kind, against the least that the places of the tasks allow, and against the
// plan where there was one.
//
//   copies              number        bytes   planned   planned bytes
//   to devices             960      3.93 MB       960         3.93 MB
//   ...
//   the least             1425      5.84 MB
//
// Source: [WLBS20] tables 3 and 5.
#pragma once

#include <optional>
#include <string>

#include "taskrt/plan/plan.h"

namespace taskrt {

// A value.
struct CopyReport {
  CopyCounts copies;  // RuntimeCounts'
  CopyCount least;    // as well
  std::optional<CopyCounts> planned;
};

// Lines that end in a newline each.
std::string ToText(const CopyReport& report);

}  // namespace taskrt
