#include "taskrt/devices.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "taskrt/cuda/device.h"
#include "taskrt/opencl/device.h"
#include "taskrt/place.h"

namespace taskrt {

absl::StatusOr<DeviceCounts> ParseDevices(std::string_view list) {
  const std::string text(list);
  DeviceCounts counts;
  const auto error = [&](const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat("devices \"", text, "\": ", what));
  };
  if (text.empty()) return counts;
  std::set<std::string> kinds;
  for (const absl::string_view kind_and_count : absl::StrSplit(text, ',')) {
    const std::vector<std::string> parts = absl::StrSplit(kind_and_count, ':');
    if (!kinds.insert(parts[0]).second) {
      return error(absl::StrCat("\"", parts[0], "\" is named twice"));
    }
    if (parts[0] == "host" && parts.size() == 1) {
      counts.is_host_too = true;
      continue;
    }
    int* const count = parts[0] == "sim"      ? &counts.simulated
                       : parts[0] == "opencl" ? &counts.opencl
                       : parts[0] == "cuda"   ? &counts.cuda
                                              : nullptr;
    if (count == nullptr || parts.size() > 2) {
      return error(absl::StrCat("\"", kind_and_count,
                                "\" is none of host, sim:COUNT, opencl:COUNT and cuda:COUNT"));
    }
    *count = 1;
    if (parts.size() == 2 && (!absl::SimpleAtoi(parts[1], count) || *count < 1)) {
      return error(absl::StrCat("\"", parts[1], "\" is no count of devices"));
    }
    if (*count >= kMostPlaces || counts.all() >= kMostPlaces) {
      return error(absl::StrCat("there are at most ", kMostPlaces - 1, " devices"));
    }
  }
  return counts;
}

absl::Status Devices::AreAllThere() const {
  if (missing.empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrJoin(missing, "; "));
}

Devices MakeDevices(const DeviceCounts& counts, const SimulatedDeviceOptions& simulated) {
  Devices made;
  for (int i = 0; i < counts.simulated; ++i) {
    SimulatedDeviceOptions options = simulated;
    options.name = absl::StrCat("sim:", i);
    made.devices.push_back(std::make_unique<SimulatedDevice>(options));
  }
  const auto add = [&](const char* kind, int wanted, auto find) {
    if (wanted == 0) return;
    absl::StatusOr<std::vector<std::unique_ptr<Device>>> found = find(wanted);
    if (!found.ok()) {
      made.missing.push_back(std::string(found.status().message()));
      return;
    }
    const int count = static_cast<int>(found->size());
    if (count < wanted) {
      made.missing.push_back(
          absl::StrCat("there are ", count, " devices of ", kind, ", not ", wanted));
    }
    std::move(found->begin(), found->end(), std::back_inserter(made.devices));
  };
  add("OpenCL", counts.opencl, OpenClDevices);
  add("CUDA", counts.cuda, CudaDevices);
  return made;
}

}  // namespace taskrt
