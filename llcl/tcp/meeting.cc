#include "llcl/tcp/meeting.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llcl/conduit/circle.h"
#include "llcl/launch/agreement.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/interfaces.h"
#include "llcl/launch/place.h"
#include "llcl/launch/random_name.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/process_limits.h"
#include "llcl/tcp/call_plan.h"
#include "llcl/tcp/reception.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTimeToGo{500};  // for calls, where another was in vain

// Of the conduit, its executor among them: the connections, the device's two epolls and the
// progress thread's doorbell; before these there are the listeners and their epoll, and for each
// connection as many calls.
std::uint64_t DescriptorsFor(std::size_t connections, std::size_t listeners) {
  return connections + std::max<std::uint64_t>(5, listeners + 1 + connections * (listeners - 1));
}

// Returns the addresses at which the other ranks call, with a space between two. `others`: further
// descriptors.
absl::StatusOr<std::string> ListenFor(Launch& launch, const std::string& chosen,
                                      std::size_t connections, std::size_t others,
                                      TcpListeners& listeners) {
  const auto places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  const auto found = FindAddresses(launch, *places, chosen);
  if (!found.ok()) return found.status();
  const std::vector<std::string>& hosts = *found;
  const int size = launch.size();
  const std::string purpose =
      absl::StrCat("a job of ", size, size == 1 ? " rank" : " ranks", " by TCP");
  const std::uint64_t needed = DescriptorsFor(connections, std::max<std::size_t>(hosts.size(), 1));
  if (absl::Status room = CheckDescriptors(purpose, needed + others); !room.ok()) {
    return room;
  }
  absl::StatusOr<TcpListeners> made = ListenAt(hosts);
  if (!made.ok()) return made.status();
  listeners = *std::move(made);
  return absl::StrJoin(listeners.addresses, " ");
}

// The first connections of a rank.
class Meeting {
 public:
  // `connections`: by rank, as many as there are ranks.
  Meeting(Rank mine, std::vector<Rank> circle, TcpConnector& connector,
          std::vector<OwnedFd>& connections)
      : mine_(mine), circle_(std::move(circle)), connector_(connector), connections_(connections) {}

  // Calls the lower ranks of the circle, and awaits the higher ranks.
  absl::Status Connect(Deadline deadline) {
    for (const Rank rank : circle_) {
      if (rank < mine_) connector_.Want(rank, deadline, deadline);
    }
    absl::Status missed;
    while (!Missing().empty()) {
      pollfd news = {connector_.descriptor(), POLLIN, 0};
      (void)poll(&news, 1, MillisecondsTo(std::min(deadline, connector_.due())));
      const absl::Status heard = connector_.Poll(
          [&](Rank rank, OwnedFd fd) {
            connections_[static_cast<std::size_t>(ToInt(rank))] = std::move(fd);
          },
          [&](Rank, const std::string& why) {
            if (missed.ok()) deadline = std::min(deadline, Clock::now() + kTimeToGo);
            if (missed.ok()) missed = absl::UnavailableError(why);
          });
      // So that the other ranks miss the same rank, and not this one.
      const bool is_over = connector_.calls() == 0 || Clock::now() >= deadline;
      if (!missed.ok() && is_over) return missed;
      if (!heard.ok()) return heard;
      if (const std::string lack = connector_.Lack(); !lack.empty()) {
        return absl::UnavailableError(lack);
      }
      if (Clock::now() >= deadline) return NotCome();
    }
    return absl::OkStatus();
  }

 private:
  std::vector<int> Missing() const {
    std::vector<int> missing;
    for (const Rank rank : circle_) {
      if (connections_[static_cast<std::size_t>(ToInt(rank))].get() < 0) {
        missing.push_back(ToInt(rank));
      }
    }
    std::ranges::sort(missing);
    return missing;
  }
  // Lower ranks are called, and a call that is late says so itself.
  absl::Status NotCome() const {
    return absl::UnavailableError(absl::StrCat(
        "rank ", absl::StrJoin(Missing(), ", "), " has not come to ",
        absl::StrJoin(connector_.listens_at(), " or "), ": ", AddressAdvice("this machine")));
  }

  const Rank mine_;
  const std::vector<Rank> circle_;
  TcpConnector& connector_;
  std::vector<OwnedFd>& connections_;
};

}  // namespace

std::vector<Rank> FirstToMeet(Rank mine, const std::vector<int>& hosts) {
  std::vector<Rank> circle = Circle(mine, hosts).Members([](Rank) { return false; });
  const auto host_of = [&](Rank rank) { return hosts[static_cast<std::size_t>(ToInt(rank))]; };
  std::erase_if(circle, [&](Rank rank) { return host_of(rank) == host_of(mine); });
  return circle;
}

std::size_t DescriptorsOfCalls(const std::vector<int>& hosts) {
  constexpr std::size_t kEpollAndTimer = 2, kListeners = 2;
  return Circle::KnowsAll(hosts) ? 0 : kEpollAndTimer + 2 * kListeners + TcpReception::kMostLater;
}

absl::StatusOr<TcpMet> MeetByTcp(Launch& launch, const std::string& node,
                                 const std::vector<int>& hosts, std::chrono::milliseconds time) {
  const auto secrets =
      AllgatherOrRefuse(launch, ToInt(launch.rank()) == 0 ? RandomName(sizeof(SipKey))
                                                          : absl::StatusOr<std::string>(""));
  if (!secrets.ok()) return secrets.status();
  const std::optional<SipKey> secret = ParseSecret(secrets->front());
  if (!secret) return absl::UnavailableError("rank 0's secret is not understood");

  const std::vector<Rank> circle = FirstToMeet(launch.rank(), hosts);
  TcpListeners listeners;
  auto addresses = AllgatherOrRefuse(
      launch, ListenFor(launch, node, circle.size(), DescriptorsOfCalls(hosts), listeners));
  if (!addresses.ok()) return addresses.status();
  const auto size = static_cast<std::size_t>(launch.size());
  TcpMet met = {.connections = std::vector<OwnedFd>(size)};
  met.connector = std::make_unique<TcpConnector>(TcpJob{.secret = *secret,
                                                        .mine = launch.rank(),
                                                        .addresses = *std::move(addresses),
                                                        .hosts = hosts});
  absl::Status connected = met.connector->Open(std::move(listeners));
  if (connected.ok()) {
    connected = Meeting(launch.rank(), circle, *met.connector, met.connections)
                    .Connect(Clock::now() + time);
  }
  // A rank that has not connected does not come to the meeting either.
  if (absl::IsUnavailable(connected)) return connected;
  // No rank goes before all have met.
  if (absl::Status all = MeetOrRefuse(launch, connected); !all.ok()) return all;
  // Of all ranks or none: who knows all still passes on the departures (endpoint/news.h).
  if (Circle::KnowsAll(hosts)) {
    met.connector.reset();
  } else {
    met.connector->EndStart();
  }
  return met;
}

}  // namespace llcl
