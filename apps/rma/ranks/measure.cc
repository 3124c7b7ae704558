#include "apps/rma/ranks/measure.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/completion.h"

namespace rma {
namespace {

using Clock = std::chrono::steady_clock;

double NsOf(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// A thread of the listings.
class Reader {
 public:
  Reader(Path& path, const Point& point, int thread)
      : path_(path), endpoint_(path.endpoint()), point_(point), thread_(thread) {}

  // Listing 6. At least one request, however late the thread comes.
  void OneAtATime(Clock::time_point end) {
    llcl::Flag flag;
    Clock::time_point t2;
    do {
      flag.Reset();
      const Clock::time_point t0 = Clock::now();
      Request(flag.completion());
      const Clock::time_point t1 = Clock::now();
      if (point_.offload == Offload::kHybrid) {
        endpoint_.Wait(flag);
      } else {
        while (!flag.done()) sched_yield();
      }
      t2 = Clock::now();
      failed_ += flag.outcome() != llcl::Outcome::kDone;
      overhead_ += t1 - t0;
      latency_ += t2 - t0;
    } while (t2 < end);
  }

  // Listing 7. The clock is read once for some requests, as some take less time than it does.
  void AsManyAsGoThrough(Clock::time_point start, Clock::time_point end) {
    constexpr int kRequestsALook = 16;
    Clock::time_point now;
    do {
      for (int i = 0; i < kRequestsALook; ++i) Request(counter_.completion());
      now = Clock::now();
    } while (now < end);
    per_s_ = static_cast<double>(counter_.ended()) * 1e9 / NsOf(now - start);
    const std::uint64_t posted = reads_;
    while (!counter_.done(posted)) {
      if (!endpoint_.TryAdvance()) sched_yield();
    }
    failed_ += counter_.failed();
  }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t failed() const { return failed_; }
  double latency_ns() const { return NsOf(latency_); }
  double overhead_ns() const { return NsOf(overhead_); }
  double per_s() const { return per_s_; }
  bool IsRight() const { return path_.IsRight(thread_, reads_, point_.bytes); }

 private:
  void Request(llcl::Completion then) {
    const llcl::RemoteAddress there = path_.There(thread_);
    const llcl::LocalAddress here = path_.Here(thread_, reads_++);
    while (true) {
      const llcl::Posted posted =
          endpoint_.TryRead({.from = there, .to = here, .bytes = point_.bytes, .then = then});
      if (posted == llcl::Posted::kPosted) return;
      if (posted != llcl::Posted::kFull && posted != llcl::Posted::kNoTag) {
        // It will never be accepted: ended as one that failed.
        then.Complete(llcl::Outcome::kRefused);
        return;
      }
      if (point_.offload != Offload::kHybrid || !endpoint_.TryAdvance()) sched_yield();
    }
  }

  Path& path_;
  llcl::Endpoint& endpoint_;
  const Point point_;
  const int thread_;
  llcl::Counter counter_;
  std::uint64_t reads_ = 0, failed_ = 0;
  Clock::duration latency_{}, overhead_{};
  double per_s_ = 0;
};

// Has each thread run `f(reader, start, end)` at the same time, and checks what they have read.
absl::Status Run(Path& path, const Point& point, Duration each,
                 std::vector<std::unique_ptr<Reader>>& readers,
                 const std::function<void(Reader&, Clock::time_point, Clock::time_point)>& f) {
  path.Clear();
  Clock::time_point start;
  std::barrier ready(point.threads, [&]() noexcept { start = Clock::now(); });
  std::vector<std::thread> threads;
  readers.clear();
  for (int thread = 0; thread < point.threads; ++thread) {
    readers.push_back(std::make_unique<Reader>(path, point, thread));
    threads.emplace_back([&, &reader = *readers.back()] {
      ready.arrive_and_wait();
      f(reader, start, start + each);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& reader : readers) {
    if (reader->failed() > 0) {
      return absl::InternalError(absl::StrCat(SeriesOf(point), ": ", reader->failed(), " of ",
                                              reader->reads(), " reads failed"));
    }
    if (!reader->IsRight()) {
      return absl::InternalError(SeriesOf(point) + ": a read brought wrong bytes");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Sample> Measure(Path& path, const Point& point, Duration each) {
  Sample sample;
  std::vector<std::unique_ptr<Reader>> readers;
  absl::Status ran = Run(path, point, each, readers,
                         [](Reader& reader, auto, auto end) { reader.OneAtATime(end); });
  if (!ran.ok()) return ran;
  double reads = 0;
  for (const auto& reader : readers) {
    sample.latency_ns += reader->latency_ns();
    sample.overhead_ns += reader->overhead_ns();
    reads += static_cast<double>(reader->reads());
  }
  sample.latency_ns /= reads;
  sample.overhead_ns /= reads;
  ran = Run(path, point, each, readers,
            [](Reader& reader, auto start, auto end) { reader.AsManyAsGoThrough(start, end); });
  if (!ran.ok()) return ran;
  for (const auto& reader : readers) sample.messages_per_s += reader->per_s();
  return sample;
}

absl::StatusOr<std::vector<Row>> Sweep(std::span<const std::unique_ptr<Path>> paths,
                                       const std::vector<Point>& points, int repetitions,
                                       Duration each,
                                       const std::function<void(const std::string&)>& show) {
  // The first read of a region is slow: it is looked up, or mapped.
  constexpr Duration kWarmUp = std::chrono::milliseconds(1);
  std::vector<Row> rows;
  for (const Point& point : points) rows.push_back({point, {}});
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    for (Row& row : rows) {
      const auto path = std::find_if(paths.begin(), paths.end(), [&](const auto& one) {
        return one->network() == row.point.network && one->offload() == row.point.offload &&
               one->way() == row.point.way;
      });
      if (path == paths.end()) return absl::InternalError(SeriesOf(row.point) + ": no path");
      if (repetition > 0) {
        show(absl::StrCat(repetition, " of ", repetitions, ": ", SeriesOf(row.point), ", ",
                          row.point.threads, " threads"));
      }
      const auto sample = Measure(**path, row.point, repetition == 0 ? kWarmUp : each);
      if (!sample.ok()) return sample.status();
      if (repetition > 0) row.samples.push_back(*sample);
    }
  }
  return rows;
}

}  // namespace rma
