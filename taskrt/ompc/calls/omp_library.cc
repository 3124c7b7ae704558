#include "taskrt/ompc/omp_library.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <thread>

#include "lwt/thread.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "taskrt/ompc/team/team.h"

namespace {

// The program has set these, and may ask for them; they have no other effect.
std::atomic<int> teams{0}, teams_threads{0};

std::atomic_ref<int> StateOf(omp_lock_t* lock) {
  return std::atomic_ref<int>(*reinterpret_cast<int*>(lock->_x));
}

// Tries `has_it` until it is true; others run meanwhile.
template <typename Try>
void WaitUntil(Try has_it) {
  if (has_it()) return;
  const taskrt::KeepsTask keeps;
  taskrt::WaitBy([&] {
    for (int looks = 0; !has_it(); ++looks) taskrt::GiveWay(looks);
  });
}

// The owner is a task's OmpTask, or, outside of tasks, the address of one of the OS thread's.
struct NestLock {
  void* owner;
  int count;
};
static_assert(sizeof(NestLock) <= sizeof(omp_nest_lock_t));
NestLock& Nest(omp_nest_lock_t* lock) { return *reinterpret_cast<NestLock*>(lock->_x); }
void* Self() {
  static thread_local char outside;
  taskrt::OmpTask* const task = taskrt::CurrentTask();
  return task == nullptr ? static_cast<void*>(&outside) : task;
}

}  // namespace

int omp_get_thread_num(void) { return taskrt::ThreadNumber(); }
int omp_get_num_threads(void) { return taskrt::ThisMember().size; }
int omp_in_parallel(void) { return taskrt::ThisMember().active_level > 0 ? 1 : 0; }
void omp_set_num_threads(int count) {
  if (count > 0) taskrt::ThisMember().icvs.threads = count;
}
int omp_get_max_threads(void) {
  return std::min(taskrt::ThisMember().icvs.threads, omp_get_thread_limit());
}
int omp_get_thread_limit(void) { return taskrt::TheEnvironment().thread_limit; }
int omp_get_level(void) { return taskrt::ThisMember().level; }
int omp_get_active_level(void) { return taskrt::ThisMember().active_level; }
static const taskrt::ImplicitTask* MemberAt(int level) {
  const taskrt::ImplicitTask* member = &taskrt::ThisMember();
  if (level < 0 || level > member->level) return nullptr;
  while (member->level > level) member = member->outer;
  return member;
}
int omp_get_ancestor_thread_num(int level) {
  if (level == omp_get_level()) return omp_get_thread_num();
  const taskrt::ImplicitTask* const member = MemberAt(level);
  return member == nullptr ? -1 : member->number;
}
int omp_get_team_size(int level) {
  const taskrt::ImplicitTask* const member = MemberAt(level);
  return member == nullptr ? -1 : member->size;
}
void omp_set_dynamic(int yes) { taskrt::ThisMember().icvs.is_dynamic = yes != 0; }
int omp_get_dynamic(void) { return taskrt::ThisMember().icvs.is_dynamic ? 1 : 0; }
void omp_set_nested(int yes) {
  omp_set_max_active_levels(yes != 0 ? omp_get_supported_active_levels() : 1);
}
int omp_get_nested(void) { return omp_get_max_active_levels() > 1 ? 1 : 0; }
void omp_set_max_active_levels(int levels) {
  if (levels < 0) return;
  taskrt::ThisMember().icvs.max_active_levels = std::min(levels, omp_get_supported_active_levels());
}
int omp_get_max_active_levels(void) { return taskrt::ThisMember().icvs.max_active_levels; }
int omp_get_supported_active_levels(void) { return 1 << 10; }
int omp_get_cancellation(void) { return 0; }

void omp_set_schedule(omp_sched_t kind, int chunk) {
  const unsigned plain = kind & ~omp_sched_monotonic;
  if (plain < omp_sched_static || plain > omp_sched_auto) return;
  taskrt::ThisMember().icvs.schedule = {static_cast<int>(plain), std::max(0, chunk)};
}
void omp_get_schedule(omp_sched_t* kind, int* chunk) {
  const taskrt::Schedule schedule = taskrt::ThisMember().icvs.schedule;
  *kind = static_cast<omp_sched_t>(schedule.kind);
  *chunk = schedule.chunk;
}

omp_proc_bind_t omp_get_proc_bind(void) { return omp_proc_bind_false; }
int omp_get_num_places(void) { return 0; }
int omp_get_place_num_procs(int) { return 0; }
void omp_get_place_proc_ids(int, int*) {}
int omp_get_place_num(void) { return -1; }
int omp_get_partition_num_places(void) { return 0; }
void omp_get_partition_place_nums(int*) {}

int omp_get_num_procs(void) {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void omp_fulfill_event(omp_event_handle_t event) {
  taskrt::Fulfill(reinterpret_cast<taskrt::TaskEvent*>(static_cast<std::uintptr_t>(event)));
}

int omp_in_final(void) { return ompc_in_final(); }
int omp_get_max_task_priority(void) { return std::numeric_limits<int>::max(); }

double omp_get_wtime(void) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double omp_get_wtick(void) { return 1e-9; }

int omp_get_num_devices(void) {
  const taskrt::PointerRuntime* const runtime = taskrt::BegunRuntime();
  return runtime == nullptr ? 0 : runtime->device_count();
}
int omp_get_initial_device(void) { return omp_get_num_devices(); }
int omp_get_default_device(void) { return 0; }
void omp_set_default_device(int) {}
int omp_get_device_num(void) { return omp_get_initial_device(); }
int omp_is_initial_device(void) { return 1; }
int omp_get_num_teams(void) { return taskrt::ThisMember().teams; }
int omp_get_team_num(void) { return taskrt::ThisMember().team_number; }
void omp_set_num_teams(int count) { teams = count; }
int omp_get_max_teams(void) { return teams; }
void omp_set_teams_thread_limit(int count) { teams_threads = count; }
int omp_get_teams_thread_limit(void) { return teams_threads; }

int omp_pause_resource(omp_pause_resource_t, int) { return 0; }
int omp_pause_resource_all(omp_pause_resource_t) { return 0; }
void omp_display_env(int) {
  taskrt::DisplayEnvironment(taskrt::TheEnvironment(), taskrt::ThisMember().icvs);
}

void omp_init_lock(omp_lock_t* lock) { StateOf(lock).store(0); }
void omp_init_lock_with_hint(omp_lock_t* lock, omp_sync_hint_t) { omp_init_lock(lock); }
void omp_destroy_lock(omp_lock_t*) {}
int omp_test_lock(omp_lock_t* lock) {
  return StateOf(lock).exchange(1, std::memory_order_acquire) == 0 ? 1 : 0;
}
void omp_set_lock(omp_lock_t* lock) {
  WaitUntil([&] { return omp_test_lock(lock) != 0; });
}
void omp_unset_lock(omp_lock_t* lock) { StateOf(lock).store(0, std::memory_order_release); }

void omp_init_nest_lock(omp_nest_lock_t* lock) { Nest(lock) = {}; }
void omp_init_nest_lock_with_hint(omp_nest_lock_t* lock, omp_sync_hint_t) {
  omp_init_nest_lock(lock);
}
void omp_destroy_nest_lock(omp_nest_lock_t*) {}
static int TryNestLock(omp_nest_lock_t* lock, void* self) {
  NestLock& nest = Nest(lock);
  void* owner = nullptr;
  // Its own is what it has written itself.
  const bool has_it = std::atomic_ref(nest.owner)
                          .compare_exchange_strong(owner, self, std::memory_order_acquire,
                                                   std::memory_order_relaxed) ||
                      owner == self;
  return has_it ? ++nest.count : 0;
}
int omp_test_nest_lock(omp_nest_lock_t* lock) { return TryNestLock(lock, Self()); }
void omp_set_nest_lock(omp_nest_lock_t* lock) {
  // Once: between two tries the OS thread may be another task's.
  void* const self = Self();
  WaitUntil([&] { return TryNestLock(lock, self) != 0; });
}
void omp_unset_nest_lock(omp_nest_lock_t* lock) {
  NestLock& nest = Nest(lock);
  if (--nest.count == 0) std::atomic_ref(nest.owner).store(nullptr, std::memory_order_release);
}
