#include "llcl/smp/door.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/random_name.h"
#include "llcl/process_limits.h"
#include "topo/mutex.h"

namespace llcl {
namespace {

// A peer that connects has its question ready.
constexpr std::chrono::milliseconds kTimeToAsk{1'000};
// Until there may be descriptors, or memory, again.
constexpr int kPauseMs = 10;
constexpr std::size_t kMostSecret = 128;

// A client's question, and the answer (which the descriptor comes with).
struct Question {
  char secret[kMostSecret] = {};
  std::uint64_t number = 0;
};
enum class Answer : char { kHere = 1, kNotFound, kTurnedAway };

// The process, or the machine, lacks something of its own; the other ranks are not the reason.
bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

absl::Status Failed(const char* what, const char* call) {
  const int error = errno;
  const std::string why = std::string(what) + ": " + WhyCallFailed(call, error);
  return IsShortage(error) ? absl::ResourceExhaustedError(why) : absl::UnavailableError(why);
}

absl::Status NoAnswer(std::chrono::milliseconds patience) {
  const int error = errno;
  if (error != EAGAIN && error != EWOULDBLOCK) return Failed("no answer", "recvmsg");
  return absl::UnavailableError("no answer in " + std::to_string(patience.count()) + " ms");
}

// An abstract address.
socklen_t AddressOf(const std::string& name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), std::min(name.size(), std::size_t{100}));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

// Calls f, also when a signal comes (sockets with bounds are not restarted by themselves).
template <typename F>
auto Again(F f) {
  auto result = f();
  while (result < 0 && errno == EINTR) result = f();
  return result;
}

void BoundWaits(int socket, std::chrono::milliseconds most) {
  const timeval bound = {most.count() / 1'000, most.count() % 1'000 * 1'000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
}

bool SameSecret(const Question& question, const std::string& secret) {
  Question right;
  std::memcpy(right.secret, secret.data(), std::min(secret.size(), kMostSecret));
  return EqualInConstantTime({question.secret, kMostSecret}, {right.secret, kMostSecret});
}

// Of this user, that is; `owner`, if given, becomes its process as seen from here.
bool IsOfThisUser(int socket, pid_t* owner = nullptr) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (owner != nullptr) *owner = peer.pid;
  return peer.uid == geteuid();
}

// False: not all of it came in time.
bool Receive(int socket, Question& question) {
  auto* const to = reinterpret_cast<char*>(&question);
  for (std::size_t have = 0; have < sizeof question;) {
    const ssize_t got = Again([&] { return recv(socket, to + have, sizeof question - have, 0); });
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

// `fd` -1: the answer alone.
void Send(int socket, Answer answer, int fd) {
  iovec part = {&answer, sizeof answer};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  (void)Again([&] { return sendmsg(socket, &message, MSG_NOSIGNAL); });
}

class Door final : public SmpDoor {
 public:
  Door(std::string secret, std::string address, OwnedFd socket, OwnedFd closing)
      : secret_(std::move(secret)),
        address_(std::move(address)),
        socket_(std::move(socket)),
        closing_(std::move(closing)),
        thread_([this] { Serve(); }) {}
  ~Door() override {
    const std::uint64_t one = 1;
    (void)!write(closing_.get(), &one, sizeof one);
    thread_.join();
  }

  const std::string& address() const override { return address_; }
  void Offer(std::uint64_t number, int fd) override {
    const topo::Lock lock(mutex_);
    offered_[number] = fd;
  }
  void Withdraw(std::uint64_t number) override {
    const topo::Lock lock(mutex_);
    offered_.erase(number);
  }
  std::int64_t turned_away() const override { return turned_away_.load(); }

 private:
  void Serve() {
    while (true) {
      pollfd fds[] = {{socket_.get(), POLLIN, 0}, {closing_.get(), POLLIN, 0}};
      if (poll(fds, 2, -1) < 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
        continue;
      }
      if ((fds[1].revents & POLLIN) != 0) return;
      if ((fds[0].revents & POLLIN) == 0) continue;
      const OwnedFd guest(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (guest.get() >= 0) {
        AnswerTo(guest.get());
      } else {
        (void)poll(&fds[1], 1, kPauseMs);  // The peer waits meanwhile.
      }
    }
  }

  void AnswerTo(int guest) {
    BoundWaits(guest, kTimeToAsk);
    Question question;
    if (!IsOfThisUser(guest) || !Receive(guest, question) || !SameSecret(question, secret_)) {
      ++turned_away_;
      return Send(guest, Answer::kTurnedAway, -1);
    }
    // With the lock: the descriptor stays open until it is sent.
    const topo::Lock lock(mutex_);
    const auto found = offered_.find(question.number);
    if (found == offered_.end()) return Send(guest, Answer::kNotFound, -1);
    Send(guest, Answer::kHere, found->second);
  }

  const std::string secret_;
  const std::string address_;
  const OwnedFd socket_;
  const OwnedFd closing_;
  std::atomic<std::int64_t> turned_away_{0};
  topo::Mutex mutex_;
  std::map<std::uint64_t, int> offered_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // the last: it uses the others
};

}  // namespace

absl::StatusOr<std::unique_ptr<SmpDoor>> SmpDoor::Open(const std::string& secret) {
  absl::StatusOr<std::string> name = RandomName(16);
  if (!name.ok()) return name.status();
  *name = "llcl-" + *name;
  OwnedFd closing(eventfd(0, EFD_CLOEXEC));
  OwnedFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (closing.get() < 0) return Failed("cannot make an event", "eventfd2");
  if (socket.get() < 0) return Failed("cannot make a socket", "socket");
  sockaddr_un address;
  const socklen_t size = AddressOf(*name, address);
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(socket.get(), 128) != 0) {
    return Failed("cannot listen at an abstract address", "bind or listen");
  }
  try {
    return std::make_unique<Door>(secret, *std::move(name), std::move(socket), std::move(closing));
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        std::string("no thread for the other ranks' questions (see ulimit -u and ulimit -v): ") +
        error.what());
  }
}

absl::StatusOr<OwnedFd> Fetch(const std::string& address, const std::string& secret,
                              std::uint64_t number, std::chrono::milliseconds patience,
                              pid_t* owner) {
  const OwnedFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return Failed("cannot make a socket", "socket");
  BoundWaits(socket.get(), patience);
  sockaddr_un at;
  const socklen_t size = AddressOf(address, at);
  if (Again([&] { return connect(socket.get(), reinterpret_cast<sockaddr*>(&at), size); }) != 0) {
    return Failed("nobody is at that address", "connect");
  }
  if (!IsOfThisUser(socket.get(), owner)) {
    return absl::PermissionDeniedError(
        "another user is at that address (ranks of several users meet by LLCL_CONDUIT=tcp)");
  }
  Question question;
  std::memcpy(question.secret, secret.data(), std::min(secret.size(), kMostSecret));
  question.number = number;
  if (Again([&] { return send(socket.get(), &question, sizeof question, MSG_NOSIGNAL); }) !=
      sizeof question) {
    return Failed("cannot ask", "send");
  }
  Answer answer = Answer::kTurnedAway;
  iovec part = {&answer, sizeof answer};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = Again([&] { return recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC); });
  if (got < 0) return NoAnswer(patience);
  if (got == 0) return absl::UnavailableError("no answer: the process is gone");
  if (answer == Answer::kTurnedAway) return absl::PermissionDeniedError("turned away");
  if (answer == Answer::kNotFound) return absl::NotFoundError("nothing of that number is offered");
  if ((message.msg_flags & MSG_CTRUNC) != 0) {
    errno = EMFILE;  // The system drops a descriptor for which the process has no place.
    return Failed("cannot take a descriptor", "recvmsg");
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
    return absl::UnavailableError("an answer without a file descriptor");
  }
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return OwnedFd(fd);
}

}  // namespace llcl
