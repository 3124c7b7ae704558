#include "apps/stencil/simulated/node.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/predict/machine/work.h"

namespace stencil {
namespace {

constexpr int kSockets = 2, kThreadsOfCore = 2;
constexpr double kDouble = sizeof(double);

// Half of the threads on each socket, on cores of their own as long as there are some.
std::vector<topo::PuId> Place(const topo::Topology& topology, int of_socket, int threads) {
  std::vector<topo::PuId> pus;
  for (int thread = 0; thread < threads; ++thread) {
    const int socket = thread * kSockets / threads;
    const int first = (socket * threads + kSockets - 1) / kSockets;  // of the socket's threads
    const int at = thread - first;
    const int core = socket * of_socket + at % of_socket;
    const int smt = at / of_socket % kThreadsOfCore;
    for (const topo::Pu& pu : topology.pus()) {
      if (pu.core == core && pu.smt == smt) pus.push_back(pu.id);
    }
  }
  return pus;
}

// How often what is `size` long is moved in pieces of `tile`, each with `more` beside it.
double WithEdges(std::uint64_t size, std::uint64_t tile, std::uint64_t more) {
  if (tile >= size) return 1;
  return static_cast<double>(tile + more) / static_cast<double>(tile);
}

}  // namespace

double UpdatesOf(const Problem& problem, std::span<const Box> boxes) {
  double updates = 0;
  for (const Box& box : boxes) {
    updates += static_cast<double>(box.planes.size() * box.rows.size() * problem.nx);
  }
  return updates;
}

absl::StatusOr<Node> Node::Create(const Cores& cores, int points, int threads) {
  const bool is_positive = cores.of_socket > 0 && threads > 0 && cores.cache_bytes > 0 &&
                           cores.adds_per_ns > 0 && cores.socket_bytes_per_ns > 0 &&
                           cores.memory_ns > 0 && cores.lines_in_flight > 0;
  if (!is_positive) return absl::InvalidArgumentError("a node's cores and rates are above 0");
  auto topology = topo::FromSynthetic(
      absl::StrCat("pack:", kSockets, " [numa] core:", cores.of_socket, " pu:", kThreadsOfCore));
  if (!topology.ok()) return topology.status();
  std::vector<topo::PuId> pus = Place(*topology, cores.of_socket, threads);
  // Threads use their own socket's memory only, so what is between them never counts.
  auto machine =
      predict::Machine::Create("a simulated node", *std::move(topology),
                               {.lines_in_flight = cores.lines_in_flight,
                                .memory_latency_ns = {cores.memory_ns, 2 * cores.memory_ns},
                                .handoff_ns = {cores.memory_ns, 2 * cores.memory_ns},
                                .node_gb_per_s = cores.socket_bytes_per_ns,
                                .link_gb_per_s = cores.socket_bytes_per_ns,
                                .smt_gain = 1,
                                .links = {{0, 1}}});
  if (!machine.ok()) return machine.status();
  return Node(cores, points, *std::move(machine), std::move(pus));
}

Traffic Node::TrafficOf(const Problem& problem, std::span<const Box> boxes) const {
  const double updates = UpdatesOf(problem, boxes);
  if (updates == 0) return {};
  const auto steps = static_cast<int>(boxes.size());
  // All that some step computes.
  Slab planes = {problem.nz, 0}, rows = {problem.ny, 0};
  for (const Box& box : boxes) {
    if (box.planes.size() == 0 || box.rows.size() == 0) continue;
    planes = {std::min(planes.first, box.planes.first), std::max(planes.last, box.planes.last)};
    rows = {std::min(rows.first, box.rows.first), std::max(rows.last, box.rows.last)};
  }
  const double points = static_cast<double>(planes.size() * rows.size() * problem.nx);
  Tile tile = TileOf(problem, steps);
  // What a tile reads of others: a row and a column around it, and as far as it moves.
  const auto beside = static_cast<std::uint64_t>(steps) + 1;
  const double edges =
      WithEdges(rows.size(), tile.rows, beside) * WithEdges(problem.nx, tile.columns, beside);
  // Read where the block begins, written where it ends; a line is read before it is written. Of
  // several steps the planes between are read and written once more, two for each.
  Traffic in_cache = {.read_bytes = points * kDouble * (edges + 1),
                      .written_bytes = points * kDouble};
  if (steps > 1) {
    in_cache.read_bytes += 2 * points * kDouble * edges;
    in_cache.written_bytes += 2 * points * kDouble * edges;
  }
  // As large a part of the tiles as has no room is read again: three planes for each step.
  tile.rows = std::min(tile.rows, rows.size());
  const double part = cores_.cache_bytes * kSockets / std::max(kSockets, threads());
  const double lost = std::max(0.0, 1 - part / static_cast<double>(tile.Bytes(steps)));
  return {.read_bytes = (1 - lost) * in_cache.read_bytes + lost * updates * kDouble * (3 + 1),
          .written_bytes = (1 - lost) * in_cache.written_bytes + lost * updates * kDouble};
}

double Node::Seconds(std::span<const ThreadWork> threads, std::span<const double> waits) {
  std::vector<double> key;
  for (const ThreadWork& thread : threads) {
    key.insert(key.end(), {thread.updates, thread.read_bytes, thread.written_bytes});
  }
  if (waits.empty()) {
    if (const auto known = computed_.find(key); known != computed_.end()) return known->second;
  }
  const double adds = points_ - 1;  // the multiplications have units of their own
  std::vector<predict::Work> works;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const ThreadWork& thread = threads[i];
    const double lines = thread.read_bytes / predict::kLineBytes;
    const topo::Pu& pu = *machine_.topology().Find(pus_[i]);
    const double waited_ns = waits.empty() ? 0 : waits[i] * 1e9;
    works.push_back({.pu = pu.id,
                     .compute_ns = thread.updates * adds / cores_.adds_per_ns,
                     .waiting_ns = waited_ns + lines * cores_.memory_ns / cores_.lines_in_flight,
                     .memory = {{.node = machine_.topology().Home(pu),
                                 .streamed_lines = lines,
                                 .written_lines = thread.written_bytes / predict::kLineBytes}}});
  }
  const double seconds = predict::DurationNs(machine_, works) * 1e-9;
  if (waits.empty()) computed_.emplace(std::move(key), seconds);
  return seconds;
}

}  // namespace stencil
