#include "topo/discover.h"

#include <hwloc.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topo/apart.h"
#include "topo/cpu_quota.h"
#include "topo/pu_set.h"
#include "topo/read_machine.h"
#include "topo/synthetic_size.h"

namespace topo {
namespace {

namespace fs = std::filesystem;

// hwloc ends the process at some files and descriptions that are broken, and takes any time for
// others.
constexpr std::chrono::seconds kMostReading{20};

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Hwloc = std::unique_ptr<hwloc_topology, Destroy>;

Hwloc NewHwloc() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return Hwloc(topology);
}

absl::StatusOr<Topology> Finish(MachineDescription machine) {
  const bool any_allowed =
      std::any_of(machine.pus.begin(), machine.pus.end(), [](const Pu& pu) { return pu.allowed; });
  if (!any_allowed) {
    return absl::FailedPreconditionError(
        absl::StrCat(machine.source, ": no PU is allowed to this process"));
  }
  return Topology::Of(std::move(machine));
}

// Returns the topology of read(), after another process has read the same.
absl::StatusOr<Topology> ReadSafely(const std::string& source,
                                    const std::function<absl::StatusOr<Topology>()>& read) {
  const absl::Status tried = CallApart([&] { return read().status(); }, kMostReading);
  if (absl::IsAborted(tried)) {
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": it is broken: hwloc ends the process that reads it"));
  }
  if (absl::IsDeadlineExceeded(tried)) {
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": it is broken, or too large: hwloc takes more than ",
                     kMostReading.count(), " s"));
  }
  if (!tried.ok()) return tried;
  return read();
}

// The shortest prefix of whole words that hwloc refuses, to point at the fault.
std::string FirstRefusedWord(const std::string& description) {
  std::size_t end = 0;
  while (end < description.size()) {
    const std::size_t begin = description.find_first_not_of(' ', end);
    if (begin == std::string::npos) break;
    end = std::min(description.find(' ', begin), description.size());
    Hwloc trial = NewHwloc();
    // A prefix need not be a whole machine: it may still lack its PUs.
    const std::string prefix = description.substr(0, end);
    if (hwloc_topology_set_synthetic(trial.get(), prefix.c_str()) != 0 &&
        hwloc_topology_set_synthetic(trial.get(), (prefix + " pu:1").c_str()) != 0) {
      return description.substr(begin, end - begin);
    }
  }
  return description;
}

// The version of the format that the file says it has; 0: none.
int VersionOf(const std::string& path) {
  std::ifstream file(path);
  std::string begin(4096, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  constexpr std::string_view kKey = "version=\"";
  const std::size_t at = begin.find(kKey, std::min(begin.find("<topology"), begin.size()));
  int version = 0;
  if (at != std::string::npos) {
    (void)std::from_chars(begin.data() + at + kKey.size(), begin.data() + begin.size(), version);
  }
  return version;
}

absl::Status Refused(const std::string& path) {
  std::string why =
      "expected an XML topology as `lstopo --of xml` writes it, of version 2 or older";
  if (VersionOf(path) > 2) {
    absl::StrAppend(&why, "; hwloc ", VersionOf(path),
                    " writes version 2 by `lstopo --export-xml-flags 2 FILE.xml`");
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": hwloc refuses it: ", why));
}

// The variables by which hwloc takes another machine for this one.
bool IsElsewhere() {
  return getenv("HWLOC_XMLFILE") != nullptr || getenv("HWLOC_SYNTHETIC") != nullptr;
}

absl::StatusOr<Topology> ReadThisMachine() {
  Hwloc hwloc = NewHwloc();
  // Without /sys hwloc's part for Linux writes to the standard error, and finds nothing.
  if (std::error_code error;
      hwloc && getenv("HWLOC_FSROOT") == nullptr && !fs::exists("/sys/devices/system/cpu", error)) {
    (void)hwloc_topology_set_components(hwloc.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                        "linux");
  }
  if (!hwloc || hwloc_topology_load(hwloc.get()) != 0) {
    return absl::InternalError(
        absl::StrCat("hwloc cannot read this machine: ", std::strerror(errno)));
  }
  const bool real = hwloc_topology_is_thissystem(hwloc.get()) != 0;
  MachineDescription machine =
      ReadMachine(hwloc.get(), real ? "this machine" : "the machine that HWLOC_* variables name");
  machine.this_machine = real;
  if (real) {
    // Where there is one node all memory is its own; some virtual machines that
    // grow forget to count new memory to it.
    struct sysinfo system;
    if (machine.nodes.size() == 1 && sysinfo(&system) == 0) {
      machine.nodes[0].memory_bytes = std::max<std::uint64_t>(
          machine.nodes[0].memory_bytes, std::uint64_t{system.totalram} * system.mem_unit);
    }
    if (const auto mask = ProcessMask(); mask.ok()) {
      for (Pu& pu : machine.pus) pu.allowed = pu.allowed && mask->Contains(pu.id);
    }
    machine.cpu_quota = ReadCpuQuota();
  }
  return Finish(std::move(machine));
}

}  // namespace

absl::StatusOr<Topology> ThisMachine() {
  // hwloc asks for ever where this call is refused.
  if (const auto mask = AffinityMask(0); !mask.ok() && !IsElsewhere()) return mask.status();
  if (const char* described = getenv("HWLOC_SYNTHETIC"); described != nullptr) {
    if (absl::Status good = CheckSyntheticSize(described); !good.ok()) return good;
  }
  return IsElsewhere() ? ReadSafely("the machine that HWLOC_* variables name", ReadThisMachine)
                       : ReadThisMachine();
}

absl::StatusOr<Topology> FromSynthetic(std::string_view description) {
  const std::string text(description);
  if (absl::Status good = CheckSyntheticSize(text); !good.ok()) return good;
  return ReadSafely(absl::StrCat("'", text, "'"), [&]() -> absl::StatusOr<Topology> {
    Hwloc hwloc = NewHwloc();
    if (!hwloc || hwloc_topology_set_synthetic(hwloc.get(), text.c_str()) != 0 ||
        hwloc_topology_load(hwloc.get()) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' is not a synthetic topology: hwloc stops at '",
                       FirstRefusedWord(text), "'"));
    }
    return Finish(ReadMachine(hwloc.get(), text));
  });
}

absl::StatusOr<Topology> FromXml(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || access(path.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file that can be read"));
  }
  return ReadSafely(path, [&]() -> absl::StatusOr<Topology> {
    Hwloc hwloc = NewHwloc();
    if (!hwloc || hwloc_topology_set_xml(hwloc.get(), path.c_str()) != 0 ||
        hwloc_topology_load(hwloc.get()) != 0) {
      return Refused(path);
    }
    return Finish(ReadMachine(hwloc.get(), path));
  });
}

absl::StatusOr<Topology> FromFlag(const std::string& text) {
  if (text.empty()) return ThisMachine();
  if (text.ends_with(".xml")) return FromXml(text);
  return FromSynthetic(text);
}

}  // namespace topo
