#include "taskrt/ompc/omp_regions.h"

#include <algorithm>
#include <cstring>

#include "absl/base/thread_annotations.h"
#include "taskrt/ompc/omp_library.h"
#include "taskrt/ompc/tasks/end_member.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "taskrt/ompc/team/chunks.h"
#include "taskrt/ompc/team/team.h"

namespace {

using taskrt::Chunk;
using taskrt::ImplicitTask;
using taskrt::SharedLoop;

SharedLoop& SharedOf(const ompc_loop& loop) { return *static_cast<SharedLoop*>(loop.shared); }

// Is it the only member of its region?
bool IsAlone(const ImplicitTask& member) { return member.team == nullptr; }

template <typename IsSo>
void LookUntil(IsSo is_so) {
  const taskrt::KeepsTask keeps;
  for (int looks = 0; !is_so(); ++looks) taskrt::GiveWay(looks);
}

Chunk NextOf(ompc_loop& loop, const ImplicitTask& member) {
  switch (loop.kind) {
    case OMPC_DYNAMIC: {
      const long first = SharedOf(loop).next.fetch_add(loop.chunk, std::memory_order_relaxed);
      return {first, first + std::min(loop.chunk, loop.count - first)};
    }
    case OMPC_GUIDED: {
      std::atomic<long>& next = SharedOf(loop).next;
      long first = next.load(std::memory_order_relaxed), size = 0;
      do {
        size = taskrt::GuidedSize(loop.count - first, loop.chunk, member.size);
      } while (size > 0 &&
               !next.compare_exchange_weak(first, first + size, std::memory_order_relaxed));
      return {first, first + size};
    }
    default:
      if (loop.chunk > 0) {
        return taskrt::ChunkOfTurn(loop.count, loop.chunk, loop.turn++, member.number, member.size);
      }
      if (loop.turn++ > 0) return {};
      if (loop.is_alone != 0) return {0, loop.count};
      return taskrt::BlockOfMember(loop.count, member.number, member.size);
  }
}

}  // namespace

void ompc_parallel(ompc_function function, void** args, int threads, int condition) {
  taskrt::RefuseRecording(taskrt::ThisTask());
  taskrt::RunRegion(function, args, condition != 0 ? threads : 1);
}

int ompc_member(void) { return taskrt::ThisMember().number; }

void ompc_barrier(void) {
  ImplicitTask& member = taskrt::ThisMember();
  if (!IsAlone(member)) return member.team->Barrier(member);
  const taskrt::KeepsTask keeps;
  taskrt::FinishTasks(member);
}

void ompc_loop_begin(ompc_loop* loop, int kind, long count, long chunk, int flags) {
  ImplicitTask& member = taskrt::ThisMember();
  if (kind == OMPC_RUNTIME) {
    kind = member.icvs.schedule.kind;
    chunk = member.icvs.schedule.chunk;
  }
  if ((flags & OMPC_BINDS) != 0 && member.is_initial) flags |= OMPC_OF_TEAM | OMPC_ALONE;
  *loop = {};
  loop->has_end = 1;
  loop->count = count;
  if ((flags & OMPC_OF_TEAM) != 0) {
    const Chunk its = taskrt::BlockOfMember(count, member.team_number, member.teams);
    loop->base = its.first;
    loop->count = its.last - its.first;
    loop->has_end = its.last == count ? 1 : 0;
  }
  loop->is_alone = (flags & OMPC_ALONE) != 0 || IsAlone(member) ? 1 : 0;
  loop->chunk = chunk;
  loop->kind = kind == OMPC_AUTO || loop->is_alone != 0 ? OMPC_STATIC : kind;
  if (loop->kind != OMPC_STATIC) loop->chunk = std::max(1L, chunk);
  if ((flags & OMPC_ORDERED) != 0) {
    loop->outer = member.loop;
    member.loop = loop;
  }
  if (loop->is_alone != 0) {
    loop->chunk = 0;
  } else if (loop->kind != OMPC_STATIC || (flags & OMPC_ORDERED) != 0) {
    taskrt::Team& team = *member.team;
    int looks = 0;
    const taskrt::KeepsTask keeps;
    loop->shared = &team.loops().Enter(member.shared_loops++, [&] { taskrt::GiveWay(looks++); });
  }
}

int ompc_loop_next(ompc_loop* loop, long* first, long* last) {
  const Chunk chunk = NextOf(*loop, taskrt::ThisMember());
  if (chunk.empty()) return 0;
  *first = loop->base + chunk.first;
  *last = loop->base + chunk.last;
  loop->is_last = chunk.last == loop->count ? loop->has_end : 0;
  return 1;
}

void ompc_loop_end(ompc_loop* loop, int nowait) {
  ImplicitTask& member = taskrt::ThisMember();
  if (member.loop == loop) member.loop = loop->outer;
  if (loop->shared != nullptr) member.team->loops().Leave(SharedOf(*loop), member.size);
  if (nowait == 0) ompc_barrier();
}

void ompc_ordered_begin(void) {
  const ompc_loop* const loop = taskrt::ThisMember().loop;
  if (loop == nullptr || loop->shared == nullptr) return;
  const std::atomic<long>& ordered = SharedOf(*loop).ordered;
  LookUntil(
      [&] { return ordered.load(std::memory_order_acquire) == loop->iteration - loop->base; });
}
void ompc_ordered_end(void) {
  const ompc_loop* const loop = taskrt::ThisMember().loop;
  if (loop == nullptr || loop->shared == nullptr) return;
  SharedOf(*loop).ordered.store(loop->iteration - loop->base + 1, std::memory_order_release);
}
void ompc_ordered_skip(ompc_loop* loop) {
  if (loop->shared == nullptr) return;
  if (SharedOf(*loop).ordered.load(std::memory_order_acquire) > loop->iteration - loop->base)
    return;
  ompc_ordered_begin();
  ompc_ordered_end();
}

void ompc_teams_begin(ompc_teams* teams, int count) {
  ImplicitTask& member = taskrt::ThisMember();
  if (count <= 0) count = omp_get_max_teams();
  *teams = {0, std::max(1, count), member.team_number, member.teams, member.is_initial ? 1 : 0};
}
int ompc_teams_next(ompc_teams* teams) {
  ImplicitTask& member = taskrt::ThisMember();
  const bool is_over = teams->next == teams->count;
  member.team_number = is_over ? teams->outer_number : teams->next++;
  member.teams = is_over ? teams->outer_count : teams->count;
  member.is_initial = !is_over || teams->outer_is_initial != 0;
  return is_over ? 0 : 1;
}

// Of tasks outside of regions, which have dependencies.
static lwt::Mutex& ReductionsOf(const ImplicitTask& member) {
  static auto& outside = *new lwt::Mutex;
  return IsAlone(member) ? outside : member.team->mutex();
}

// Held from one call to the other.
void ompc_reduce_begin(void) ABSL_NO_THREAD_SAFETY_ANALYSIS;
void ompc_reduce_begin(void) {
  lwt::Mutex& mutex = ReductionsOf(taskrt::ThisMember());
  if (taskrt::OwnGuest() == nullptr) {
    const taskrt::KeepsTask keeps;
    if (!mutex.TryLock()) taskrt::WaitBy([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex.Lock(); });
    return;
  }
  LookUntil([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return mutex.TryLock(); });
}
void ompc_reduce_end(void) ABSL_NO_THREAD_SAFETY_ANALYSIS;
void ompc_reduce_end(void) { ReductionsOf(taskrt::ThisMember()).Unlock(); }

void ompc_copyprivate(int is_source, int count, void* const* variables, const size_t* bytes) {
  const ImplicitTask& member = taskrt::ThisMember();
  if (IsAlone(member)) return;
  taskrt::Team& team = *member.team;
  if (is_source != 0) team.shown = variables;
  ompc_barrier();
  for (int i = 0; i < count && is_source == 0; ++i) {
    std::memcpy(variables[i], team.shown[i], bytes[i]);
  }
  ompc_barrier();
}
