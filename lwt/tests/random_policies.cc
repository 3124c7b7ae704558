// Policies for random programs: lwt's own, and some that do what a user's may.
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "lwt/tests/run_random_program.h"

namespace lwt::random_program {
namespace {

std::atomic<std::int64_t> torn_hints{0};

// Looks at hints of all sizes before it takes anything.
struct Peeker {
  ReadyThread Steal(Worker& self) {
    const Victim victim = self.victim(self.RandomPeer());
    if (const std::optional<WideHint> hint = victim.Peek<WideHint>())
      torn_hints += !hint->IsWhole();
    const std::optional<int> depth = victim.Peek<int>();
    if (depth && (*depth < 0 || *depth > 10'000)) ++torn_hints;
    return victim.Take();
  }
};

// Takes threads of even depth rather; of others, one in four that it meets.
struct Choosy {
  ReadyThread Steal(Worker& self) {
    const bool any = self.Random(4) == 0;
    const Victim victim = self.victim(self.RandomPeer());
    if (any) return victim.Take();
    return victim.TakeIf([](Descriptor& thread) { return thread.depth % 2 == 0; });
  }
};

// Moves threads to other workers' tails, and to its own head and back.
struct Mover {
  ReadyThread Steal(Worker& self) {
    ReadyThread taken = self.victim(self.RandomPeer()).Take();
    if (!taken || self.Random(4) != 0) return taken;
    if (self.Random(2) == 0) {
      self.victim(self.RandomPeer()).Put(std::move(taken));
      return {};
    }
    self.Push(std::move(taken));
    return self.Pop();
  }
};

// Takes from the own tail too, and keeps what it stole for later.
struct Keeper {
  ReadyThread Steal(Worker& self) {
    if (self.Random(8) == 0) return self.victim(self.index()).Take();
    ReadyThread first = self.victim(self.RandomPeer()).Take();
    if (!first) return first;
    if (ReadyThread second = self.victim(self.RandomPeer()).Take()) self.Push(std::move(second));
    return first;
  }
};

}  // namespace

WideHint WideHint::Of(std::uint64_t seed) {
  WideHint hint;
  std::iota(std::begin(hint.words), std::end(hint.words), seed);
  return hint;
}

bool WideHint::IsWhole() const {
  if (words[0] == 0 && words[1] == 0) return true;  // The hint of a thread that had none yet.
  for (std::uint64_t i = 0; i < std::size(words); ++i) {
    if (words[i] != words[0] + i) return false;
  }
  return true;
}

std::int64_t TornHints() { return torn_hints; }

AnyPolicy RandomPolicy(Random& random, int workers) {
  switch (random.Between(0, 8)) {
    case 0:
      return ShallowestOf{.candidates = random.Between(1, 8)};
    case 1:
      return HalfOfVictim();
    case 2: {
      const auto n = static_cast<std::size_t>(workers);
      std::vector<double> weights(n * n);
      for (double& weight : weights) weight = random.Between(1, 9);
      return WeightedVictim(workers, weights);
    }
    case 3: {
      const auto n = static_cast<std::size_t>(workers);
      std::vector<std::uint64_t> distances(n * n);
      for (std::uint64_t& distance : distances) distance = random.Next() % 3 * 10;
      std::vector<std::vector<Ring>> rings;
      for (int worker = 0; worker < workers; ++worker) {
        rings.push_back(RingsOf(worker, workers, distances));
      }
      return NearestFirst(std::move(rings));
    }
    case 4:
      return Peeker();
    case 5:
      return Choosy();
    case 6:
      return Mover();
    case 7:
      return Keeper();
    default:
      return RandomVictim();
  }
}

}  // namespace lwt::random_program
