#include "taskrt/ompc/team/team.h"

#include <algorithm>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "taskrt/ompc/tasks/end_member.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

// How often a member looks for the end of its wait before it sleeps. A millisecond where each has a
// processor of its own: a sleep costs two switches, and waking a processor that rests some tens of
// microseconds. Else a member that looks keeps from work the one that it waits for.
int LooksBeforeSleep(int size) {
  constexpr int kFew = 1, kSome = 1000, kMany = 100'000;
  const Environment& environment = TheEnvironment();
  const bool has_processors = size <= environment.processors;
  if (environment.waits_actively)
    return *environment.waits_actively && has_processors ? kMany : kFew;
  return has_processors ? kSome : kFew;
}

// Teams that no region has, the last used at the end. Never freed: they may serve until the process
// ends.
class IdleTeams {
 public:
  std::unique_ptr<Team> Take(int size) {
    std::unique_ptr<Team> found;
    {
      const topo::Lock lock(mutex_);
      for (auto& team : teams_) {
        if (team->is_of_parent_process()) (void)team.release();
      }
      std::erase(teams_, nullptr);
      const auto at = std::find_if(teams_.rbegin(), teams_.rend(),
                                   [&](const auto& team) { return team->size() == size; });
      if (at != teams_.rend()) {
        found = std::move(*at);
        teams_.erase(std::next(at).base());
      }
    }
    return found != nullptr ? std::move(found) : Team::Make(size);
  }
  void Give(std::unique_ptr<Team> team) {
    std::unique_ptr<Team> oldest;  // Ends without the lock.
    const topo::Lock lock(mutex_);
    teams_.push_back(std::move(team));
    if (teams_.size() <= kMost) return;
    oldest = std::move(teams_.front());
    teams_.erase(teams_.begin());
  }

 private:
  static constexpr std::size_t kMost = 8;
  topo::Mutex mutex_;
  std::vector<std::unique_ptr<Team>> teams_ ABSL_GUARDED_BY(mutex_);
};
IdleTeams& TheTeams() {
  static auto& teams = *new IdleTeams;
  return teams;
}

struct Server {
  Team* team;
  int number;
};

// By the calling flow alone.
void RunAlone(ompc_function function, void** args, const Encounter& by) {
  ImplicitTask task;
  task.Begin(by, 0, 1, nullptr, 0);
  SetCurrentTask(&task);
  function(args);
  EndMember(task);
}

int SizeOf(const ImplicitTask& creator, int threads) {
  const Environment& environment = TheEnvironment();
  // A lightweight thread has no OS thread of its own.
  if (creator.active_level >= creator.icvs.max_active_levels || lwt::Worker::Current() != nullptr) {
    return 1;
  }
  const int wanted = threads > 0 ? threads : creator.icvs.threads;
  return std::clamp(wanted, 1, environment.thread_limit);
}

}  // namespace

Team::Team(std::unique_ptr<lwt::Pool> pool)
    : pool_(std::move(pool)), inner_copies_([] {
        static std::atomic<int> last{0};
        return (last.fetch_add(1) + 1) * kMostThreads;
      }()) {}

std::unique_ptr<Team> Team::Make(int size) {
  auto pool = lwt::Pool::Create({.workers = size,
                                 .stack_bytes = TaskStackBytes(TheEnvironment()),
                                 .looks_before_sleep = LooksBeforeSleep(size),
                                 .has_guests = true});
  if (!pool.ok()) return nullptr;
  std::unique_ptr<Team> team(new Team(*std::move(pool)));
  team->members_.push_back(std::make_unique<ImplicitTask>());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (const std::size_t bytes = TheEnvironment().stack_bytes; bytes > 0) {
    (void)pthread_attr_setstacksize(&attributes, bytes);  // Too few: the system's.
  }
  for (int number = 1; number < size; ++number) {
    team->members_.push_back(std::make_unique<ImplicitTask>());
    auto server = std::make_unique<Server>(Server{team.get(), number});
    const auto serve = [](void* argument) -> void* {
      const std::unique_ptr<Server> its(static_cast<Server*>(argument));
      its->team->Serve(its->number);
      return nullptr;
    };
    pthread_t thread;
    if (pthread_create(&thread, &attributes, serve, server.get()) != 0) {
      team->members_.pop_back();
      break;
    }
    (void)server.release();
    team->os_threads_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  return team;
}

Team::~Team() {
  is_ending_.store(true, std::memory_order_release);
  lwt::Guest::UnparkAll(*pool_);
  for (const pthread_t thread : os_threads_) pthread_join(thread, nullptr);
}

void Team::Serve(int number) {
  lwt::Guest guest(*pool_, number);
  const BecomesGuest becomes(guest);
  for (unsigned seen = 0;; ++seen) {
    while (regions_.load(std::memory_order_acquire) == seen) {
      if (is_ending_.load(std::memory_order_acquire)) return;
      guest.Park();
    }
    RunMember(number);
    if (ended_.fetch_add(1, std::memory_order_acq_rel) + 2 == size()) lwt::Guest::Unpark(*pool_, 0);
  }
}

void Team::RunMember(int number) {
  ImplicitTask& task = *members_[static_cast<std::size_t>(number)];
  task.Begin(by_, number, size(), this, by_.member->active_level == 0 ? 0 : inner_copies_);
  const KeepsTask keeps;
  SetCurrentTask(&task);
  function_(args_);
  EndMember(task);
}

void Team::Run(ompc_function function, void** args, const Encounter& by) {
  lwt::Guest guest(*pool_, 0);
  const BecomesGuest becomes(guest);
  function_ = function;
  args_ = args;
  by_ = by;
  ended_.store(0, std::memory_order_relaxed);
  loops_.Reset();
  regions_.fetch_add(1, std::memory_order_release);
  WakeAll();
  RunMember(0);
  while (ended_.load(std::memory_order_acquire) + 1 < size()) guest.Park();
}

void Team::Barrier(ImplicitTask& task) {
  const KeepsTask keeps;
  FinishTasks(task);
  const unsigned barrier = barriers_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
    arrived_.store(0, std::memory_order_relaxed);
    barriers_.store(barrier + 1, std::memory_order_release);
    return WakeAll();
  }
  lwt::Guest& guest = *OwnGuest();
  while (barriers_.load(std::memory_order_acquire) == barrier) guest.Park();
}

void RunRegion(ompc_function function, void** args, int threads) {
  const KeepsTask keeps;
  const Encounter by = {&ThisMember(), !ThisTask().is_implicit, CopyNumber()};
  const int size = SizeOf(*by.member, threads);
  std::unique_ptr<Team> team = size == 1 ? nullptr : TheTeams().Take(size);
  if (team == nullptr) return RunAlone(function, args, by);
  team->Run(function, args, by);
  TheTeams().Give(std::move(team));
}

ImplicitTask& ThisMember() { return *ThisTask().implicit; }

int ThreadNumber() {
  const ImplicitTask& member = ThisMember();
  const int worker = lwt::WorkerIndex();
  return worker < 0 ? member.number : worker % member.size;
}

int CopyNumber() {
  const ImplicitTask& member = ThisMember();
  if (lwt::Worker::Current() == nullptr || member.size == 1) return member.copy;
  const int number = ThreadNumber();
  return number == 0 ? member.first_copy : member.copies + number;
}

}  // namespace taskrt
