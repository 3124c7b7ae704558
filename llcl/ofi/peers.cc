#include "llcl/ofi/peers.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace llcl {
namespace {

// libfabric does not tell whether all has come that a rank had sent before its end.
constexpr std::chrono::milliseconds kTimeToHear{100};

absl::Status CannotWatch() {
  return absl::ResourceExhaustedError(std::string("cannot watch other ranks: ") +
                                      std::strerror(errno));
}

}  // namespace

OfiPeers::OfiPeers(OfiFabric& fabric, int size)
    : fabric_(fabric), ends_(epoll_create1(EPOLL_CLOEXEC)) {
  for (int i = 0; i < size; ++i) peers_.push_back(std::make_unique<Peer>());
}

absl::StatusOr<std::unique_ptr<OfiPeers>> OfiPeers::Meet(Launch& launch,
                                                         const std::vector<Place>& places,
                                                         OfiFabric& fabric,
                                                         const OfiTableAddress& table) {
  std::unique_ptr<OfiPeers> peers(new OfiPeers(fabric, launch.size()));
  if (peers->ends_.get() < 0) return CannotWatch();
  if (const absl::Status learned = peers->LearnAddresses(launch, table); !learned.ok()) {
    return learned;
  }
  const Place& here = places[static_cast<std::size_t>(ToInt(launch.rank()))];
  for (int rank = 0; rank < launch.size(); ++rank) {
    const Place& there = places[static_cast<std::size_t>(rank)];
    if (Rank{rank} == launch.rank() || !SharesProcesses(here, there)) continue;
    const absl::Status watched = peers->Watch(Rank{rank}, there.process);
    if (!watched.ok()) return watched;
  }
  // No rank ends before all have what they need of it.
  const auto all = launch.Allgather("");
  if (!all.ok()) return all.status();
  return peers;
}

absl::Status OfiPeers::LearnAddresses(Launch& launch, const OfiTableAddress& table) {
  const auto providers = launch.Allgather(fabric_.provider());
  if (!providers.ok()) return providers.status();
  for (const std::string& provider : *providers) {
    if (provider == fabric_.provider()) continue;
    return absl::FailedPreconditionError(
        "the ranks do not all have the same provider: " + fabric_.provider() + " and " + provider);
  }
  // One text of each rank at a time is what a launcher carries.
  std::array<std::vector<std::string>, 2> names;  // of the endpoints of messages, of transfers
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto name = fabric_.NameOf(i == 0 ? fabric_.messages() : fabric_.transfers());
    if (!name.ok()) return name.status();
    auto all = launch.Allgather(*name);
    if (!all.ok()) return all.status();
    names[i] = *std::move(all);
  }
  const auto tables = launch.Allgather({reinterpret_cast<const char*>(&table), sizeof table});
  if (!tables.ok()) return tables.status();

  for (std::size_t i = 0; i < peers_.size(); ++i) {
    OfiPeerAddress& peer = peers_[i]->address;
    const auto messages = fabric_.AddressOf(names[0][i]);
    if (!messages.ok()) return messages.status();
    const auto transfers = TransferAddress(names[0][i], names[1][i], *messages);
    if (!transfers.ok()) return transfers.status();
    if ((*tables)[i].size() != sizeof peer.table) {
      return absl::UnavailableError("a rank does not say where its table of regions is");
    }
    peer.messages = *messages;
    peer.transfers = *transfers;
    std::memcpy(&peer.table, (*tables)[i].data(), sizeof peer.table);
  }
  return absl::OkStatus();
}

absl::StatusOr<fi_addr_t> OfiPeers::TransferAddress(const std::string& messages,
                                                    const std::string& transfers,
                                                    fi_addr_t address) {
  if (fabric_.keeps_broken_connections()) return fabric_.TransferAddressOf(messages);
  // Where it is one endpoint it has one address.
  return transfers == messages ? address : fabric_.AddressOf(transfers);
}

absl::Status OfiPeers::Watch(Rank rank, pid_t process) {
  Peer& peer = Of(rank);
  peer.process = OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (peer.process.get() < 0) {
    // Where the system does not let it be watched, it is like a rank of another machine.
    if (errno == ESRCH) Lose(peer);
    return absl::OkStatus();
  }
  epoll_event event = {.events = EPOLLIN, .data = {.u64 = static_cast<std::uint64_t>(ToInt(rank))}};
  if (epoll_ctl(ends_.get(), EPOLL_CTL_ADD, peer.process.get(), &event) != 0) return CannotWatch();
  return absl::OkStatus();
}

void OfiPeers::LookForEnds() {
  std::array<epoll_event, 16> events;
  const int count = epoll_wait(ends_.get(), events.data(), static_cast<int>(events.size()), 0);
  const auto now = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    Peer& peer = Of(Rank{static_cast<std::int32_t>(events[static_cast<std::size_t>(i)].data.u64)});
    (void)epoll_ctl(ends_.get(), EPOLL_CTL_DEL, peer.process.get(), nullptr);
    peer.ended = now;
    ++ended_;
  }
  for (std::size_t i = 0; i < peers_.size() && ended_ > 0; ++i) {
    Peer& peer = *peers_[i];
    if (!peer.ended || now - *peer.ended < kTimeToHear) continue;
    peer.ended.reset();
    --ended_;
    Lose(peer);
  }
}

void OfiPeers::OnSilence(Rank rank) {
  LookForEnds();
  if (Of(rank).process.get() < 0) Lose(Of(rank));
}

void OfiPeers::OnBroken(Rank rank, std::uint32_t connection) {
  Peer& peer = Of(rank);
  if (!fabric_.keeps_broken_connections() || peer.address.connection != connection) return;
  ++peer.address.connection;
  const auto renewed = fabric_.Renew(peer.address.transfers);
  if (renewed.ok()) {
    peer.address.transfers = *renewed;
  } else {
    Lose(peer);
  }
}

void OfiPeers::Lose(Peer& peer) {
  if (peer.is_down.exchange(true, std::memory_order_acq_rel)) return;
  losses_.fetch_add(1, std::memory_order_release);
  if (peer.process.get() >= 0) {
    (void)epoll_ctl(ends_.get(), EPOLL_CTL_DEL, peer.process.get(), nullptr);
  }
}

}  // namespace llcl
