// What is said of a factorization: a JSON row and a table.
#pragma once

#include <string>

#include "apps/cholesky/factorize.h"
#include "apps/cholesky/flags.h"
#include "apps/program/record.h"
#include "apps/program/terminal.h"

namespace cholesky {

// The row of the contract.
program::Json ToJson(const Resolved& resolved, const Row& row);

std::string ToText(const Resolved& resolved, const Row& row, program::Color color);

}  // namespace cholesky
