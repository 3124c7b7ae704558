#include "apps/bfs/fast/frontier.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"

namespace bfs {

using graph::Vertex;

namespace {

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

}  // namespace

Frontier::Place::Place(Frontier& frontier, const topo::Slot& slot)
    : index(frontier.mapping_->node_index(slot)),
      node(*frontier.nodes_[static_cast<std::size_t>(index)]),
      number(static_cast<std::size_t>(slot.thread)),
      queue(frontier.queues_[number]),
      ordinal(slot.ordinal),
      threads(frontier.mapping_->threads_on(index)),
      own_words(topo::Split(node.words, threads, ordinal)),
      all_words(topo::Split(Signed(frontier.graph_->words()), threads, ordinal)) {}

absl::StatusOr<Frontier> Frontier::Allocate(const topo::Topology& topology,
                                            const topo::Mapping& mapping, const HubGraph& graph) {
  Frontier frontier(mapping, graph);
  std::vector<std::size_t> own, all(mapping.nodes().size(), graph.words());
  for (int node = 0; node < graph.nodes(); ++node) own.push_back(graph.words_of(node));
  const auto make = [&](topo::NodeArrays<std::uint64_t>& arrays,
                        const std::vector<std::size_t>& words) {
    auto made = topo::NodeArrays<std::uint64_t>::AllocateSized(topology, mapping, words);
    if (made.ok()) arrays = *std::move(made);
    return made.status();
  };
  absl::Status status = make(frontier.unreached_, own);
  status.Update(make(frontier.next_, own));
  status.Update(make(frontier.frontiers_, all));
  if (!status.ok()) return status;
  for (int i = 0; i < graph.nodes(); ++i) {
    frontier.nodes_.push_back(std::make_unique<NodeSets>());
    NodeSets& node = *frontier.nodes_.back();
    node.forward = graph.forward(i);
    node.backward = graph.backward(i);
    node.first = graph.first_neighbors(i);
    if (graph.is_directed()) node.out_degrees = graph.out_degrees(i);
    node.words = Signed(graph.words_of(i));
    node.unreached = frontier.unreached_[i].data();
    node.next = frontier.next_[i].data();
    node.frontier = frontier.frontiers_[i].data();
    node.taken_of_queue = std::vector<Taken>(frontier.queues_.size());
  }
  return frontier;
}

void Frontier::Clear(const Place& place) {
  for (std::int64_t word = place.own_words.begin; word < place.own_words.end; ++word) {
    const std::uint64_t first =
        graph_->rank_at(place.index, static_cast<std::uint64_t>(word) * kWordBits);
    place.node.unreached[word] = LowBits(graph_->core() - first);
  }
}

void Frontier::WordsFromQueues(const Place& place) {
  const auto [begin, end] = place.all_words;
  std::fill(place.node.frontier + begin, place.node.frontier + end, 0);
  for (const Queue& queue : queues_) SetBits(queue.now, place.node.frontier, begin, end);
}

// Remote memory is read, and local memory written.
void Frontier::WordsFromFound(const Place& place) {
  const auto [begin, end] = place.all_words;
  if (graph_->nodes() == 1) {
    std::copy(place.node.next + begin, place.node.next + end, place.node.frontier + begin);
    return;
  }
  for (std::int64_t word = begin; word < end; ++word) {
    place.node.frontier[word] =
        nodes_[static_cast<std::size_t>(word % graph_->nodes())]->next[word / graph_->nodes()];
  }
}

std::int64_t Frontier::QueueFromFound(const Place& place) {
  std::int64_t edges = 0;
  for (std::int64_t word = place.own_words.begin; word < place.own_words.end; ++word) {
    const std::uint64_t first = static_cast<std::uint64_t>(word) * kWordBits;
    const Vertex rank = graph_->rank_at(place.index, first);
    ForEachBit(place.node.next[word], [&](unsigned i) { place.queue.now.push_back(rank + i); });
    ForEachBit(place.node.unreached[word],
               [&](unsigned i) { edges += Signed(place.node.backward.size(first + i)); });
  }
  return edges;
}

void Frontier::Advance() {
  for (Queue& queue : queues_) {
    std::swap(queue.now, queue.next);
    queue.next.clear();
  }
}

void Frontier::ForgetTaken() {
  for (auto& node : nodes_) {
    node->taken_words.count.store(0, std::memory_order_relaxed);
    for (Taken& taken : node->taken_of_queue) taken.count.store(0, std::memory_order_relaxed);
  }
}

}  // namespace bfs
