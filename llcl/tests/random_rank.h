// One rank's part in a random program (random_program.h): does its steps and finds out whether what
// it saw is what some legal order of all operations would have left.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "llcl/shared_memory.h"
#include "llcl/team.h"
#include "llcl/tests/job.h"
#include "llcl/tests/legal_orders.h"
#include "llcl/tests/random_program.h"
#include "llcl/tests/random_streams.h"

namespace llcl {

// An accepted operation of the program: how often it has completed, and its outcome.
struct Ending {
  std::atomic<int> times{0};
  std::atomic<Outcome> outcome{Outcome::kAborted};
  Counter* counter = nullptr;  // counts after it, if any
  bool is_accepted = false;

  Completion completion() {
    return {[](void* data, Outcome outcome) {
              auto& self = *static_cast<Ending*>(data);
              Counter* const counter = self.counter;
              self.outcome = outcome;
              ++self.times;
              if (counter != nullptr) counter->completion().Complete(outcome);
            },
            this};
  }
};

// A resource.
class RandomRank {
 public:
  RandomRank(const RandomProgram& program, int rank);
  // For the endpoint, which is made after this and goes before it.
  EndpointOptions options();

  // Runs the whole program. Failures are gtest's.
  void Run(Member& member);

  // What the rank does now, for a report of a program that does not end.
  std::string Where() const;

 private:
  friend class RandomThread;

  // Of a message's payload; the rest of it is ByteOf(value, place).
  struct MessageHead {
    std::int32_t phase = 0, thread = 0;
    std::uint32_t number = 0, bytes = 0;
    std::uint64_t value = 0;
    // The bytes at `at` of the window are there: ByteOf(value, place).
    std::int32_t window = -1;
    std::uint32_t put_bytes = 0;
    std::uint64_t at = 0;
  };
  void OnRequest(Message& message);
  void OnReply(Message& message);

  void RunPhase(int phase);
  void ReplaceDoomed();
  void WatchPuts(int phase);
  void AwaitMessages(int phase);
  void CheckWindows(int phase);
  void CheckAtomic(int phase, int window, std::uint64_t word);
  void CheckSums(int phase, int window);
  void CheckWord(int phase, int window, std::uint64_t word);
  void AbortInTheMiddle();

  std::uint64_t Load(int window, std::uint64_t at) const;
  template <typename F>
  void ForSteps(int phase, F f) const;  // f(rank, thread, step)
  std::string Name(int phase, int thread, const Step& step) const;

  const RandomProgram& program_;
  const int rank_;
  Member* member_ = nullptr;
  std::vector<Region> windows_;
  // Requests come after an exchange of all ranks, which ThreadSanitizer does not see.
  std::atomic<bool> has_windows_{false};
  std::optional<Region> doomed_;
  std::vector<std::vector<RemoteRegion>> all_windows_;                    // by window, rank
  std::vector<RemoteRegion> all_doomed_, all_gone_;                       // by rank
  std::array<std::vector<std::uint64_t>, RandomProgram::kWindows> sums_;  // by window
  std::vector<std::vector<std::uint64_t>> initial_;  // by window: its atomics before the phase
  // By rank, window, word: what may be there when the phase begins, and what is written in it.
  std::map<std::tuple<int, int, std::uint64_t>, std::set<std::uint64_t>> possible_words_,
      new_words_;
  std::vector<std::unique_ptr<class RandomThread>> threads_;
  RandomStreams streams_;
  // Messages that came, as often as they came, by sender, its phase and number; and answers.
  std::mutex mutex_;
  std::map<std::tuple<int, int, int, std::uint32_t>, int> came_, answered_;
  std::atomic<int> posted_until_abort_{0};
  std::atomic<int> phase_{-1};
  std::atomic<const char*> doing_{"beginning"};
};

// One thread of it. A resource.
class RandomThread {
 public:
  RandomThread(RandomRank& rank, int thread);
  void MakeTeam();
  void Run(int phase);
  // Reads its own areas, alone.
  void CheckOwn();
  // Once nothing is in flight any more.
  void CheckEndings() const;
  void CheckLate();
  void PostUntilClosed();
  // From here on it uses the endpoint no more. Its memory remains: what was aborted has it until
  // the endpoint is gone.
  void Close();
  std::string Where() const;

 private:
  // A step that was accepted, with what is needed to judge it.
  struct Posting {
    const Step* step = nullptr;
    Ending* ending = nullptr;
    Ending* second = nullptr;  // of a put's signal
    LocalAddress local;
    // Of a collective operation: its memory, and what is to be in `in`.
    std::vector<std::uint64_t> out, in, expected;
  };
  struct LateWrite {
    int peer, window;
    std::uint64_t at, value;
    Ending* ending;
  };

  void RunBatch(int phase, std::span<const Step> batch);
  void Post(int phase, const Step& step);
  void Accept(Posting posting);
  Posted PostOwn(const Step& step, Posting& posting);
  Posted PostPut(int phase, const Step& step, Posting& posting);
  Posted PostInvalid(const Step& step, Posting& posting);
  Posted PostCollective(Posting& posting);
  Posted SendUntilClosed(int peer, Completion then);
  void Judge(const Posting& posting);
  void JudgeOwn(const Posting& posting);
  void Log(const Step& step, std::uint64_t before);

  LocalAddress Take(std::uint64_t bytes);
  Ending& NewEnding();
  RemoteAddress Window(const Step& step, std::uint64_t at) const;
  PossibleBytes& OwnOf(int peer, int window);

  RandomRank& rank_;
  const int thread_;
  std::vector<std::byte> memory_, late_memory_;
  std::optional<Region> local_, late_local_;
  LocalRegion gone_;  // of one that is registered no more
  std::uint64_t taken_ = 0, late_taken_ = 0;
  std::vector<PossibleBytes> own_;  // by peer, window
  std::optional<Team> team_;
  std::uint64_t collectives_ = 0;
  std::deque<Ending> endings_;
  std::vector<LateWrite> late_;
  Counter counter_;
  std::uint64_t counted_ = 0;
  std::deque<Posting> postings_;  // of the batch
  std::map<std::pair<int, int>, std::vector<PossibleBytes::Write>>
      writes_;  // of it, by peer, window
  std::atomic<const Step*> now_{nullptr};
};

}  // namespace llcl
