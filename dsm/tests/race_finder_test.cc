// Flushes of a RaceFinder and changes that come at the same time, in an order that the test
// chooses.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <vector>

#include "dsm/home/races.h"

namespace dsm {
namespace {

constexpr std::uint64_t kPage = 4096;

// Maps nothing; calls on_protect for each page that becomes read-only.
class FakeEngine final : public Engine, public RefusalListener {
 public:
  EngineKind kind() const override { return EngineKind::kSegv; }
  absl::StatusOr<std::unique_ptr<FaultWatch>> Listen(FaultListener&) override {
    return absl::UnimplementedError("no faults");
  }
  absl::Status OpenHome(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  absl::Status Close(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  absl::Status OpenCopies(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  bool Install(std::uint64_t, std::uint64_t, PageMode) override { return true; }
  bool AllowWrites(std::uint64_t, std::uint64_t) override { return true; }
  bool Protect(std::uint64_t at, std::uint64_t) override {
    if (on_protect) on_protect(at / kPage);
    return true;
  }
  bool Invalidate(std::uint64_t, std::uint64_t) override { return true; }
  void OnRefused(const char*, PageRange) override { std::abort(); }

  std::function<void(std::uint64_t page)> on_protect;
};

// A change under a lock, or of an evicted copy, comes to a page that a flush is about to look at,
// while the flush is at another page.
TEST(RaceFinder, AppliesChangesWhileAFlushIsAtAnotherPage) {
  FakeEngine engine;
  std::vector<std::byte> memory(2 * kPage);
  auto finder = RaceFinder::Make(0, PageMapper(engine, PageSize(kPage), engine),
                                 PageMemory(memory, PageSize(kPage)));
  ASSERT_TRUE(finder.ok()) << finder.status();
  (*finder)->Watch(PageRange::Of(0, 2));
  for (const PageNumber page : PageRange::Of(0, 2)) EXPECT_TRUE((*finder)->OnWrite(page));

  std::future<bool> applied;
  engine.on_protect = [&](std::uint64_t page) {
    if (page != 0) return;
    applied = std::async(std::launch::async, [&] {
      return (*finder)->Apply(PageNumber(1), 1, ChangeOrder::kLocked, {});
    });
    // A flush that kept a lock here would never come to page 1, which the change holds.
    if (applied.wait_for(std::chrono::seconds(60)) != std::future_status::ready) std::abort();
  };
  EXPECT_TRUE((*finder)->Flush().empty());
  EXPECT_TRUE(applied.get());
}

}  // namespace
}  // namespace dsm
