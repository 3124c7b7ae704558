// Pages by UFFDIO_CONTINUE; no mapping is split. Needs Linux 6.4. Two engines: with signals
// faults are handled in the thread that faulted (UFFD_FEATURE_SIGBUS), which needs no
// privilege (UFFD_USER_MODE_ONLY); with a server its thread handles them, those of the
// system too.
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "dsm/engine/engine.h"
#include "dsm/engine/fault_server.h"
#include "llcl/owned_fd.h"

// What Debian 12's headers lack.
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFDIO_CONTINUE_MODE_WP
#define UFFDIO_CONTINUE_MODE_WP (static_cast<__u64>(1) << 1)
#endif

namespace dsm {
namespace {

class UserfaultfdEngine final : public Engine {
 public:
  UserfaultfdEngine(EngineKind kind, std::span<std::byte> view, llcl::OwnedFd fd)
      : kind_(kind), view_(view), fd_(std::move(fd)) {}

  EngineKind kind() const override { return kind_; }
  absl::StatusOr<std::unique_ptr<FaultWatch>> Listen(FaultListener& listener) override {
    if (kind_ == EngineKind::kServer) return FaultServer::Start(fd_.get(), view_, listener);
    return std::make_unique<SignalWatch>(SIGBUS, view_, listener);
  }

  absl::Status OpenHome(std::uint64_t at, std::uint64_t bytes) override {
    return Open(at, bytes, UFFDIO_REGISTER_MODE_WP);
  }
  absl::Status OpenCopies(std::uint64_t at, std::uint64_t bytes) override {
    return Open(
        at, bytes,
        UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_WP);
  }

  absl::Status Close(std::uint64_t at, std::uint64_t bytes) override {
    uffdio_range range = {Address(at), bytes};
    // First: an access must not come to the listener any more.
    if (mprotect(&view_[at], bytes, PROT_NONE) == 0 &&
        ioctl(fd_.get(), UFFDIO_UNREGISTER, &range) == 0 &&
        madvise(&view_[at], bytes, MADV_DONTNEED) == 0) {
      return absl::OkStatus();
    }
    return CannotMap("close", &view_[at], bytes);
  }

  bool Install(std::uint64_t at, std::uint64_t bytes, PageMode mode) override {
    std::uint64_t done = 0;
    while (done < bytes) {
      uffdio_continue request = {};
      request.range = {Address(at + done), bytes - done};
      request.mode = UFFDIO_CONTINUE_MODE_DONTWAKE |
                     (mode == PageMode::kWritable ? 0 : UFFDIO_CONTINUE_MODE_WP);
      if (ioctl(fd_.get(), UFFDIO_CONTINUE, &request) == 0) return true;
      if (request.mapped > 0) {
        done += static_cast<std::uint64_t>(request.mapped);
      } else if (errno != EAGAIN) {
        return false;
      }
    }
    return true;
  }
  // Without waking: the server wakes the faulting threads once the page's state allows it, too.
  bool AllowWrites(std::uint64_t at, std::uint64_t bytes) override {
    return Set(at, bytes, UFFDIO_WRITEPROTECT_MODE_DONTWAKE);
  }
  bool Protect(std::uint64_t at, std::uint64_t bytes) override {
    return Set(at, bytes, UFFDIO_WRITEPROTECT_MODE_WP);
  }
  bool Invalidate(std::uint64_t at, std::uint64_t bytes) override {
    return madvise(&view_[at], bytes, MADV_DONTNEED) == 0;
  }

 private:
  std::uint64_t Address(std::uint64_t at) const {
    return reinterpret_cast<std::uintptr_t>(view_.data()) + at;
  }
  // `faults`: the kinds that are to come here.
  absl::Status Open(std::uint64_t at, std::uint64_t bytes, std::uint64_t faults) {
    uffdio_register request = {};
    request.range = {Address(at), bytes};
    request.mode = faults;
    // First: nobody must see the memory before touching it faults.
    if (ioctl(fd_.get(), UFFDIO_REGISTER, &request) != 0) {
      return CannotMap("watch", &view_[at], bytes);
    }
    if (mprotect(&view_[at], bytes, PROT_READ | PROT_WRITE) == 0) return absl::OkStatus();
    return CannotMap("open", &view_[at], bytes);
  }
  bool Set(std::uint64_t at, std::uint64_t bytes, std::uint64_t mode) {
    uffdio_writeprotect request = {};
    request.range = {Address(at), bytes};
    request.mode = mode;
    while (ioctl(fd_.get(), UFFDIO_WRITEPROTECT, &request) != 0) {
      if (errno != EAGAIN) return false;
    }
    return true;
  }

  const EngineKind kind_;
  const std::span<std::byte> view_;
  const llcl::OwnedFd fd_;
};

absl::Status Lacks(const char* what) {
  return absl::UnavailableError(std::string("userfaultfd: ") + what + ": " + std::strerror(errno));
}

absl::StatusOr<std::unique_ptr<Engine>> Make(EngineKind kind, std::span<std::byte> view,
                                             llcl::OwnedFd fd) {
  if (fd.get() < 0) {
    return Lacks(kind == EngineKind::kServer
                     ? "the system does not let us handle its own faults (CAP_SYS_PTRACE, or "
                       "vm.unprivileged_userfaultfd=1)"
                     : "the system does not let us");
  }
  uffdio_api api = {};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM |
                 UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM |
                 UFFD_FEATURE_WP_UNPOPULATED;
  api.features |= kind == EngineKind::kServer ? UFFD_FEATURE_THREAD_ID : UFFD_FEATURE_SIGBUS;
  if (ioctl(fd.get(), UFFDIO_API, &api) != 0) return Lacks("it lacks what Linux 6.4 has");
  // Pages go by madvise. Asked for a page that is absent: a refusal at the first barrier would end
  // the process.
  if (madvise(view.data(), static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), MADV_DONTNEED) != 0) {
    return Lacks("pages are taken away by madvise, and a container's filter must allow it");
  }
  return std::make_unique<UserfaultfdEngine>(kind, view, std::move(fd));
}

llcl::OwnedFd Open(int flags) {
  return llcl::OwnedFd(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> MakeUserfaultfdEngine(std::span<std::byte> view) {
  return Make(EngineKind::kUserfaultfd, view, Open(UFFD_USER_MODE_ONLY));
}

absl::StatusOr<std::unique_ptr<Engine>> MakeServerEngine(std::span<std::byte> view) {
  return Make(EngineKind::kServer, view, Open(0));
}

}  // namespace dsm
