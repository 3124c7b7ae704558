// The results of collective operations: JSON, a table, and a plot by size.
#pragma once

#include <string>
#include <vector>

#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/rma/problem/collective.h"

namespace rma {

program::Json ToJson(const CollectiveRow& row);
// Empty where there are no rows.
std::string ToText(const std::vector<CollectiveRow>& rows, program::Color color);
// Bandwidth by size: a line for each network and operation but barriers. Precondition: at most
// eight of them.
std::string ToSvg(const std::vector<CollectiveRow>& rows);

}  // namespace rma
