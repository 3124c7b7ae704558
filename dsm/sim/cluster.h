// Nodes that are not there: what the protocol does for programs that go step by step, and how
// long that takes on a machine that is described, in virtual time.
//
// What is fetched, in how many requests, and what is dropped, is decided by the library's own
// copies.h, one for each node; only its engine, its network and the time are simulated. A node
// has a link that carries one thing at a time, in each direction; pages are served in the order
// in which requests arrive. The homes' processors do nothing for it.
//
//   dsm::sim::Cluster cluster({.nodes = 64, .pages = 32}, machine, home_of);
//   cluster.Preload([](int node) { return PagesAround(node); });
//   cluster.Compute([](int node) { return 0.1; });
//   cluster.BarrierThatDrops();
//
// Each member is a step of all nodes, that begins on each when its last one has ended. No
// random numbers: programs that want some draw them.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dsm/cache/copies.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/pages.h"
#include "dsm/sim/machine.h"

namespace dsm::sim {

// A value: a node's time since the beginning, in pieces.
struct Times {
  double compute = 0, fault = 0, preload = 0, barrier = 0;
  double total() const { return compute + fault + preload + barrier; }
};

// A resource.
class Cluster {
 public:
  // Whose is a page that `node` sees?
  using HomeOf = std::function<int(int node, PageNumber page)>;
  // The seconds by which the next stop of threads of `node` is late: a thread that is to be stopped
  // may wait for a processor. Where all threads wait for pages there is no stop.
  using LateStop = std::function<double(int node)>;
  // Ends the program where shape or machine cannot be (machine.h says so before).
  Cluster(const Shape& shape, const Machine& machine, HomeOf home_of, LateStop late_stop = {});
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  void Compute(const std::function<double(int node)>& seconds);
  // Each thread reads its own, one after the other, and faults for those that are absent; a
  // node goes on when all its threads have.
  void Touch(const std::function<PageRange(int node, int thread)>& pages);
  // Threads that read pages and compute, while others wait for theirs. seconds(node, waits): until
  // all threads of the node have ended, of which each waits so long; with none, they only compute.
  // While all are stopped none of them computes.
  void Work(const std::function<std::span<const PageRange>(int node, int thread)>& pages,
            const std::function<double(int node, std::span<const double> waits)>& seconds);
  void Preload(const std::function<PageRange(int node)>& pages);
  // All wait for all, and drop their copies.
  void BarrierThatDrops();
  // By message passing instead: each sends so many bytes to the node before it and the node
  // behind it, and receives as many, one neighbor after the other, when both are there; counted as
  // preload. One thread copies what comes and what goes.
  void Exchange(std::uint64_t bytes);

  const Times& times(int node) const;
  CopyCounts counts(int node) const;

 private:
  class Node;
  // When each thread of each node has its pages, from the node's now on.
  void Fault(const std::function<std::span<const PageRange>(int node, int thread)>& pages);
  // Runs one(node, thread) for each as long as it returns true: who is first in time goes first.
  void RunInOrder(const std::function<bool(Node&, std::size_t thread)>& one);
  // When `bytes` of a home that were asked for at `now` are there.
  double Transfer(int home, int reader, double now, double bytes);

  const Shape shape_;
  const Machine machine_;
  const HomeOf home_of_;
  const LateStop late_stop_;
  Reserved memory_;  // of all nodes: never touched, as nothing is read from it
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<double> link_out_, link_in_;  // when each is free, by node
};

}  // namespace dsm::sim
