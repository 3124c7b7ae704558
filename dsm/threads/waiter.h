// What a thread does while it waits: it runs others of a user-level scheduler, or sleeps.
//
// Threads: any, in signal handlers too.
#pragma once

namespace dsm {

// A value.
class Waiter {
 public:
  // `run_others`: SpaceOptions::waiter; null: there are no others.
  explicit Waiter(bool (*run_others)()) : run_others_(run_others) {}
  bool has_others() const { return run_others_ != nullptr; }

  // Runs others, or calls sleep() where none was run; what the caller waits for is looked at again
  // afterwards.
  template <typename Sleep>
  void Pause(Sleep sleep) const {
    if (run_others_ == nullptr || !run_others_()) sleep();
  }

 private:
  bool (*run_others_)();
};

}  // namespace dsm
