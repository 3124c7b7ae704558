// Reports of predictions: JSON rows, a table, a figure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/predict/run/predictions.h"
#include "apps/program/record.h"
#include "apps/program/terminal.h"

namespace predict {

// A row of results for --json, with "simulated" and "virtual_seconds".
program::Json ToJson(const Prediction& row);

// A line a thread count, seconds and rate of each policy.
std::string ToText(const std::vector<Prediction>& rows, program::Color color);

// The rate over threads, a line a policy. `machine`: its name.
std::string ToSvg(const std::vector<Prediction>& rows, std::string_view machine);

}  // namespace predict
