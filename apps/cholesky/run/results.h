// Reports of a factorization: a JSON row and a table.
#pragma once

#include <optional>
#include <string>

#include "apps/cholesky/factorize/factorize.h"
#include "apps/cholesky/run/flags.h"
#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "taskrt/plan/plan.h"

namespace cholesky {

// A row of results for --json.
program::Json ToJson(const Resolved& resolved, const Row& row);

std::string ToText(const Resolved& resolved, const Row& row, program::Color color);

// Copies and bytes by kind, against the least and the plan.
std::string CopiesToText(const Row& row, const std::optional<taskrt::CopyPlan>& plan);

// The picture for --svg.
std::string TimelineOf(const Resolved& resolved, const Row& row);

}  // namespace cholesky
