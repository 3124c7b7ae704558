// Results as tables, rows of JSON and a plot.
#pragma once

#include <string>
#include <vector>

#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/sdpa/measure/measure_elements.h"
#include "apps/sdpa/run/flags.h"
#include "apps/sdpa/run/resolve.h"
#include "apps/sdpa/solve/solve.h"
#include "topo/topo.h"

namespace sdpa {

program::Json ToJson(const Resolved& resolved, const Flags& flags, const Outcome& outcome);
program::Json ToJson(const Resolved& resolved, const ElementsTime& row);

// The answer, and how good it is.
std::string ToText(const Resolved& resolved, const Outcome& outcome);
std::string ToText(const Resolved& resolved, const std::vector<ElementsTime>& rows,
                   program::Color color);

// Seconds of elements, factorization and all else: thread seconds over the threads.
std::string ToSvg(const Resolved& resolved, const std::vector<Outcome>& outcomes);
// Milliseconds by threads, a line for each method, policy and placement: the paper's figures 15 and
// 16.
std::string ToSvg(const Resolved& resolved, const std::vector<ElementsTime>& rows);

}  // namespace sdpa
