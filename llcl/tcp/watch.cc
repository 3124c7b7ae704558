#include "llcl/tcp/watch.h"

#include <algorithm>
#include <utility>

namespace llcl {

bool TcpWatch::Open(const std::vector<TcpPeer*>& peers, int calls) {
  alarm_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (alarm_.get() < 0) return false;
  if (calls < 0 && peers.size() < 2) {
    if (!peers.empty()) direct_ = peers.front();
    return true;
  }
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  epoll_event none = {.events = 0, .data = {.ptr = nullptr}};
  epoll_event called = {.events = EPOLLIN, .data = {.ptr = nullptr}};
  return news_.get() >= 0 && epoll_ctl(alarm_.get(), EPOLL_CTL_ADD, news_.get(), &none) == 0 &&
         (calls < 0 || epoll_ctl(news_.get(), EPOLL_CTL_ADD, calls, &called) == 0) &&
         std::all_of(peers.begin(), peers.end(), [this](TcpPeer* peer) { return Add(*peer); });
}

bool TcpWatch::Control(const OwnedFd& epoll, int what, TcpPeer& peer) {
  epoll_event event = {.events = EPOLLIN, .data = {.ptr = &peer}};
  if (peer.sender.order().waits_for_room()) event.events |= EPOLLOUT;
  return epoll_ctl(epoll.get(), what, peer.connection.fd(), &event) == 0;
}

// A connection that has ended is in neither epoll: it would be readable for ever.
void TcpWatch::Direct(TcpPeer* peer) {
  TcpPeer* const before = direct_;
  if (before != nullptr && before->connection.brings_bytes()) {
    // Without memory for it in the system the connection stays the direct one.
    if (!Control(news_, EPOLL_CTL_ADD, *before)) return;
    if (is_set_) (void)Control(alarm_, EPOLL_CTL_DEL, *before);
  }
  direct_ = nullptr;
  if (peer == nullptr || !peer->connection.brings_bytes()) return;
  direct_ = peer;
  (void)Control(news_, EPOLL_CTL_DEL, *peer);
  if (is_set_) (void)Control(alarm_, EPOLL_CTL_ADD, *peer);
}

bool TcpWatch::SetAlarm() {
  if (is_set_) return true;
  if (direct_ != nullptr && !Control(alarm_, EPOLL_CTL_ADD, *direct_)) return false;
  is_set_ = true;
  if (news_.get() >= 0) WatchNews(EPOLLIN);
  return true;
}

void TcpWatch::ClearAlarm() {
  if (!std::exchange(is_set_, false)) return;
  if (news_.get() >= 0) WatchNews(0);
  if (direct_ != nullptr) (void)Control(alarm_, EPOLL_CTL_DEL, *direct_);
}

void TcpWatch::WatchNews(std::uint32_t events) {
  epoll_event event = {.events = events, .data = {.ptr = nullptr}};
  (void)epoll_ctl(alarm_.get(), EPOLL_CTL_MOD, news_.get(), &event);
}

void TcpWatch::Update(TcpPeer& peer) {
  if (&peer != direct_) {
    (void)Control(news_, EPOLL_CTL_MOD, peer);
  } else if (is_set_) {
    (void)Control(alarm_, EPOLL_CTL_MOD, peer);
  }
}

void TcpWatch::Remove(TcpPeer& peer) {
  if (&peer != direct_) {
    (void)Control(news_, EPOLL_CTL_DEL, peer);
    return;
  }
  if (is_set_) (void)Control(alarm_, EPOLL_CTL_DEL, peer);
  direct_ = nullptr;
  (void)attention_.OnEnd(peer.rank);
}

}  // namespace llcl
