#include "lwt/policies.h"

#include <algorithm>
#include <climits>
#include <limits>

#include "lwt/contract.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/pool.h"

namespace lwt {

ReadyThread RandomVictim::Steal(Worker& self) {
  const int victim = self.RandomPeer();
  return victim == self.index() ? ReadyThread() : self.victim(victim).Take();
}

ReadyThread ShallowestOf::Steal(Worker& self) {
  if (others.empty()) {
    for (int worker = 0; worker < self.workers(); ++worker) {
      if (worker != self.index()) others.push_back(worker);
    }
    if (others.empty()) return {};
  }
  int best = -1;
  int least = INT_MAX;
  CheckContract(candidates >= 1, "ShallowestOf looks at one candidate or more");
  const std::size_t drawn = std::min(others.size(), static_cast<std::size_t>(candidates));
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto left = static_cast<std::uint32_t>(others.size() - i);
    std::swap(others[i], others[i + self.Random(left)]);
    const std::optional<int> depth = self.victim(others[i]).Peek<int>();
    if (!depth || *depth >= least) continue;
    best = others[i];
    least = *depth;
  }
  // None with such a hint: any.
  return self.victim(best < 0 ? others[0] : best).Take();
}

NearestFirst NearestFirst::On(const topo::Topology& topology, const topo::Mapping& mapping) {
  const int nodes = static_cast<int>(topology.nodes().size());
  std::vector<std::uint64_t> node_distances;
  for (const topo::Node& from : topology.nodes()) {
    for (const topo::Node& to : topology.nodes()) {
      node_distances.push_back(topology.Distance(from.id, to.id));
    }
  }
  std::vector<Place> places;
  for (const topo::Slot& slot : mapping.slots()) {
    const topo::Pu* const pu = topology.Find(slot.pu);
    places.push_back(pu == nullptr ? Place{} : Place{pu->core, topo::ToInt(slot.node)});
  }
  const std::vector<std::uint64_t> distances = DistancesOf(places, node_distances, nodes);
  std::vector<std::vector<Ring>> rings;
  for (int worker = 0; worker < mapping.size(); ++worker) {
    rings.push_back(RingsOf(worker, mapping.size(), distances));
  }
  return NearestFirst(std::move(rings));
}

ReadyThread NearestFirst::Steal(Worker& self) {
  CheckContract(self.workers() == static_cast<int>(rings_->size()),
                "the rings are for as many workers as the pool has");
  for (const Ring& ring : (*rings_)[static_cast<std::size_t>(self.index())]) {
    const auto chosen = self.Random(static_cast<std::uint32_t>(ring.workers.size()));
    if (ReadyThread found = self.victim(ring.workers[chosen]).Take()) return found;
  }
  return {};
}

WeightedVictim::WeightedVictim(int workers, std::span<const double> weights) : workers_(workers) {
  CheckContract(workers >= 1 && weights.size() == static_cast<std::size_t>(workers) *
                                                      static_cast<std::size_t>(workers),
                "there is a weight for each thief and victim");
  for (const double weight : weights) {
    CheckContract(weight >= 0 && weight <= std::numeric_limits<double>::max(),
                  "a weight is a number of 0 or more");
  }
  auto sums = std::make_shared<std::vector<double>>();
  for (int thief = 0; thief < workers; ++thief) {
    double sum = 0;
    for (int victim = 0; victim < workers; ++victim) {
      if (victim != thief) sum += weights[static_cast<std::size_t>(thief * workers + victim)];
      sums->push_back(sum);
    }
  }
  up_to_ = std::move(sums);
}

ReadyThread WeightedVictim::Steal(Worker& self) {
  CheckContract(self.workers() == workers_, "the weights are for as many workers as the pool has");
  const auto row = up_to_->begin() + self.index() * workers_;
  const double all = row[workers_ - 1];
  if (all <= 0) return {};
  const double at = all * self.Random(1u << 30) / (1u << 30);
  const auto victim = std::upper_bound(row, row + workers_, at) - row;
  return self.victim(static_cast<int>(victim)).Take();
}

ReadyThread HalfOfVictim::Steal(Worker& self) {
  const int chosen = self.RandomPeer();
  if (chosen == self.index()) return {};
  const Victim victim = self.victim(chosen);
  std::int64_t half = (victim.size() + 1) / 2;
  ReadyThread first = victim.Take();
  while (first && --half > 0) {
    ReadyThread next = victim.Take();
    if (!next) break;
    self.Push(std::move(next));
  }
  return first;
}

struct Mailboxes::Box {
  // Threads that no worker will look for here are dropped.
  ~Box() {
    Entry entry;
    while (inbox.TakeOldest(entry)) (void)ReadyThreads::Wrap(ThreadOf(entry.item));
  }
  BasicInbox<Atomic> inbox;
};

Mailboxes::Mailboxes(int workers) : boxes_(std::make_shared<std::vector<std::unique_ptr<Box>>>()) {
  CheckContract(workers >= 1, "mailboxes are for one worker or more");
  for (int i = 0; i < workers; ++i) boxes_->push_back(std::make_unique<Box>());
}

void Mailboxes::Mail(int worker, ReadyThread thread) const {
  CheckContract(worker >= 0 && static_cast<std::size_t>(worker) < boxes_->size(),
                "mail goes to a worker that has a mailbox");
  Scheduler& self = Scheduler::Here();
  Descriptor* const mailed = ReadyThreads::Unwrap(std::move(thread));
  self.ready().CheckGiven(mailed, "Mailboxes::Mail");
  mailed->entry = EntryOf(*mailed);
  (*boxes_)[static_cast<std::size_t>(worker)]->inbox.Put(*mailed);
  self.ready().NotifyOthers();
}

ReadyThread Mailboxes::Steal(Worker& self) {
  CheckContract(self.workers() == static_cast<int>(boxes_->size()),
                "there is a mailbox for each worker of the pool");
  const auto take = [this](int worker) {
    Entry entry;
    return (*boxes_)[static_cast<std::size_t>(worker)]->inbox.TakeOldest(entry)
               ? ReadyThreads::Wrap(ThreadOf(entry.item))
               : ReadyThread();
  };
  if (ReadyThread mine = take(self.index())) return mine;
  const int victim = self.RandomPeer();
  if (ReadyThread stolen = self.victim(victim).Take()) return stolen;
  return take(victim);
}

bool Mailboxes::HasWork(Worker& /*self*/) const {
  return std::any_of(boxes_->begin(), boxes_->end(),
                     [](const auto& box) { return !box->inbox.LooksEmpty(); });
}

void Distribute(std::span<ReadyThread> threads) {
  Worker& self = Worker::Here();
  int next = 0;
  for (ReadyThread& thread : threads) {
    self.victim(next).Put(std::move(thread));
    next = (next + 1) % self.workers();
  }
}

}  // namespace lwt
