#include "apps/predict/machine/work.h"

#include <algorithm>
#include <limits>
#include <map>

#include "apps/predict/machine/fair_shares.h"

namespace predict {
namespace {

// Where the resources of a machine stand among the capacities.
class Resources {
 public:
  explicit Resources(const Machine& machine)
      : cores_(static_cast<std::size_t>(machine.topology().cores())),
        nodes_(static_cast<std::size_t>(machine.nodes())) {
    const Rates& rates = machine.rates();
    capacities_.insert(capacities_.end(), cores_, rates.smt_gain);
    capacities_.insert(capacities_.end(), cores_, rates.lines_in_flight);
    capacities_.insert(capacities_.end(), nodes_, rates.node_gb_per_s);  // bytes a nanosecond
    capacities_.insert(capacities_.end(), 2 * rates.links.size(), rates.link_gb_per_s);
  }
  std::size_t Units(int core) const { return static_cast<std::size_t>(core); }
  std::size_t LinesInFlight(int core) const { return cores_ + static_cast<std::size_t>(core); }
  std::size_t Memory(topo::NodeId node) const {
    return 2 * cores_ + static_cast<std::size_t>(topo::ToInt(node));
  }
  std::size_t Link(int directed) const {
    return 2 * cores_ + nodes_ + static_cast<std::size_t>(directed);
  }
  const std::vector<double>& capacities() const { return capacities_; }

 private:
  std::size_t cores_, nodes_;
  std::vector<double> capacities_;
};

// A value. All that a work takes, and how long it takes alone.
struct Demand {
  std::vector<Use> uses;  // in units times nanoseconds, or bytes
  double alone_ns = 0;
};

Demand DemandOf(const Machine& machine, const Resources& resources, const Work& work) {
  const topo::Pu& pu = *machine.topology().Find(work.pu);
  const topo::NodeId home = machine.topology().Home(pu);
  double one_by_one_ns = work.compute_ns + work.waiting_ns;  // what the thread cannot overlap
  std::map<std::size_t, double> amounts;
  amounts[resources.Units(pu.core)] += work.compute_ns;
  for (const MemoryUse& use : work.memory) {
    const double latency_ns = machine.MemoryLatencyNs(use.node, home);
    const double lines = use.streamed_lines + use.chained_lines;
    one_by_one_ns += use.chained_lines / use.chains * latency_ns;
    amounts[resources.LinesInFlight(pu.core)] += lines * latency_ns;
    amounts[resources.Memory(use.node)] += (lines + use.written_lines) * kLineBytes;
    for (const int link : machine.Route(use.node, home)) {
      amounts[resources.Link(link)] += lines * kLineBytes;
    }
    for (const int link : machine.Route(home, use.node)) {
      amounts[resources.Link(link)] += use.written_lines * kLineBytes;
    }
  }
  Demand demand{.alone_ns = one_by_one_ns};
  for (const auto& [resource, amount] : amounts) {
    if (amount <= 0) continue;
    demand.uses.push_back({resource, amount});
    demand.alone_ns = std::max(demand.alone_ns, amount / resources.capacities()[resource]);
  }
  return demand;
}

}  // namespace

std::vector<double> EndsOf(const Machine& machine, std::span<const Work> works) {
  const Resources resources(machine);
  std::vector<Demand> demands;
  std::vector<double> left;  // parts of each work
  std::vector<double> ends(works.size(), 0);
  for (const Work& work : works) {
    demands.push_back(DemandOf(machine, resources, work));
    left.push_back(demands.back().alone_ns > 0 ? 1 : 0);
  }
  for (double now = 0;;) {
    std::vector<std::size_t> running;
    std::map<topo::PuId, int> threads_of_pu;
    for (std::size_t i = 0; i < works.size(); ++i) {
      if (left[i] <= 0) continue;
      running.push_back(i);
      ++threads_of_pu[works[i].pu];
    }
    if (running.empty()) return ends;
    std::vector<std::vector<Use>> flows;
    std::vector<double> full_speed;  // parts of the work a nanosecond
    for (const std::size_t i : running) {
      full_speed.push_back(1 / demands[i].alone_ns / threads_of_pu[works[i].pu]);
      flows.push_back(demands[i].uses);
      for (Use& use : flows.back()) use.amount *= full_speed.back();
    }
    const std::vector<double> shares = FairShares(flows, resources.capacities());
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < running.size(); ++k) {
      step = std::min(step, left[running[k]] / (shares[k] * full_speed[k]));
    }
    now += step;
    for (std::size_t k = 0; k < running.size(); ++k) {
      double& rest = left[running[k]];
      rest -= step * shares[k] * full_speed[k];
      constexpr double kRounding = 1e-9;
      if (rest > kRounding) continue;
      rest = 0;
      ends[running[k]] = now;
    }
  }
}

double DurationNs(const Machine& machine, std::span<const Work> works) {
  const std::vector<double> ends = EndsOf(machine, works);
  return ends.empty() ? 0 : *std::max_element(ends.begin(), ends.end());
}

}  // namespace predict
