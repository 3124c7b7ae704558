// Ours: a space of two ranks. The first runs this, the second is the home of what it reads
// and writes, and does what it is asked.
//
// What is asked lies in the space, at home on the first rank: the second reads it after each
// barrier that drops copies, in which it sleeps. There are two places for it, in turn: when
// one is written again the second rank has come to the next barrier, so it has read it.
#include <stdlib.h>

#include <cstdio>
#include <memory>
#include <string>

#include "dsm/benches/contestant.h"
#include "dsm/benches/problems.h"
#include "dsm/space.h"

namespace {

using dsm::Consistency;
using vicinity::Words;

const char* const kName = vicinity::contestant.name;
const std::uint64_t kPageBytes = vicinity::contestant.page_bytes;
const std::string network =
    vicinity::contestant.conduit == std::string("smp") ? "shared_memory" : "tcp";

dsm::Space* space = nullptr;  // main's

dsm::EngineKind Engine() {
  if (kName == std::string("dsm_segv")) return dsm::EngineKind::kSegv;
  if (kName == std::string("dsm_server")) return dsm::EngineKind::kServer;
  return dsm::EngineKind::kAutomatic;
}

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "dsm_bench: %s\n", value.status().ToString().c_str());
  std::_Exit(1);
}
void Check(const absl::Status& status) {
  Value<int>(status.ok() ? 0 : absl::StatusOr<int>(status));
}

Words Allocate(std::uint64_t bytes, int home) {
  const auto memory = Value(space->Allocate({{bytes / 8}, 8}, dsm::OnRank{home}));
  return {reinterpret_cast<std::uint64_t*>(memory.data()), bytes / 8};
}
void Preload(Words words, dsm::Access access = dsm::Access::kRead) {
  Check(space->Preload(std::as_bytes(words), access));
}
void Meet(Consistency consistency) { Check(space->Barrier(consistency)); }

struct Order {
  enum { kDropCopies, kFlush, kKeep, kEnd } what = kDropCopies;
  int barriers = 0;
};

struct Bench {
  volatile Order* orders;  // two
  Words read, written;     // at home on the second rank
  Words home;              // on the first
  int asked = 0;

  // The second rank meets the first in so many barriers; copies are dropped.
  void Ask(Order wanted) {
    volatile Order& order = orders[asked++ % 2];
    order.what = wanted.what;
    order.barriers = wanted.barriers;
    Meet(Consistency::kDiscard);
  }
  void Serve() {
    while (true) {
      Meet(Consistency::kDiscard);
      const volatile Order& order = orders[asked++ % 2];
      if (order.what == Order::kEnd) return;
      for (int i = 0; i < order.barriers; ++i) {
        Meet(order.what == Order::kFlush ? Consistency::kFlush : Consistency::kKeep);
      }
    }
  }

  // Of RegisterReadMisses.
  Words words() const { return read; }
  void Drop() { Ask({}); }
  int Enter() const { return 0; }
};

// Each page was read before.
void RegisterFirstWrite(Bench& bench) {
  vicinity::Register(
      "first_write/" + std::string(kName) + "/" + network + "/" + vicinity::PageIs(kPageBytes), 10,
      [&bench](benchmark::State& state) {
        const Words words = bench.written;
        for (auto _ : state) {
          bench.Drop();
          Preload(words);
          const double seconds = vicinity::SecondsOf([&] {
            for (std::uint64_t at = 0; at < words.size(); at += kPageBytes / 8) words[at] += 1;
          });
          state.SetIterationTime(seconds / static_cast<double>(words.size_bytes() / kPageBytes));
        }
        bench.Drop();
      });
}

// The changes of pages go home. Each has every `step`th word changed.
void RegisterRelease(Bench& bench, const std::string& changes, std::uint64_t step) {
  vicinity::Register(
      "release_" + changes + "/" + kName + "/" + network + "/" + vicinity::PageIs(kPageBytes), 10,
      [&bench, step](benchmark::State& state) {
        const Words words = bench.written;
        bench.Drop();
        const std::vector<std::uint64_t> before(words.begin(), words.end());
        for (auto _ : state) {
          for (std::uint64_t at = 0; at < words.size(); at += step) words[at] += 1;
          const double seconds = vicinity::SecondsOf([&] { Check(space->Release()); });
          state.SetIterationTime(seconds / static_cast<double>(words.size_bytes() / kPageBytes));
        }
        bench.Drop();
        const auto added = static_cast<std::uint64_t>(state.iterations());
        for (std::uint64_t at = 0; at < words.size(); ++at) {
          if (words[at] != before[at] + (at % step == 0 ? added : 0)) {
            return state.SkipWithError("wrong answer");
          }
        }
      });
}

void RegisterEmptyBarriers(Bench& bench) {
  for (const auto& [name, order] :
       {std::pair{"flush", Order::kFlush}, std::pair{"keep", Order::kKeep}}) {
    vicinity::Register(
        "barrier_" + std::string(name) + "/" + kName + "/" + network, 5,
        [&bench, order = order](benchmark::State& state) {
          constexpr int kBarriers = 200;
          for (auto _ : state) {
            bench.Ask({order, kBarriers});
            const double seconds = vicinity::SecondsOf([&] {
              for (int i = 0; i < kBarriers; ++i) {
                Meet(order == Order::kFlush ? Consistency::kFlush : Consistency::kKeep);
              }
            });
            state.SetIterationTime(seconds / kBarriers);
          }
        });
  }
}

// What a page costs at a flush that is here and has not changed.
void RegisterSweep(Bench& bench) {
  vicinity::Register(
      "barrier_sweep/" + std::string(kName) + "/" + network + "/" + vicinity::PageIs(kPageBytes), 6,
      [&bench](benchmark::State& state) {
        for (auto _ : state) {
          bench.Ask({Order::kFlush, 1});
          Preload(bench.read);
          const double seconds = vicinity::SecondsOf([] { Meet(Consistency::kFlush); });
          state.SetIterationTime(seconds /
                                 static_cast<double>(bench.read.size_bytes() / kPageBytes));
        }
      });
}

void RegisterOurs(Bench& bench) {
  const std::string rest = network + "/" + vicinity::PageIs(kPageBytes);
  RegisterRelease(bench, "one_word", kPageBytes / 8);
  RegisterRelease(bench, "alternate_words", 2);
  RegisterRelease(bench, "all_words", 1);
  // The same whatever the page: once.
  if (kPageBytes == 4096) RegisterEmptyBarriers(bench);
  RegisterSweep(bench);
  vicinity::RegisterPreload(
      kName, rest, [&bench] { bench.Drop(); },
      [&bench](std::uint64_t bytes) { Preload(bench.read.first(bytes / 8)); },
      [&bench] { return bench.read; });
  if (network == "tcp") return;
  vicinity::RegisterResident("resident", kName, rest, [&bench](std::uint64_t bytes) {
    // Copies that were written before; what is written here is lost at the next order.
    const Words words = bench.read.first(bytes / 8);
    bench.Drop();
    Preload(words, dsm::Access::kWrite);
    return words;
  });
  vicinity::RegisterResident("home", kName, rest,
                             [&bench](std::uint64_t bytes) { return bench.home.first(bytes / 8); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  setenv("LLCL_CONDUIT", vicinity::contestant.conduit, 1);
  dsm::SpaceOptions options;
  options.page_bytes = kPageBytes;
  options.engine = Engine();
  const std::unique_ptr<dsm::Space> joined = Value(dsm::Space::Join(options));
  space = joined.get();
  if (space->ranks() != 2) {
    std::fputs("dsm_bench: the bench is for two ranks: llclrun -n 2 dsm_bench\n", stderr);
    return 1;
  }
  Bench bench;
  bench.orders = reinterpret_cast<Order*>(Allocate(2 * sizeof(Order), 0).data());
  bench.read = Allocate(vicinity::kMostBytes, 1);
  bench.written = Allocate(vicinity::kMissBytes, 1);
  bench.home = Allocate(vicinity::kMostBytes, 0);
  if (space->rank() == 1) {
    vicinity::Fill(bench.read);
    bench.Serve();
  } else {
    vicinity::RegisterReadMisses(bench, kName, network, kPageBytes);
    RegisterFirstWrite(bench);
    if (std::string(kName) == "dsm") RegisterOurs(bench);
    benchmark::RunSpecifiedBenchmarks();
    bench.Ask({Order::kEnd, 0});
  }
  Meet(Consistency::kKeep);
  return 0;
}
