#include "llcl/launch/place.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

namespace llcl {
namespace {

std::string LinkAt(const char* path) {
  std::array<char, 64> text;
  const ssize_t bytes = readlink(path, text.data(), text.size());
  return bytes > 0 ? std::string(text.data(), static_cast<std::size_t>(bytes)) : std::string();
}

}  // namespace

bool SharesNetwork(const Place& a, const Place& b) {
  return a.machine == b.machine && a.network_namespace == b.network_namespace &&
         !a.network_namespace.empty();
}

bool SharesProcesses(const Place& a, const Place& b) {
  return a.machine == b.machine && a.process_namespace == b.process_namespace &&
         !a.process_namespace.empty();
}

bool ShareNetwork(const std::vector<Place>& places) {
  return std::all_of(places.begin(), places.end(),
                     [&](const Place& place) { return SharesNetwork(place, places.front()); });
}

bool AreTogether(const std::vector<Place>& places) {
  return std::all_of(places.begin(), places.end(), [&](const Place& place) {
    return SharesNetwork(place, places.front()) && SharesProcesses(place, places.front());
  });
}

std::vector<int> HostsOf(const std::vector<Place>& places, int most) {
  struct Host {
    const Place* place;
    int number;
    int ranks;
  };
  std::vector<Host> open;  // that take more ranks
  std::vector<int> hosts;
  int made = 0;
  for (const Place& place : places) {
    auto host = std::find_if(open.begin(), open.end(), [&](const Host& one) {
      return AreTogether({*one.place, place});
    });
    if (host == open.end()) host = open.insert(host, {&place, made++, 0});
    hosts.push_back(host->number);
    if (++host->ranks == most) open.erase(host);
  }
  return hosts;
}

std::string ToText(const Place& place) {
  return place.machine + '\n' + place.network_namespace + '\n' + place.process_namespace + '\n' +
         std::to_string(place.process);
}

std::optional<Place> PlaceOf(std::string_view text) {
  std::array<std::string_view, 3> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  Place place{std::string(lines[0]), std::string(lines[1]), std::string(lines[2])};
  const auto [end, error] = std::from_chars(text.begin(), text.end(), place.process);
  if (error != std::errc() || end != text.end() || place.process <= 0) return std::nullopt;
  return place;
}

Place ThisPlace() {
  Place place;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) place.machine = host.data();
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  place.machine += " " + boot;
  place.network_namespace = LinkAt("/proc/self/ns/net");
  place.process_namespace = LinkAt("/proc/self/ns/pid");
  place.process = getpid();
  return place;
}

absl::StatusOr<std::vector<Place>> GatherPlaces(Launch& launch) {
  const auto all = launch.Allgather(ToText(ThisPlace()));
  if (!all.ok()) return all.status();
  std::vector<Place> places;
  for (const std::string& text : *all) {
    const std::optional<Place> place = PlaceOf(text);
    if (!place) return absl::UnavailableError("a rank does not say where it is: " + text);
    places.push_back(*place);
  }
  return places;
}

}  // namespace llcl
