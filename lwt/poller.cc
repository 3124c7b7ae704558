#include "lwt/poller.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

namespace lwt {
namespace {

// epoll's bits are poll's, as far as both have them.
static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLPRI == POLLPRI);
constexpr short kAlways = POLLERR | POLLHUP | POLLNVAL;

}  // namespace

absl::StatusOr<std::unique_ptr<Poller>> Poller::Create() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<Poller> poller(new Poller(epoll, stop));
  epoll_event event = {.events = EPOLLIN, .data = {.fd = stop}};
  if (epoll < 0 || stop < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, stop, &event) != 0) {
    return absl::ResourceExhaustedError("the system gives no epoll instance to wait for I/O with");
  }
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  bool started = true;
  try {
    poller->watcher_ = std::thread([raw = poller.get()] { raw->Watch(); });
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return absl::ResourceExhaustedError("cannot start the thread that waits for I/O");
  return poller;
}

Poller::~Poller() {
  if (watcher_.joinable()) {
    eventfd_write(stop_, 1);
    watcher_.join();
  }
  if (epoll_ >= 0) close(epoll_);
  if (stop_ >= 0) close(stop_);
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

// Asks for what `waiting` wants, once. 0, or errno.
int Poller::Register(int fd, const Waiting& waiting) {
  std::uint32_t wanted = EPOLLONESHOT;
  for (const Node* node = waiting.oldest(); node != nullptr; node = node->newer) {
    wanted |= static_cast<std::uint32_t>(node->asked->events);
  }
  epoll_event event = {.events = wanted, .data = {.fd = fd}};
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event) == 0) return 0;
  // Not there yet, or closed and opened again since.
  if (errno != ENOENT) return errno;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

void Poller::OnReady(int fd, short events) {
  std::vector<Waiter*> woken;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(fd);
    if (found == waiting_.end()) return;  // All gave up.
    Node* next = nullptr;
    for (Node* node = found->second.oldest(); node != nullptr; node = next) {
      next = node->newer;
      const short got = events & static_cast<short>(node->asked->events | kAlways);
      if (got == 0) continue;
      node->asked->revents = got;
      Call& call = *node->call;
      // The call's node for this descriptor may be `next` too.
      while (next != nullptr && next->call == &call) next = next->newer;
      Withdraw(call);
      woken.push_back(&call.waiter);
    }
    const auto left = waiting_.find(fd);
    if (left != waiting_.end() && Register(fd, left->second) != 0) waiting_.erase(left);
  }
  for (Waiter* waiter : woken) waiter->Wake();
}

// Takes the call's nodes out of all lists; false if somebody has done so. Lists
// that are empty go.
bool Poller::Withdraw(Call& call) {
  bool mine = false;
  for (Node& node : call.nodes) {
    const auto found = waiting_.find(node.asked->fd);
    if (found == waiting_.end() || !found->second.Remove(node)) continue;
    mine = true;
    if (found->second.empty()) waiting_.erase(found);
  }
  return mine;
}

int Poller::Wait(std::span<pollfd> fds, Deadline deadline) {
  const int ready = poll(fds.data(), fds.size(), 0);
  if (ready != 0) return ready > 0 ? ready : -errno;
  if (deadline <= Clock::now()) return 0;
  Node few[4];
  std::vector<Node> many(fds.size() > std::size(few) ? fds.size() : 0);
  Call call;
  call.nodes = many.empty() ? std::span<Node>(few, fds.size()) : std::span<Node>(many);
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < fds.size(); ++i) {
      Node& node = call.nodes[i];
      node.call = &call;
      node.asked = &fds[i];
      Waiting& waiting = waiting_[fds[i].fd];
      waiting.Add(node);
      if (const int error = Register(fds[i].fd, waiting); error != 0) {
        // As poll would have told; or a file that is always ready, of which poll has.
        Withdraw(call);
        return -error;
      }
    }
  }
  const auto give_up = [&] {
    const std::lock_guard lock(mutex_);
    return Withdraw(call);
  };
  if (deadline == Deadline::max()) {
    call.waiter.Wait("I/O", WokenBy::kSystem);
  } else if (WakeOrDeadline(call.waiter, deadline, "I/O", give_up)) {
    return 0;
  }
  int got = 0;
  for (const pollfd& fd : fds) got += fd.revents != 0;
  return got;
}

}  // namespace lwt
