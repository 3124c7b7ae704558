#include "llcl/mixed/device.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "llcl/process_limits.h"

namespace llcl {

absl::Status MixedDevice::Open() {
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  const char* call = news_.get() < 0 ? "epoll_create1" : nullptr;
  for (const Device* const device : {&near_, &far_}) {
    epoll_event event = {.events = EPOLLIN, .data = {}};
    const int fd = device->wait_descriptor();
    if (call != nullptr || fd < 0) continue;
    if (epoll_ctl(news_.get(), EPOLL_CTL_ADD, fd, &event) != 0) call = "epoll_ctl";
  }
  if (call == nullptr) return absl::OkStatus();
  return absl::ResourceExhaustedError("cannot watch both ways: " + WhyCallFailed(call, errno));
}

std::size_t MixedDevice::Post(std::span<const Command> commands) {
  std::size_t posted = 0;
  while (posted < commands.size()) {
    // Neighboring commands of one way go together.
    Device& device = To(commands[posted].peer);
    const auto begin = commands.begin() + static_cast<std::ptrdiff_t>(posted);
    const auto end = std::find_if(begin, commands.end(), [&](const Command& command) {
      return &To(command.peer) != &device;
    });
    const auto run = std::span(begin, end);
    const std::size_t taken = device.Post(run);
    if (&device == &far_) turns_.OnFar();
    posted += taken;
    if (taken < run.size()) break;
  }
  return posted;
}

std::size_t MixedDevice::Poll(std::span<Ended> ended) {
  const std::size_t count = near_.Poll(ended);
  if (count > 0 || near_activity_ != near_.activity()) turns_.OnNear();
  near_activity_ = near_.activity();
  const bool is_due = turns_.IsDue();
  if (!is_due && !far_.IsHolding()) return count;
  const std::size_t far_count = far_.Poll(ended.subspan(count));
  const bool was_active = far_activity_ != far_.activity();
  far_activity_ = far_.activity();
  if (far_count > 0 || was_active) {
    turns_.OnFar();
  } else {
    turns_.OnNothing();
  }
  return count + far_count;
}

Device::Left MixedDevice::Release() { return std::max(near_.Release(), far_.Release()); }

void MixedDevice::Receive(Inbox& inbox) {
  far_is_first_ = !far_is_first_;
  ReceiveFrom(far_is_first_ ? far_ : near_, inbox);
  ReceiveFrom(far_is_first_ ? near_ : far_, inbox);
}

void MixedDevice::ReceiveFrom(Device& device, Inbox& inbox) {
  const std::size_t before = inbox.bytes();
  device.Receive(inbox);
  if (&device == &near_ && inbox.bytes() != before) turns_.OnNear();
}

int MixedDevice::wait_descriptor() const {
  const bool both_wake = near_.wait_descriptor() >= 0 && far_.wait_descriptor() >= 0;
  return both_wake ? news_.get() : -1;
}

bool MixedDevice::TryArm() {
  if (!near_.TryArm()) return false;
  if (far_.TryArm()) return true;
  (void)near_.Disarm();
  return false;
}

bool MixedDevice::Disarm() {
  const bool near_is_quiet = near_.Disarm();
  return far_.Disarm() && near_is_quiet;
}

}  // namespace llcl
