// The epolls of a device's connections. By them a thread that polls finds the connections that have
// something to receive, and a thread that sleeps is woken once a connection has.
//
// An epoll that watches a connection makes each arrival slower: by 3 to 4 % of a round trip,
// measured with bare sockets, and a second epoll that watches the first by 5 % more. A job of two
// ranks has one connection: the device polls the connection itself, and an epoll watches it only
// while the alarm is set.
//
// Threads: one at a time; descriptor any.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <iterator>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/tcp/peer.h"

namespace llcl {

// A resource. `peers`, filled before Open, outlive it.
class TcpWatch {
 public:
  explicit TcpWatch(const std::vector<TcpPeer*>& peers) : peers_(peers) {}
  // Before all else. False: errno says why.
  [[nodiscard]] bool Open();

  // Calls f(peer, has_room) for those that may have something to receive, or room to send
  // where the peer waits for it.
  template <typename F>
  void ForEach(F f) {
    if (is_one()) return f(*peers_.front(), peers_.front()->sender.order().waits_for_room());
    if (peers_.empty()) return;
    epoll_event events[16];
    const int count = epoll_wait(news_.get(), events, std::size(events), 0);
    for (int i = 0; i < count; ++i) {
      f(*static_cast<TcpPeer*>(events[i].data.ptr), (events[i].events & EPOLLOUT) != 0);
    }
  }
  // Readable while a connection has something, if the alarm is set.
  int descriptor() const { return alarm_.get(); }
  void SetAlarm();
  void ClearAlarm();

  // The peer has begun to wait for room, or waits no more.
  void Update(TcpPeer& peer);
  // Before its connection is closed.
  void Remove(TcpPeer& peer);

 private:
  bool is_one() const { return peers_.size() == 1; }
  void WatchNews(std::uint32_t events);
  bool Control(const OwnedFd& epoll, int what, TcpPeer& peer);

  const std::vector<TcpPeer*>& peers_;
  OwnedFd news_;   // of all connections, if there are several
  OwnedFd alarm_;  // of news_, or of the one connection, while it is set
  bool is_set_ = false;
};

}  // namespace llcl
