// The epolls of a device's connections. By them a thread that polls finds the connections that have
// something to receive, and a thread that sleeps is woken once a connection has.
//
// An epoll that watches a connection makes each arrival slower: by 3 to 4 % of a round trip,
// measured with bare sockets, and a second epoll that watches the first by 5 % more. So one
// connection, the direct one, is polled by itself, and an epoll watches it only while the alarm is
// set: the only one of a job of two ranks, else the one that attention.h chooses.
//
// The calls of a TcpConnector are watched with the connections.
//
// Threads: one at a time; descriptor any.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <iterator>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/tcp/attention.h"
#include "llcl/tcp/peer.h"

namespace llcl {

// A resource. The peers outlive it.
class TcpWatch {
 public:
  // Before all else. `calls`: the connector's descriptor; -1: there is none, and no other peer will
  // be met. False: errno says why.
  [[nodiscard]] bool Open(const std::vector<TcpPeer*>& peers, int calls);
  // A peer was met. False: the system has no memory for it.
  [[nodiscard]] bool Add(TcpPeer& peer) { return Control(news_, EPOLL_CTL_ADD, peer); }

  // Calls f(peer, has_room) for those that may have something to receive, or room to send
  // where the peer waits for it. f returns whether bytes have come. Returns whether there is news
  // of calls.
  template <typename F>
  bool ForEach(F f) {
    // f may remove it.
    if (TcpPeer* const direct = direct_; direct != nullptr) {
      if (f(*direct, direct->sender.order().waits_for_room())) OnCame(*direct);
    }
    if (!has_several() || !attention_.LooksAtOthers()) return false;
    bool has_calls = false;
    epoll_event events[16];
    const int count = epoll_wait(news_.get(), events, std::size(events), 0);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.ptr == nullptr) {
        has_calls = true;
        continue;
      }
      TcpPeer& peer = *static_cast<TcpPeer*>(events[i].data.ptr);
      if (f(peer, (events[i].events & EPOLLOUT) != 0)) OnCame(peer);
    }
    return has_calls;
  }
  // Readable while a connection has something, if the alarm is set.
  int descriptor() const { return alarm_.get(); }
  // False: the system has no memory for it.
  [[nodiscard]] bool SetAlarm();
  void ClearAlarm();

  // The peer has begun to wait for room, or waits no more.
  void Update(TcpPeer& peer);
  // Before its connection is closed.
  void Remove(TcpPeer& peer);

 private:
  bool has_several() const { return news_.get() >= 0; }
  void OnCame(TcpPeer& peer) {
    if (!has_several() || !peer.connection.brings_bytes()) return;
    if (attention_.OnCame(peer.rank)) {
      Direct(attention_.direct() ? &peer : nullptr);
    }
  }
  // The direct connection is this peer's from here on; null: none.
  void Direct(TcpPeer* peer);
  void WatchNews(std::uint32_t events);
  bool Control(const OwnedFd& epoll, int what, TcpPeer& peer);

  TcpAttention attention_;     // where there are several
  TcpPeer* direct_ = nullptr;  // is not in news_
  OwnedFd news_;               // of the other connections, if there are several
  OwnedFd alarm_;              // of news_ and of the direct connection, while it is set
  bool is_set_ = false;
};

}  // namespace llcl
