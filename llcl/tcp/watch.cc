#include "llcl/tcp/watch.h"

#include <algorithm>
#include <utility>

namespace llcl {

bool TcpWatch::Open() {
  alarm_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (alarm_.get() < 0) return false;
  if (is_one()) return true;
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  epoll_event none = {.events = 0, .data = {.ptr = nullptr}};
  return news_.get() >= 0 && epoll_ctl(alarm_.get(), EPOLL_CTL_ADD, news_.get(), &none) == 0 &&
         std::all_of(peers_.begin(), peers_.end(),
                     [this](TcpPeer* peer) { return Control(news_, EPOLL_CTL_ADD, *peer); });
}

bool TcpWatch::Control(const OwnedFd& epoll, int what, TcpPeer& peer) {
  epoll_event event = {.events = EPOLLIN, .data = {.ptr = &peer}};
  if (peer.sender.order().waits_for_room()) event.events |= EPOLLOUT;
  return epoll_ctl(epoll.get(), what, peer.connection.fd(), &event) == 0;
}

void TcpWatch::SetAlarm() {
  if (std::exchange(is_set_, true)) return;
  if (!is_one()) return WatchNews(EPOLLIN);
  // One that has ended would be readable for ever.
  if (peers_.front()->connection.brings_bytes()) {
    (void)Control(alarm_, EPOLL_CTL_ADD, *peers_.front());
  }
}

void TcpWatch::ClearAlarm() {
  if (!std::exchange(is_set_, false)) return;
  if (!is_one()) return WatchNews(0);
  if (peers_.front()->connection.brings_bytes()) {
    (void)Control(alarm_, EPOLL_CTL_DEL, *peers_.front());
  }
}

void TcpWatch::WatchNews(std::uint32_t events) {
  epoll_event event = {.events = events, .data = {.ptr = nullptr}};
  (void)epoll_ctl(alarm_.get(), EPOLL_CTL_MOD, news_.get(), &event);
}

void TcpWatch::Update(TcpPeer& peer) {
  if (!is_one()) {
    (void)Control(news_, EPOLL_CTL_MOD, peer);
  } else if (is_set_) {
    (void)Control(alarm_, EPOLL_CTL_MOD, peer);
  }
}

void TcpWatch::Remove(TcpPeer& peer) {
  if (!is_one()) {
    (void)Control(news_, EPOLL_CTL_DEL, peer);
  } else if (is_set_) {
    (void)Control(alarm_, EPOLL_CTL_DEL, peer);
  }
}

}  // namespace llcl
