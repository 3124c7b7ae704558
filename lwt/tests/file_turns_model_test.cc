// lwt/reactor/file_turns.h under every interleaving of up to 5 preemptions (larger programs of
// fewer, down to 2; one program has no bound).
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lwt/reactor/file_turns.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

// Over a lock of `AtomicT`.
template <template <typename> class AtomicT>
using TurnsOver = BasicFileTurns<AtomicT, BasicWaiter<model::Atomic, ImpatientThreads>>;
using ModelTurns = TurnsOver<model::Atomic>;

constexpr Deadline kSoon{};
// Two of one bucket.
constexpr int kFile = 3, kOther = kFile + int{ModelTurns::kBuckets};

// How often the impatient thread came in time or late, over all interleavings that are run.
struct Ends {
  int in_time = 0;
  int late = 0;
};

template <template <typename> class AtomicT>
struct Files {
  // False: the deadline came first.
  bool Use(int fd, Deadline deadline) {
    typename TurnsOver<AtomicT>::Turn turn;
    turn.fd = fd;
    if (!turns.Enter(turn, deadline)) return false;
    int& inside = fd == kFile ? inside_file : inside_other;
    model::Require(++inside == 1, "one thread has the turn");
    model::Step();
    --inside;
    ++used;
    turns.Leave(turn);
    return true;
  }

  TurnsOver<AtomicT> turns;
  int inside_file = 0, inside_other = 0;
  int used = 0;
};

// A thread for each descriptor, and an impatient one for kFile.
template <template <typename> class AtomicT>
model::Program Take(const std::vector<int>& patient, Ends* impatient) {
  auto files = std::make_shared<Files<AtomicT>>();
  model::Program program;
  for (const int fd : patient) {
    program.threads.push_back(
        [=] { model::Require(files->Use(fd, Deadline::max()), "a patient thread gets there"); });
  }
  if (impatient != nullptr) {
    program.threads.push_back(
        [=] { ++(files->Use(kFile, kSoon) ? impatient->in_time : impatient->late); });
  }
  program.check = [=, all = static_cast<int>(patient.size())] {
    model::Require(files->used >= all, "all had their turns");
    model::Require(files->Use(kFile, kSoon), "nobody has it at the end");
  };
  return program;
}

TEST(FileTurnsModel, EachThreadHasItsTurnAlone) {
  ExpectHolds([] { return Take<model::Atomic>({kFile, kFile}, nullptr); }, {.preemptions = 5});
  ExpectHolds(
      [] {
        return Take<model::Atomic>({kFile, kFile, kFile}, nullptr);
      },
      {.preemptions = 2});
}

TEST(FileTurnsModel, AnImpatientThreadLeavesTheTurnsToTheOthers) {
  Ends ends;
  ExpectHolds([&] { return Take<model::Atomic>({kFile, kFile}, &ends); }, {.preemptions = 3});
  EXPECT_GT(ends.in_time, 0);
  EXPECT_GT(ends.late, 0);
}

TEST(FileTurnsModel, ThreadsOfTwoFilesInOneBucketMeetNoTurnOfTheOther) {
  Ends ends;
  ExpectHolds([&] { return Take<model::Atomic>({kFile, kOther}, &ends); }, {.preemptions = 3});
  EXPECT_GT(ends.in_time, 0);
  EXPECT_GT(ends.late, 0);
  ExpectHolds([] {
    struct State {
      Files<model::Atomic> files;
      model::Atomic<int> is_other_done{0};
    };
    auto state = std::make_shared<State>();
    return model::Program{{[=] {
                             ModelTurns::Turn turn;
                             turn.fd = kFile;
                             model::Require(state->files.turns.Enter(turn, Deadline::max()),
                                            "nobody else wants it");
                             state->is_other_done.WaitWhile(0);
                             state->files.turns.Leave(turn);
                           },
                           [=] {
                             state->files.Use(kOther, Deadline::max());
                             state->is_other_done.Store(1, std::memory_order_release);
                             state->is_other_done.WakeAll();
                           }}};
  });
}

TEST(FileTurnsModel, TurnsWhoseLockIsTornAreCaught) {
  ExpectCaught([] { return Take<TornAtomic>({kFile, kFile}, nullptr); }, {.preemptions = 3});
}

}  // namespace
}  // namespace lwt
