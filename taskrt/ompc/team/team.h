// The members of parallel regions: OS threads that wait for the next region, or for each other, and
// run tasks meanwhile. Member 0 is the OS thread that begins the region.
//
// Each member is a guest of the team's pool, the worker of its number: so an explicit task of the
// region has the number of the member that runs it, and no other task, and no member's own code,
// has this number at the same time.
//
// Threads: a team is one region's at a time, whose members call Barrier.
// Source: OpenMP 5.1, section 2.6.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <vector>

#include "lwt/mutex.h"
#include "lwt/pool.h"
#include "taskrt/ompc.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "taskrt/ompc/team/shared_loops.h"

namespace taskrt {

// A resource.
class Team {
 public:
  // Of so many members, or as many as the system has threads for.
  static std::unique_ptr<Team> Make(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()); }
  // Is this process a child of the one that made it? Then its members are not here.
  bool is_of_parent_process() const { return pool_->is_of_parent_process(); }

  // The region: the members call function(args), the caller among them; returns when all have
  // returned and all tasks have ended.
  void Run(ompc_function function, void** args, const Encounter& by);

  // Of a member: returns when all members have called it and the region's tasks have ended.
  void Barrier(ImplicitTask& task);
  void WakeAll() { lwt::Guest::UnparkAll(*pool_); }

  lwt::Pool& pool() { return *pool_; }
  SharedLoops& loops() { return loops_; }
  // Of reductions.
  lwt::Mutex& mutex() { return mutex_; }
  // Of a copyprivate: what the member that ran the single region shows to others.
  void* const* shown = nullptr;

 private:
  explicit Team(std::unique_ptr<lwt::Pool> pool);
  void Serve(int number);
  void RunMember(int number);

  const std::unique_ptr<lwt::Pool> pool_;
  // Where the numbers of threadprivate copies begin in regions that are inside of active ones,
  // whose threads have copies of their own.
  const int inner_copies_;
  std::vector<std::unique_ptr<ImplicitTask>> members_;
  std::vector<pthread_t> os_threads_;  // of the members but 0

  // Of the region, written by its creator before `regions_`.
  ompc_function function_ = nullptr;
  void** args_ = nullptr;
  Encounter by_;

  std::atomic<unsigned> regions_{0};
  std::atomic<bool> is_ending_{false};
  alignas(64) std::atomic<int> ended_{0};    // members of this region
  alignas(64) std::atomic<int> arrived_{0};  // at the barrier
  std::atomic<unsigned> barriers_{0};
  SharedLoops loops_;
  lwt::Mutex mutex_;
};

// Runs function(args) by as many members as the clauses and the control variables say. `threads`:
// num_threads; 0: without the clause.
void RunRegion(ompc_function function, void** args, int threads);

// The calling flow's implicit task.
ImplicitTask& ThisMember();
// The number of the thread that runs the calling task, in its region.
int ThreadNumber();
// The number of that thread's copies of threadprivate variables. 0: the variables themselves.
int CopyNumber();

}  // namespace taskrt
