#include "apps/rma/simulated/simulate.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

namespace rma {
namespace {

enum class Listing { k6, k7 };

// A spin lock and what lies beside it in its line. A thread that comes gets its turn after those
// that came before; all that wait fetch the line when it is let go.
class SpinLock {
 public:
  explicit SpinLock(double line_ns) : line_ns_(line_ns) {}

  // `core` comes at `now`, and holds the lock for so long. Returns when it lets go.
  double Hold(int core, double now, double holds_ns) {
    while (!turns_.empty() && turns_.front() <= now) turns_.pop_front();
    const auto spinning = static_cast<double>(turns_.size());
    const double start = std::max(now, free_at_);
    if (start > now) turns_.push_back(start);
    const double lines = (owner_ == core ? 0 : 1) + spinning;
    owner_ = core;
    free_at_ = start + line_ns_ * lines + holds_ns;
    return free_at_;
  }

 private:
  const double line_ns_;
  int owner_ = -1;
  double free_at_ = 0;
  std::deque<double> turns_;  // when those that waited get theirs
};

// The ring's tail: requesters read and write it, the executor reads it all the time.
class Tail {
 public:
  explicit Tail(double line_ns) : line_ns_(line_ns) {}

  // Returns when the compare-and-swap of `core`, which comes at `now`, has succeeded: its copy of
  // the line is old where another requester has written, and is not its own where the executor has
  // read.
  double Write(int core, double now) {
    const double lines = (writer_ == core ? 0 : 1) + (is_read_ ? 1 : 0);
    free_at_ = std::max(now, free_at_) + line_ns_ * lines;
    writer_ = core;
    is_read_ = false;
    return free_at_;
  }
  double Read(double now) {
    if (is_read_) return now;
    is_read_ = true;
    return std::max(now, free_at_) + line_ns_;
  }

 private:
  const double line_ns_;
  int writer_ = 0;
  bool is_read_ = true;
  double free_at_ = 0;
};

class Simulation {
 public:
  Simulation(const Interconnect& costs, const Point& point, Listing listing, int requests)
      : costs_(costs),
        point_(point),
        listing_(listing),
        most_(requests),
        executor_(point.threads),
        completer_(costs.threads == Interconnect::Threads::kOne ? executor_ : point.threads + 1),
        tail_(costs.line_ns),
        tags_(costs.line_ns),
        queue_(costs.line_ns),
        requesters_(static_cast<std::size_t>(point.threads)) {}

  void Run() {
    for (int core = 0; core < point_.threads; ++core) Wake(core, 0);
    while (ended_ < most_ && !steps_.empty()) {
      const Step step = steps_.top();
      steps_.pop();
      now_ = step.at;
      if (step.core < point_.threads) {
        StepOfRequester(step.core);
      } else {
        StepOfCommunication(step.core);
      }
    }
  }

  double latency_ns() const { return latency_ns_ / ended_; }
  double overhead_ns() const { return overhead_ns_ / posted_; }
  double per_s() const { return ended_ * 1e9 / now_; }

 private:
  struct Step {
    double at;
    int core;
    bool operator>(const Step& other) const {
      return at != other.at ? at > other.at : core > other.core;
    }
  };
  struct Request {
    int core;
    double at;  // when it is visible in the ring; when it has ended, in the network
  };
  bool HasOneThread() const { return executor_ == completer_; }
  bool IsOffloaded() const { return point_.offload == Offload::kOffload; }
  // The interconnect's own functions, called by the one thread that may call them.
  bool IsNative() const { return HasOneThread() && !IsOffloaded(); }

  // From 0.5 to 1.5: how long others run is not the same each time. Else all would keep step.
  double Draw() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return 0.5 + static_cast<double>(random_ >> 11) * 0x1p-53;
  }

  void Wake(int core, double at) { steps_.push({at, core}); }
  // A communication thread spins, so that it sees at once what there is to do.
  void WakeCommunication(int core, double at) {
    Communication& thread = communication_[core - point_.threads];
    at = std::max(at, thread.busy_until);
    if (thread.wakes_at <= at) return;
    thread.wakes_at = at;
    Wake(core, at);
  }

  void StepOfRequester(int core) {
    Requester& requester = requesters_[static_cast<std::size_t>(core)];
    const bool is_full = IsOffloaded() ? static_cast<int>(ring_.size()) >= costs_.ring
                                       : under_way_ >= costs_.under_way;
    if (!requester.tries) {
      requester.tries = true;
      requester.t0 = now_;
    }
    if (is_full) return Wake(core, now_ + costs_.yield_ns * Draw());
    double t = now_ + (listing_ == Listing::k6 ? costs_.cold_ns : 0);
    if (!HasOneThread()) {
      t = tags_.Hold(core, t, costs_.tag_ns);
    }
    if (IsOffloaded()) {
      // The element is stored, which no core waits for.
      t = tail_.Write(core, t) + costs_.ring_ns;
      ring_.push_back({core, t});
      WakeCommunication(executor_, t);
    } else {
      t = queue_.Hold(core, t, costs_.call_ns + costs_.request_ns);
      Send(core, t);
    }
    requester.tries = false;
    ++posted_;
    overhead_ns_ += t - requester.t0;
    if (listing_ == Listing::k7) Wake(core, t);
  }

  void Send(int core, double at) {
    ++under_way_;
    const double bytes_ns = static_cast<double>(point_.bytes) / costs_.bytes_per_ns;
    network_free_at_ = std::max(at, network_free_at_) + bytes_ns;
    network_.push_back({core, network_free_at_ + costs_.network_ns});
    WakeCommunication(completer_, network_.back().at);
  }

  void StepOfCommunication(int core) {
    Communication& thread = communication_[core - point_.threads];
    if (now_ < thread.wakes_at) return;  // It was woken earlier, and has done it.
    thread.wakes_at = kNever;
    double t = now_;
    if (core == executor_) t = Post(t);
    if (core == completer_) t = Complete(t);
    thread.busy_until = t;
    // What it may find next.
    double next = -1;
    const auto find = [&](const std::deque<Request>& requests) {
      if (requests.empty()) return;
      const double at = std::max(t, requests.front().at);
      next = next < 0 ? at : std::min(next, at);
    };
    if (core == executor_ && under_way_ < costs_.under_way) find(ring_);
    if (core == completer_) find(network_);
    if (next >= 0) WakeCommunication(core, next);
  }

  double Post(double t) {
    int taken = 0;
    std::vector<int> cores;
    while (!ring_.empty() && ring_.front().at <= t && taken < costs_.batch &&
           under_way_ + taken < costs_.under_way) {
      cores.push_back(ring_.front().core);
      ring_.pop_front();
      ++taken;
    }
    if (taken == 0) return t;
    // Elements beside each other are fetched at the same time.
    t = tail_.Read(t) + costs_.line_ns;
    if (HasOneThread()) t += costs_.tag_ns * taken;
    t += costs_.call_ns + costs_.request_ns * taken;
    for (const int core : cores) Send(core, t);
    return t;
  }

  double Complete(double t) {
    // As many as a poll brings; one thread polls once for each call.
    int most = HasOneThread() ? 1 : kEndsAPoll, freed = 0;
    for (; most > 0 && !network_.empty() && network_.front().at <= t; --most) {
      const int core = network_.front().core;
      network_.pop_front();
      t += costs_.end_ns;
      --under_way_;
      ++ended_;
      if (listing_ == Listing::k6) {
        // The flag's line goes to the requester, but where it polls itself.
        const double t2 = t + (IsNative() ? 0 : costs_.line_ns);
        latency_ns_ += t2 - requesters_[static_cast<std::size_t>(core)].t0;
        Wake(core, t2);
      }
      ++freed;
    }
    // One after the other: who takes a lock again at once finds its lines still there.
    if (freed > 0 && !HasOneThread()) t = tags_.Hold(completer_, t, 0);
    if (IsOffloaded() && !HasOneThread()) WakeCommunication(executor_, t);
    return t;
  }

  static constexpr int kEndsAPoll = 16;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  const Interconnect& costs_;
  const Point& point_;
  const Listing listing_;
  const int most_;
  const int executor_, completer_;
  Tail tail_;
  SpinLock tags_, queue_;
  struct Requester {
    bool tries = false;
    double t0 = 0;  // when it began to try
  };
  std::vector<Requester> requesters_;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps_;
  struct Communication {
    double busy_until = 0;
    double wakes_at = kNever;
  } communication_[2];
  std::deque<Request> ring_, network_;
  double now_ = 0, network_free_at_ = 0;
  double latency_ns_ = 0, overhead_ns_ = 0;
  int under_way_ = 0, posted_ = 0, ended_ = 0;
  std::uint64_t random_ = 0x9E3779B97F4A7C15u;
};

}  // namespace

Sample Simulate(const Interconnect& interconnect, const Point& point, int requests) {
  Simulation one_at_a_time(interconnect, point, Listing::k6, requests);
  one_at_a_time.Run();
  Simulation rate(interconnect, point, Listing::k7, requests);
  rate.Run();
  return {.latency_ns = one_at_a_time.latency_ns(),
          .overhead_ns = one_at_a_time.overhead_ns(),
          .messages_per_s = rate.per_s()};
}

}  // namespace rma
