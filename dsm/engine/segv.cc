// Pages by mprotect; faults come as SIGSEGV. Works on every Linux; each hole in the mapping
// takes one of vm.max_map_count.
#include <signal.h>
#include <sys/mman.h>

#include "dsm/engine/engine.h"

namespace dsm {
namespace {

class SegvEngine final : public Engine {
 public:
  explicit SegvEngine(std::span<std::byte> view) : view_(view) {}

  EngineKind kind() const override { return EngineKind::kSegv; }
  absl::StatusOr<std::unique_ptr<FaultWatch>> Listen(FaultListener& listener) override {
    return std::make_unique<SignalWatch>(SIGSEGV, view_, listener);
  }

  absl::Status OpenHome(std::uint64_t at, std::uint64_t bytes) override {
    if (Set(at, bytes, PROT_READ | PROT_WRITE)) return absl::OkStatus();
    return CannotMap("open", &view_[at], bytes);
  }
  absl::Status OpenCopies(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  absl::Status Close(std::uint64_t at, std::uint64_t bytes) override {
    if (Set(at, bytes, PROT_NONE)) return absl::OkStatus();
    return CannotMap("close", &view_[at], bytes);
  }

  bool Install(std::uint64_t at, std::uint64_t bytes, PageMode mode) override {
    return Set(at, bytes, mode == PageMode::kWritable ? PROT_READ | PROT_WRITE : PROT_READ);
  }
  bool AllowWrites(std::uint64_t at, std::uint64_t bytes) override {
    return Set(at, bytes, PROT_READ | PROT_WRITE);
  }
  bool Protect(std::uint64_t at, std::uint64_t bytes) override { return Set(at, bytes, PROT_READ); }
  bool Invalidate(std::uint64_t at, std::uint64_t bytes) override {
    return Set(at, bytes, PROT_NONE);
  }

 private:
  bool Set(std::uint64_t at, std::uint64_t bytes, int protection) {
    return mprotect(&view_[at], bytes, protection) == 0;
  }

  const std::span<std::byte> view_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> MakeSegvEngine(std::span<std::byte> view) {
  return std::make_unique<SegvEngine>(view);
}

}  // namespace dsm
