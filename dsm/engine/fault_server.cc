#include "dsm/engine/fault_server.h"

#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace dsm {
namespace {

// While it lives this thread takes no signals, nor do those that it starts.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

absl::Status CannotStart(const std::string& why) {
  return absl::ResourceExhaustedError("cannot start a thread that handles faults: " + why);
}

[[noreturn]] void Broken(const char* what) {
  std::fprintf(stderr, "dsm: %s: error %d\n", what, errno);
  std::abort();
}

}  // namespace

absl::StatusOr<std::unique_ptr<FaultServer>> FaultServer::Start(int userfaultfd,
                                                                std::span<const std::byte> view,
                                                                FaultListener& listener) {
  llcl::OwnedFd end(eventfd(0, EFD_CLOEXEC));
  if (end.get() < 0) return CannotStart(std::strerror(errno));
  try {
    return std::unique_ptr<FaultServer>(new FaultServer(
        userfaultfd, std::move(end), reinterpret_cast<std::uintptr_t>(view.data()), listener));
  } catch (const std::system_error& error) {
    return CannotStart(error.what());
  }
}

FaultServer::FaultServer(int userfaultfd, llcl::OwnedFd end, std::uintptr_t view,
                         FaultListener& listener)
    : userfaultfd_(userfaultfd),
      end_(std::move(end)),
      view_(view),
      listener_(listener),
      system_page_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))) {
  const NoSignals no_signals;
  thread_ = std::thread([this] { Serve(); });
}

FaultServer::~FaultServer() {
  const std::uint64_t one = 1;
  if (write(end_.get(), &one, sizeof one) != sizeof one) Broken("its end cannot be reported");
  thread_.join();
}

void FaultServer::Serve() {
  std::array<uffd_msg, 16> messages;
  while (true) {
    const ssize_t got = read(userfaultfd_, messages.data(), sizeof messages);
    if (got < 0 && errno == EAGAIN) {
      std::array<pollfd, 2> waits = {pollfd{.fd = userfaultfd_, .events = POLLIN},
                                     pollfd{.fd = end_.get(), .events = POLLIN}};
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) Broken("poll");
      if (waits[1].revents != 0) return;
      continue;
    }
    if (got < 0) Broken("faults cannot be read");
    const std::size_t count = static_cast<std::size_t>(got) / sizeof messages[0];
    for (const uffd_msg& message : std::span(messages).first(count)) {
      if (message.event != UFFD_EVENT_PAGEFAULT) continue;
      const auto address = static_cast<std::uintptr_t>(message.arg.pagefault.address);
      const bool writes = (message.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE) != 0;
      const FaultKind kind = writes ? FaultKind::kWrite : FaultKind::kRead;
      const never_waits::Serving serving(static_cast<pid_t>(message.arg.pagefault.feat.ptid));
      if (!listener_.OnFault(address - view_, kind)) Broken("a fault that is nobody's");
      Wake(system_page_.OffsetOf(system_page_.PageAt(address)));
    }
  }
}

void FaultServer::Wake(std::uintptr_t page) {
  uffdio_range range = {.start = page, .len = system_page_.bytes()};
  if (ioctl(userfaultfd_, UFFDIO_WAKE, &range) != 0)
    Broken("a thread that faulted cannot be woken");
}

}  // namespace dsm
