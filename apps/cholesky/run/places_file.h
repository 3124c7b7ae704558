// The places of a run's tasks, in a file: a line that names the format, then a place a line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/place.h"

namespace cholesky {

// NotFound names the file, InvalidArgument also the line.
absl::StatusOr<std::vector<taskrt::Place>> ReadSchedule(const std::string& path);

std::string ScheduleToText(std::span<const taskrt::Place> places);

}  // namespace cholesky
