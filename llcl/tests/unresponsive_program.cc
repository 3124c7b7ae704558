// A rank for unresponsive_test.sh: the last one answers nothing for a while, as its process is
// stopped, its handler does not return, or it makes no progress. Until then operations with it are
// late, all others go on, and what waits for it is bounded; then it is as if nothing had been.
//
// unresponsive_program stopped|blocked|idle SECONDS
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::Fail;
using llcl::HandlerId;
using llcl::OrFail;
using llcl::Outcome;
using llcl::Posted;
using llcl::Rank;
using llcl::Require;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

constexpr HandlerId kCount{0}, kBlock{1}, kIgnore{2};
constexpr std::uint64_t kBytes = 4096;  // of a write: the most that waits as a copy
// With what a sanitizer keeps of what was freed; tcp_device_test knows the bound.
constexpr long kMostGrowthKb = 256 << 10;

void Stop(pid_t pid) {
  Require(kill(pid, SIGSTOP) == 0, "it cannot be stopped");
  std::string state;
  while (state.find("State:\tT") == std::string::npos) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    state.assign(std::istreambuf_iterator<char>(status), {});
  }
}

// What each rank tells the others.
struct Told {
  llcl::RemoteRegion region;
  std::uint64_t number = 0;
};
std::vector<Told> Tell(llcl::Launch& launch, const Told& mine) {
  const auto all = OrFail(launch.Allgather({reinterpret_cast<const char*>(&mine), sizeof mine}));
  std::vector<Told> told(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&told[i], all[i].data(), sizeof(Told));
  return told;
}

long PeakKb() {
  rusage usage = {};
  (void)getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// What a rank whose peer is silent asks it for.
struct Asked {
  std::deque<llcl::Flag> flags;
  std::uint64_t adds = 0, messages = 0;
};

void Add(llcl::Endpoint& endpoint, const llcl::RemoteRegion& there, Asked& asked) {
  llcl::Flag& done = asked.flags.emplace_back();
  Require(endpoint.TryAtomic<std::uint64_t>(
              {.target = {there}, .operand = 1, .then = done.completion(), .timeout = 300ms}) ==
              Posted::kPosted,
          "an atomic is refused");
  ++asked.adds;
}

// Until it is refused.
Posted Flood(llcl::Endpoint& endpoint, const llcl::RemoteRegion& there, const llcl::Region& local,
             Asked& asked, std::size_t most) {
  for (std::size_t posts = 0; posts < most;) {
    llcl::Flag& done = asked.flags.emplace_back();
    const Posted posted = endpoint.TryWrite({.from = {local.local()},
                                             .to = {there, 8},
                                             .bytes = kBytes,
                                             .then = done.completion(),
                                             .timeout = 300ms});
    if (posted == Posted::kPosted) {
      ++posts;
      continue;
    }
    asked.flags.pop_back();
    if (posted != Posted::kFull) return posted;
    (void)endpoint.TryAdvance();
  }
  return Posted::kPosted;
}

// All operations that there are, with the rank.
void UseAll(llcl::Endpoint& endpoint, const llcl::RemoteRegion& there, const llcl::Region& local,
            const char* when) {
  const auto require = [when](Outcome outcome, const char* what) {
    if (outcome == Outcome::kDone) return;
    Fail(std::string(what) + " " + when + " is " + std::string(ToString(outcome)));
  };
  require(Read(endpoint, {.from = {there}, .to = {local.local()}, .bytes = 8}), "a read");
  require(Write(endpoint, {.from = {local.local()}, .to = {there, 8}, .bytes = kBytes}), "a write");
  require(llcl::Atomic<std::uint64_t>(endpoint, {.target = {there}, .operand = 0}), "an atomic");
  const std::vector<std::byte> large(1'000'000);
  require(Send(endpoint, {.to = there.owner, .handler = kIgnore, .payload = large}),
          "a large message");
}

// `meet`: with the other rank that is not silent.
void WithASilentRank(llcl::Endpoint& endpoint, const std::vector<Told>& all,
                     const llcl::Region& local, Asked& asked, const std::function<void()>& meet) {
  const llcl::RemoteRegion& there = all.back().region;
  const Rank other{1 - ToInt(endpoint.rank())};
  const long before = PeakKb();
  const auto begun = Clock::now();
  for (int i = 0; i < 50; ++i) Add(endpoint, there, asked);
  llcl::Flag large_done;
  const std::vector<std::byte> large(1'000'000);
  Require(endpoint.TrySend({.to = there.owner,
                            .handler = kCount,
                            .payload = large,
                            .then = large_done.completion()}) == Posted::kPosted,
          "a large message is refused");
  ++asked.messages;
  Posted posted = Posted::kPosted;
  while (posted == Posted::kPosted) {
    posted = endpoint.TrySend({.to = there.owner, .handler = kCount});
    if (posted == Posted::kPosted) ++asked.messages;
    Require(asked.messages < 1000, "credits do not bound messages");
  }
  Require(posted == Posted::kFull, "a message is refused for another reason");
  (void)Flood(endpoint, there, local, asked, 2000);
  llcl::Flag barrier;
  Require(endpoint.world().TryBarrier(barrier.completion()) == Posted::kPosted, "no barrier");

  // The others go on, though half the tags are in use.
  for (int i = 0; i < 50; ++i) {
    UseAll(endpoint, all[static_cast<std::size_t>(ToInt(other))].region, local, "between others");
  }
  Require(Clock::now() - begun < 5s, "the others are slow");
  meet();

  // What was given up keeps its tag; so from here on this rank can ask nobody for anything.
  Require(Flood(endpoint, there, local, asked, 10'000) == Posted::kNoTag, "tags bound nothing");
  for (const llcl::Flag& done : asked.flags) {
    Require(endpoint.Wait(done) == Outcome::kLate, "an operation with a silent rank is not late");
  }
  Require(endpoint.Wait(large_done) == Outcome::kLate, "a large message to it is not late");
  Require(endpoint.Wait(barrier) == Outcome::kLate, "a barrier with it is not late");
  Require(Clock::now() - begun < 10s, "what is late ends late");
  const long growth = PeakKb() - before;
  std::printf("%zu operations were late; the process has grown by %ld KB\n", asked.flags.size(),
              growth);
  Require(growth < kMostGrowthKb, "what waits for a silent rank is not bounded");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) Fail("usage: unresponsive_program stopped|blocked|idle SECONDS");
  const std::string_view how = argv[1];
  const std::chrono::seconds silence{std::atoi(argv[2])};
  const auto launch = OrFail(llcl::FindLaunch());
  auto conduit = OrFail(llcl::MakeConduit(*launch));
  const Rank last{launch->size() - 1};
  const bool is_last = launch->rank() == last;
  std::atomic<std::uint64_t> came{0}, losses{0};
  llcl::EndpointOptions options;
  options.timeout = 5s;
  options.executor.has_thread = !is_last || how != "idle";
  options.on_loss = [&](Rank) { ++losses; };
  options.handlers = {[&](const llcl::Message&) { ++came; },
                      [&](const llcl::Message&) { std::this_thread::sleep_for(silence); },
                      [](const llcl::Message&) {}};
  llcl::Endpoint endpoint(std::move(conduit), options);
  std::vector<std::byte> memory(kBytes);
  const auto local = OrFail(endpoint.Register(memory));
  const auto mine = OrFail(endpoint.Allocate(8 + kBytes));
  const auto all = Tell(*launch, {mine.remote(), static_cast<std::uint64_t>(getpid())});
  llcl::Team& world = endpoint.world();
  // The first one is of no use once an operation was late.
  llcl::Team again(world, {Rank{0}, Rank{1}, Rank{2}});
  const auto meet = [&](llcl::Team& team, const char* when) {
    const Outcome met =
        llcl::PostAndWait(endpoint, [&](auto then) { return team.TryBarrier(then); });
    if (met != Outcome::kDone) {
      Fail(std::string("the ranks do not meet ") + when + ": " + std::string(ToString(met)));
    }
  };
  // Regions are known from here on.
  if (!is_last) UseAll(endpoint, all.back().region, local, "before");
  meet(world, "before");
  endpoint.Drain();
  (void)Tell(*launch, {});  // All have met.
  const auto begun = Clock::now();

  const auto pid = static_cast<pid_t>(all.back().number);
  if (endpoint.rank() == Rank{0}) {
    if (how == "stopped") Stop(pid);
    if (how == "blocked") {
      Require(llcl::Send(endpoint, {.to = last, .handler = kBlock}) == Outcome::kDone, "no block");
      std::this_thread::sleep_for(200ms);
    }
  }
  Asked asked;
  if (!is_last) {
    llcl::Team both(world, {Rank{0}, Rank{1}});
    const auto meet_other = [&] { meet(both, "without the silent one"); };
    meet_other();
    WithASilentRank(endpoint, all, local, asked, meet_other);
    std::this_thread::sleep_until(begun + silence);
  } else {
    llcl::Team none(world, {Rank{0}, Rank{1}});
  }
  if (endpoint.rank() == Rank{0} && how == "stopped") {
    Require(kill(pid, SIGCONT) == 0, "it does not go on");
  }
  const auto sent = Tell(*launch, {{}, asked.messages});
  const auto added = Tell(*launch, {{}, asked.adds});

  // What was late is there, once.
  while (endpoint.overdue() > 0 && Clock::now() - begun < silence + 20s) {
    (void)endpoint.TryAdvance();
  }
  Require(endpoint.overdue() == 0, "something is overdue for ever");
  meet(again, "after the silence");
  if (is_last) {
    std::uint64_t word = 0;
    std::memcpy(&word, mine.local().start, sizeof word);
    Require(word == added[0].number + added[1].number, "an atomic was not done once");
    // A large message that was withdrawn is none.
    const std::uint64_t most = sent[0].number + sent[1].number;
    while (came < most - 2 && Clock::now() - begun < silence + 4s) {
      (void)endpoint.TryAdvance();
    }
    const std::uint64_t messages = came;
    if (messages < most - 2 || messages > most) {
      Fail(std::to_string(messages) + " messages have come, not " + std::to_string(most) +
           " or, without large ones, two less");
    }
  }
  meet(again, "with all that was late");
  if (!is_last) UseAll(endpoint, all.back().region, local, "after the silence");
  meet(again, "at the end");
  Require(losses == 0, "a rank was taken for gone");
  std::printf("rank %d goes on\n", ToInt(endpoint.rank()));
  return 0;
}
