// How the pages of the program's view come and go, and how the system says that one was
// touched: the four primitives that a protocol needs of it.
//
// Memory has two views: the program's, at the same address on all ranks, where pages are
// mapped and unmapped; and another of the same memory, where they are received. So a page
// appears in the program's view whole, and no thread need be suspended for it.
//
// Threads: any, all members but Open*; Install, AllowWrites, Protect and Invalidate in
//   signal handlers too. Offsets are from the beginning of the view.
//
// Source: [Mid18] section 2.3 does the same with SIGSEGV and by suspending all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "dsm/engine/faults.h"

namespace dsm {

// The accesses that a page allows once it is installed.
enum class PageMode { kReadOnly, kWritable };

enum class EngineKind {
  kAutomatic,    // userfaultfd where the system lets us, else SIGSEGV
  kUserfaultfd,  // pages by UFFDIO_CONTINUE; faults come as SIGBUS
  kSegv,         // pages by mprotect; faults come as SIGSEGV
  // As kUserfaultfd, but faults are reported to a thread, so that system calls may be given pages
  // that are absent. Slower where many threads fault. For processes that may handle the
  // system's faults: privileged ones, or all (vm.unprivileged_userfaultfd).
  kServer,
};

// "automatic", "userfaultfd", "segv", "userfaultfd-server".
std::string NameOf(EngineKind kind);

// A resource.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual EngineKind kind() const = 0;
  // From now on, to the end of what is returned, faults are reported to the listener; before the
  // engine's own end. Errors: ResourceExhausted.
  virtual absl::StatusOr<std::unique_ptr<FaultWatch>> Listen(FaultListener& listener) = 0;

  // The program's own memory from now on: read and written without us. Errors: as OpenCopies.
  virtual absl::Status OpenHome(std::uint64_t at, std::uint64_t bytes) = 0;
  // Memory whose pages are installed and invalidated; all are absent. Errors:
  // ResourceExhausted, with the address, the size and the system's limit that may be why.
  virtual absl::Status OpenCopies(std::uint64_t at, std::uint64_t bytes) = 0;
  // As before either of them: a wild pointer. Errors: as OpenCopies.
  virtual absl::Status Close(std::uint64_t at, std::uint64_t bytes) = 0;

  // What the other view holds there appears. False with errno: the system refuses.
  [[nodiscard]] virtual bool Install(std::uint64_t at, std::uint64_t bytes, PageMode mode) = 0;
  // What is installed may be written, or no longer.
  [[nodiscard]] virtual bool AllowWrites(std::uint64_t at, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual bool Protect(std::uint64_t at, std::uint64_t bytes) = 0;
  // Touching it faults again.
  [[nodiscard]] virtual bool Invalidate(std::uint64_t at, std::uint64_t bytes) = 0;
};

// For the program's view, which is mapped shared and may be neither read nor written.
// Nothing of it is touched yet. Errors: Unavailable where the system lacks what the engine needs,
// with what it said.
absl::StatusOr<std::unique_ptr<Engine>> MakeEngine(EngineKind kind, std::span<std::byte> view);
absl::StatusOr<std::unique_ptr<Engine>> MakeSegvEngine(std::span<std::byte> view);
absl::StatusOr<std::unique_ptr<Engine>> MakeUserfaultfdEngine(std::span<std::byte> view);
absl::StatusOr<std::unique_ptr<Engine>> MakeServerEngine(std::span<std::byte> view);

// "cannot <what> <bytes> bytes at <address>: <errno's words>", and what to do about it.
absl::Status CannotMap(const char* what, const void* at, std::uint64_t bytes);

}  // namespace dsm
