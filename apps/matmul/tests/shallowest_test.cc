#include "apps/matmul/shallowest.h"

#include <atomic>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace matmul {
namespace {

// So many that no victim is overlooked by chance.
constexpr int kAll = 64;

struct Nobody {
  lwt::ReadyThread Steal(lwt::Worker&) { return {}; }
};

// A pool whose other workers are busy until Release, so that what is put there
// stays there.
class ShallowestTest : public testing::Test {
 protected:
  static constexpr int kWorkers = 3;

  // On worker 0, others busy.
  template <typename F>
  void OnWorker0(F f) {
    auto created = lwt::Pool::Create({.workers = kWorkers, .policy = Nobody()});
    ASSERT_TRUE(created.ok()) << created.status();
    (*created)->Run([&] {
      std::atomic<int> busy{0};
      std::atomic<bool> released{false};
      std::vector<lwt::Thread> spinners;
      const int here = lwt::WorkerIndex();
      others_.clear();
      for (int worker = 0; worker < kWorkers; ++worker) {
        if (worker == here) continue;
        others_.push_back(worker);
        lwt::Created spinner = lwt::Create([&] {
          ++busy;
          while (!released) std::this_thread::yield();
        });
        lwt::Worker::Current()->victim(worker).Put(std::move(spinner.ready));
        spinners.push_back(std::move(spinner.thread));
      }
      while (busy < kWorkers - 1) std::this_thread::yield();
      f(*lwt::Worker::Current());
      released = true;
      for (lwt::Thread& spinner : spinners) spinner.Join();
    });
  }

  // A thread of that depth waits at the tail of the n-th other worker.
  lwt::Thread PutAt(lwt::Worker& self, int n, int depth) {
    lwt::Created created =
        lwt::Create([] {}, {}, std::as_bytes(std::span<const int, 1>(&depth, 1)));
    self.victim(others_[static_cast<std::size_t>(n)]).Put(std::move(created.ready));
    return std::move(created.thread);
  }

  std::vector<int> others_;
};

TEST_F(ShallowestTest, TheShallowestThreadThatIsSeenIsStolen) {
  OnWorker0([&](lwt::Worker& self) {
    std::vector<lwt::Thread> threads;
    threads.push_back(PutAt(self, 0, 5));
    threads.push_back(PutAt(self, 1, 2));
    for (const int depth : {2, 5}) {
      lwt::ReadyThread stolen = Shallowest{kAll}.Steal(self);
      ASSERT_TRUE(stolen);
      EXPECT_EQ(stolen.hint<int>(), depth);
      self.Push(std::move(stolen));
    }
  });
}

TEST_F(ShallowestTest, WhereNobodyHasAThreadNothingIsStolen) {
  OnWorker0([&](lwt::Worker& self) { EXPECT_FALSE(Shallowest{kAll}.Steal(self)); });
}

TEST(AloneTest, AWorkerThatIsAloneRobsNobody) {
  auto pool = lwt::Pool::Create({.workers = 1, .policy = Nobody()});
  ASSERT_TRUE(pool.ok());
  (*pool)->Run([] {
    lwt::Created waiting = lwt::Create([] {});
    lwt::Worker::Current()->Push(std::move(waiting.ready));
    EXPECT_FALSE(Shallowest{kAll}.Steal(*lwt::Worker::Current()));
    waiting.thread.Join();
  });
}

}  // namespace
}  // namespace matmul
