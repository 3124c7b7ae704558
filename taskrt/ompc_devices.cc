#include "taskrt/ompc_devices.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

using Devices = std::vector<std::unique_ptr<Device>>;

absl::Status AddSimulated(int count, Devices& devices) {
  for (int i = 0; i < count; ++i) {
    SimulatedDeviceOptions options;
    options.name = absl::StrCat("sim", devices.size());
    devices.push_back(std::make_unique<SimulatedDevice>(options));
  }
  return absl::OkStatus();
}

struct Kind {
  std::string_view name;
  absl::Status (*add)(int count, Devices& devices);
};
constexpr Kind kKinds[] = {
    {"host", [](int, Devices&) { return absl::OkStatus(); }},
    {"sim", AddSimulated},
};

absl::Status AddKind(std::string_view text, Devices& devices) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  int count = 1;
  if (colon != std::string_view::npos &&
      (!absl::SimpleAtoi(std::string(text.substr(colon + 1)), &count) || count < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("devices '", std::string(text), "': expected KIND:COUNT"));
  }
  std::string names;
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return kind.add(count, devices);
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(kind.name));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("devices '", std::string(text), "': there are the kinds ", names));
}

}  // namespace

absl::StatusOr<Devices> MakeDevices(std::string_view list) {
  Devices devices;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (absl::Status added = AddKind(list.substr(0, comma), devices); !added.ok()) return added;
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
  }
  return devices;
}

}  // namespace taskrt
