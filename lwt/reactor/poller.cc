#include "lwt/reactor/poller.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace lwt {

[[gnu::noinline]] int LastError() {
  asm volatile("");
  return errno;
}
namespace {

// epoll's bits are poll's, as far as both have them.
static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLPRI == POLLPRI);
constexpr short kAlways = POLLERR | POLLHUP | POLLNVAL;

}  // namespace

int PollNow(std::span<pollfd> fds) {
  while (true) {
    const int ready = poll(fds.data(), fds.size(), 0);
    if (ready >= 0) return ready;
    if (LastError() != EINTR) return -LastError();
  }
}

class Poller::Claimed {
 public:
  Claimed() = default;
  Claimed(const Claimed&) = delete;
  Claimed& operator=(const Claimed&) = delete;
  ~Claimed() {
    while (oldest_ != nullptr) {
      Call* const next = oldest_->also_claimed;  // Woken, it may be gone.
      oldest_->waiter.Wake();
      oldest_ = next;
    }
  }

  void Add(Call& call) {
    *end_ = &call;
    end_ = &call.also_claimed;
  }

 private:
  Call* oldest_ = nullptr;
  Call** end_ = &oldest_;
};

// 0, or errno: then all is as before.
int Poller::Start() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ >= 0) stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event = {.events = EPOLLIN, .data = {.fd = stop_}};
  int error = 0;
  if (epoll_ < 0 || stop_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, stop_, &event) != 0) {
    error = LastError();
  } else {
    error = StartWatcher();
  }
  if (error != 0) Close();
  return error;
}

int Poller::StartWatcher() {
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int error = 0;
  try {
    watcher_ = JoinedThread([this] { Watch(); });
  } catch (const std::system_error& refused) {
    error = refused.code().value();
  } catch (const std::bad_alloc&) {
    error = ENOMEM;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

void Poller::Close() {
  if (epoll_ >= 0) close(std::exchange(epoll_, -1));
  if (stop_ >= 0) close(std::exchange(stop_, -1));
}

Poller::~Poller() {
  // A child of fork(2) has the parent's eventfd, whose watcher goes on.
  if (watcher_.is_here()) {
    eventfd_write(stop_, 1);
    watcher_.Join();
  }
  Close();
}

void Poller::Watch() {
  epoll_event events[64];
  while (true) {
    const int ready = epoll_wait(epoll_, events, 64, -1);
    for (int i = 0; i < ready; ++i) {
      if (events[i].data.fd == stop_) return;
      OnReady(events[i].data.fd, static_cast<short>(events[i].events));
    }
  }
}

void Poller::OnReady(int fd, short events) {
  Claimed claimed;  // Wakes after the lock.
  const topo::Lock lock(mutex_);
  Claim(fd, events, claimed);
  const int error = Register(fd);
  // No event would wake the calls that are left.
  if (error != 0) Claim(fd, error == EBADF ? POLLNVAL : POLLERR, claimed);
}

// Claims all calls that wait for one of these events.
void Poller::Claim(int fd, short events, Claimed& claimed) {
  Node* next = nullptr;
  for (Node* node = BucketOf(fd).oldest(); node != nullptr; node = next) {
    next = node->newer;
    if (node->fd != fd || (events & (node->asked->events | kAlways)) == 0) continue;
    Call& call = *node->call;
    if (call.claimed.exchange(true, std::memory_order_acq_rel)) continue;
    for (Node& one : call.nodes) {
      if (one.fd != fd) continue;
      one.asked->revents = static_cast<short>(events & (one.asked->events | kAlways));
    }
    while (next != nullptr && next->call == &call) next = next->newer;
    RemoveNodes(call);
    claimed.Add(call);
  }
}

// Asks epoll for the events that calls wait for, once. 0, or errno.
int Poller::Register(int fd) {
  std::uint32_t wanted = 0;
  bool any = false;
  for (const Node* node = BucketOf(fd).oldest(); node != nullptr; node = node->newer) {
    if (node->fd != fd || node->call->claimed.load(std::memory_order_relaxed)) continue;
    wanted |= static_cast<std::uint16_t>(node->asked->events);
    any = true;
  }
  if (!any) return 0;
  epoll_event event = {.events = wanted | EPOLLONESHOT, .data = {.fd = fd}};
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event) == 0) return 0;
  // Not there yet, or closed and opened again since.
  if (LastError() != ENOENT) return LastError();
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : LastError();
}

void Poller::RemoveNodes(Call& call) {
  for (Node& node : call.nodes) BucketOf(node.fd).Remove(node);
}

// 0, or errno.
int Poller::Enter(Call& call, Node& node) {
  Claimed claimed;  // Wakes after the lock.
  const topo::Lock lock(mutex_);
  if (!watcher_.was_started()) {
    if (const int error = Start(); error != 0) return error;
  }
  // A node that was entered before is ready meanwhile.
  if (call.claimed.load(std::memory_order_relaxed)) return 0;
  Waiting& bucket = BucketOf(node.fd);
  bucket.Add(node);
  const int error = Register(node.fd);
  if (error == 0) return 0;
  bucket.Remove(node);
  // A file that is always ready, as poll has reported, or never for this event.
  if (error == EPERM) return 0;
  Claim(node.fd, error == EBADF ? POLLNVAL : POLLERR, claimed);
  return error;
}

void Poller::Leave(Call& call) {
  const topo::Lock lock(mutex_);
  RemoveNodes(call);
}

int Poller::Wait(std::span<pollfd> fds, Deadline deadline) {
  if (const int ready = PollNow(fds); ready != 0) return ready;
  if (deadline <= Clock::now()) return 0;
  Node few[4];
  std::unique_ptr<Node[]> many;
  Call call;
  call.nodes = std::span(few).first(std::min(fds.size(), std::size(few)));
  if (fds.size() > std::size(few)) {
    many.reset(new (std::nothrow) Node[fds.size()]);
    if (many == nullptr) return -ENOMEM;
    call.nodes = std::span(many.get(), fds.size());
  }
  for (std::size_t i = 0; i < fds.size(); ++i) {
    call.nodes[i].call = &call;
    call.nodes[i].asked = &fds[i];
    call.nodes[i].fd = fds[i].fd;
  }
  const auto claim = [&] { return !call.claimed.exchange(true, std::memory_order_acq_rel); };
  for (Node& node : call.nodes) {
    if (node.fd < 0) continue;  // As poll(2) does.
    const int error = Enter(call, node);
    if (error == 0 || !claim()) continue;
    Leave(call);
    if (error != EBADF) return -error;
    node.asked->revents = POLLNVAL;
    return 1;
  }
  if (deadline == Deadline::max()) {
    call.waiter.Wait("I/O", WokenBy::kSystem);
  } else if (WakeOrDeadline(call.waiter, deadline, "I/O", claim)) {
    Leave(call);
    return 0;
  }
  int got = 0;
  for (const pollfd& fd : fds) got += fd.revents != 0;
  return got;
}

}  // namespace lwt
