// The policies that lwt ships, written with what any user has (policy.h).
//
// Each is a value; give one to PoolOptions::policy or Pool::SetPolicy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lwt/kernel/victim_rings.h"
#include "lwt/policy.h"
#include "lwt/victim.h"
#include "topo/topo.h"

namespace lwt {

// Looks at the tails of `candidates` different random victims and takes from the one whose
// thread has the smallest hint, an int: with the recursion depth as the hint, the
// largest piece of work. Where none has such a hint it takes from one of them.
// Source: [NNT13] chapter 4.
struct ShallowestOf {
  int candidates = 8;
  std::vector<int> others = {};  // the other workers, shuffled as they are drawn
  ReadyThread Steal(Worker& self);
};

// One random victim of each ring, the nearest ring first.
class NearestFirst {
 public:
  // Rings as RingsOf gives them for each worker.
  explicit NearestFirst(std::vector<std::vector<Ring>> rings)
      : rings_(std::make_shared<const std::vector<std::vector<Ring>>>(std::move(rings))) {}
  // For workers placed by `mapping`.
  static NearestFirst On(const topo::Topology& topology, const topo::Mapping& mapping);

  ReadyThread Steal(Worker& self);

 private:
  std::shared_ptr<const std::vector<std::vector<Ring>>> rings_;  // of each worker
};

// One random victim, chosen with the weights of the thief's row.
class WeightedVictim {
 public:
  // `weights`: workers x workers, row = thief, not negative; a row of zeros
  // never steals.
  WeightedVictim(int workers, std::span<const double> weights);

  ReadyThread Steal(Worker& self);

 private:
  int workers_;
  std::shared_ptr<const std::vector<double>> up_to_;  // sums of each row from its left
};

// Takes half of what the victim has: for programs whose tree leans to one side.
// Source: Dinan et al.: Scalable work stealing, SC 2009 ([NNT13] section 5.1).
struct HalfOfVictim {
  ReadyThread Steal(Worker& self);
};

// Each worker has a mailbox for threads that had better run there, because their
// data is in its cache. A worker looks into its mailbox before it steals; the others
// look there last, so that no thread waits for a worker that is busy.
//
//   lwt::Mailboxes boxes(pool->workers());
//   pool->SetPolicy(boxes);
//   auto [thread, ready] = lwt::Create(f);
//   boxes.Mail(worker_of[block], std::move(ready));
//
// Mail may be called by any thread of the pool. Threads that are still in a box
// when the last copy of the Mailboxes is destroyed are dropped. Source: Acar, Blelloch, Blumofe:
// The data locality of work stealing, SPAA 2000 ([NNT13] section 5.2); there the
// thread is in the sender's queue too, here in the mailbox only.
class Mailboxes {
 public:
  explicit Mailboxes(int workers);
  void Mail(int worker, ReadyThread thread) const;
  ReadyThread Steal(Worker& self);
  bool HasWork(Worker& self) const;  // in any box

 private:
  struct Box;
  std::shared_ptr<std::vector<std::unique_ptr<Box>>> boxes_;
};

// Spreads threads over all workers: thread i to the tail of worker i modulo their
// number. The paper's outlook (section 6).
void Distribute(std::span<ReadyThread> threads);

}  // namespace lwt
