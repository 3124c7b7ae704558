#include "llcl/tcp/device.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "llcl/process_limits.h"

namespace llcl {

TcpDevice::TcpDevice(Rank rank, std::vector<OwnedFd> connections, TcpRegions& regions,
                     std::unique_ptr<TcpConnector> connector)
    : rank_(rank),
      regions_(regions),
      peers_(std::move(connections), std::move(connector), requests_, regions) {}

absl::Status TcpDevice::Open() {
  if (peers_.Open()) return absl::OkStatus();
  return absl::ResourceExhaustedError("cannot watch connections: " +
                                      WhyCallFailed("epoll_create1", errno));
}

std::size_t TcpDevice::Post(std::span<const Command> commands) {
  for (const Command& command : commands) {
    if (command.peer == rank_) {
      PostHere(command);
    } else {
      peers_.Post(command);
    }
  }
  return commands.size();
}

void TcpDevice::PostHere(const Command& command) {
  if (command.kind == CommandKind::kMessage) {
    messages_to_self_.emplace_back(command.local, command.local + command.bytes);
    requests_.AddEnd(command.tag, Outcome::kDone);
  } else {
    requests_.AddEnd(command.tag, regions_.Execute(command));
  }
}

Device::Left TcpDevice::Release() {
  const bool has_more = peers_.Release();
  return LeftOf(has_more || !messages_to_self_.empty(), requests_.ends());
}

std::size_t TcpDevice::Poll(std::span<Ended> ended) {
  peers_.Poll();
  return requests_.TakeEnds(ended);
}

void TcpDevice::Receive(Inbox& inbox) {
  while (!messages_to_self_.empty() && inbox.has_room()) {
    const std::vector<std::byte>& message = messages_to_self_.front();
    std::copy(message.begin(), message.end(), inbox.Add(rank_, message.size()).begin());
    messages_to_self_.pop_front();
  }
  peers_.HandOut(inbox);
}

bool TcpDevice::TryArm() {
  return peers_.TryArm() && requests_.ends() == 0 && messages_to_self_.empty();
}

bool TcpDevice::Disarm() {
  peers_.Disarm();
  return true;
}

}  // namespace llcl
