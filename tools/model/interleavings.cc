#include "tools/model/interleavings.h"

#include <sched.h>

#include <exception>
#include <memory>
#include <semaphore>
#include <thread>

namespace model {
namespace {

// Unwinds a thread of a run that has failed.
struct Abandoned {};

struct Violation {
  std::string property;
};

enum class State { kReady, kAsleep, kEnded };

// Keeps this thread, and those it starts, on one PU while it lives: only one of
// them runs at any time, and a hand-over to another PU costs ten times as much.
class OnePu {
 public:
  OnePu() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);  // Only for speed: may fail.
  }
  ~OnePu() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

struct Choice {
  std::vector<int> options;  // threads that could run, the running one first
  std::size_t taken = 0;
};

// Threads hand a baton to each other: exactly one runs at any time, so nothing
// here needs a lock. The thread that gives the baton chooses the one that gets it.
class Explorer {
 public:
  Explorer(const std::function<Program()>& make, const Limits& limits)
      : make_(make), limits_(limits) {}

  Outcome Run() {
    OnePu one_pu;
    Outcome outcome;
    while (outcome.interleavings < limits_.interleavings) {
      RunOnce();
      ++outcome.interleavings;
      if (!failure_.empty()) {
        outcome.failure = failure_ + " (schedule " + Schedule() + ")";
        break;
      }
      if (!NextBranch()) {
        outcome.complete = true;
        break;
      }
    }
    EndWorkers();
    return outcome;
  }

  void Step() {
    if (failed_) throw Abandoned();
    PassBaton(current_);
    if (failed_) throw Abandoned();
  }

  void Sleep(const void* key) {
    workers_[current_]->state = State::kAsleep;
    workers_[current_]->key = key;
    Step();
  }

  void WakeOne(const void* key) {
    for (auto& worker : workers_) {
      if (worker->state != State::kAsleep || worker->key != key) continue;
      worker->state = State::kReady;
      return;
    }
  }

  int current() const { return current_; }

  void Wake(const void* key) {
    for (auto& worker : workers_) {
      if (worker->state == State::kAsleep && worker->key == key) worker->state = State::kReady;
    }
  }

 private:
  struct Worker {
    std::binary_semaphore baton{0};
    State state = State::kReady;
    const void* key = nullptr;
    std::thread thread;
  };

  void RunOnce() {
    program_ = make_();
    depth_ = 0;
    preemptions_ = 0;
    failed_ = false;
    const int threads = static_cast<int>(program_.threads.size());
    // All places first, then the threads: a thread that runs reads workers_, which must not move
    // under it.
    const int running = static_cast<int>(workers_.size());
    while (static_cast<int>(workers_.size()) < threads)
      workers_.push_back(std::make_unique<Worker>());
    for (int index = running; index < threads; ++index) {
      workers_[index]->thread = std::thread([this, index] { Work(index); });
    }
    for (auto& worker : workers_) worker->state = State::kReady;
    current_ = -1;
    PassBaton(-1);
    done_.acquire();
    if (failure_.empty()) Guard([this] { program_.check(); });
    program_ = {};
  }

  void Work(int index) {
    active = this;
    while (true) {
      workers_[index]->baton.acquire();
      if (ending_) return;
      if (!failed_) Guard([&] { program_.threads[index](); });
      workers_[index]->state = State::kEnded;
      PassBaton(index);
    }
  }

  // Runs `body` and notes the first failure.
  void Guard(const std::function<void()>& body) {
    const auto fail = [this](const std::string& what) {
      if (failure_.empty()) failure_ = what;
      failed_ = true;
    };
    try {
      body();
    } catch (const Abandoned&) {
    } catch (const Violation& violation) {
      fail(violation.property);
    } catch (const std::exception& error) {
      fail(std::string("exception: ") + error.what());
    }
  }

  // Called by the thread `from` that holds the baton (-1: the explorer).
  // Returns when `from` has it again; at once if it ended.
  void PassBaton(int from) {
    // Read before the baton is gone: from then on another thread writes it.
    const bool returns = from >= 0 && workers_[from]->state != State::kEnded;
    const int next = failed_ ? AnyUnended() : Choose();
    if (returns && next == from) return;
    current_ = next;
    if (next < 0) {
      done_.release();
    } else {
      workers_[next]->baton.release();
    }
    if (returns) workers_[from]->baton.acquire();
  }

  // The next thread by the schedule; -1 when all have ended.
  int Choose() {
    std::vector<int> options;
    const bool can_stay = current_ >= 0 && workers_[current_]->state == State::kReady;
    if (can_stay) options.push_back(current_);
    const bool may_preempt = limits_.preemptions < 0 || preemptions_ < limits_.preemptions;
    bool all_ended = true;
    for (int i = 0; i < static_cast<int>(program_.threads.size()); ++i) {
      if (workers_[i]->state != State::kEnded) all_ended = false;
      if (i != current_ && workers_[i]->state == State::kReady && (!can_stay || may_preempt)) {
        options.push_back(i);
      }
    }
    if (options.empty()) {
      if (all_ended) return -1;
      failure_ = "deadlock: every thread that has not ended sleeps";
      failed_ = true;
      return AnyUnended();
    }
    if (depth_ == path_.size()) path_.push_back({options, 0});
    const Choice& choice = path_[depth_++];
    const int next = choice.options[choice.taken];
    preemptions_ += can_stay && next != current_;
    return next;
  }

  // Failed runs are unwound one thread after the other.
  int AnyUnended() const {
    for (int i = 0; i < static_cast<int>(program_.threads.size()); ++i) {
      if (workers_[i]->state != State::kEnded) return i;
    }
    return -1;
  }

  bool NextBranch() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().options.size())
      path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  std::string Schedule() const {
    std::string text;
    for (std::size_t i = 0; i < depth_; ++i) {
      text += std::to_string(path_[i].options[path_[i].taken]);
    }
    return text;
  }

  void EndWorkers() {
    ending_ = true;
    for (auto& worker : workers_) {
      worker->baton.release();
      worker->thread.join();
    }
  }

 public:
  static thread_local Explorer* active;

 private:
  const std::function<Program()>& make_;
  const Limits limits_;
  Program program_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::binary_semaphore done_{0};
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  int preemptions_ = 0;
  int current_ = -1;
  bool failed_ = false;
  bool ending_ = false;
  std::string failure_;
};

thread_local Explorer* Explorer::active = nullptr;

}  // namespace

Outcome ExploreAll(const std::function<Program()>& make, const Limits& limits) {
  return Explorer(make, limits).Run();
}

void Require(bool holds, const std::string& property) {
  if (!holds) throw Violation{property};
}

// Outside a running program (in make and check) there is nobody to switch to.
void Step() {
  if (Explorer::active != nullptr) Explorer::active->Step();
}

int CurrentThread() { return Explorer::active == nullptr ? -1 : Explorer::active->current(); }

void Sleep(const void* key) {
  if (Explorer::active == nullptr) throw Violation{"the check would wait for ever"};
  Explorer::active->Sleep(key);
}

void Wake(const void* key) {
  if (Explorer::active != nullptr) Explorer::active->Wake(key);
}

void WakeOne(const void* key) {
  if (Explorer::active != nullptr) Explorer::active->WakeOne(key);
}

}  // namespace model
