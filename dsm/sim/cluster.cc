#include "dsm/sim/cluster.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "dsm/engine/engine.h"
#include "dsm/engine/page_array.h"

namespace dsm::sim {

// One of them: its copies, with an engine that only takes time, and a source of pages that does.
class Cluster::Node final : private Engine, private PageSource {
 public:
  Node(Cluster& cluster, int number)
      : cluster_(cluster),
        number_(number),
        clocks_(static_cast<std::size_t>(cluster.machine_.threads)),
        reads_(clocks_.size()) {
    const PageCount count(cluster.shape_.pages);
    const PageMemory pages({cluster.memory_.data(), size().BytesOf(count)}, size());
    auto is_mapped = PageArray<bool>::Make(count);
    auto copies = Copies::Make(*this, pages, *this, {.is_read_only = true});
    if (is_mapped.ok() && copies.ok()) {
      is_mapped_ = *std::move(is_mapped);
      copies_ = *std::move(copies);
    }
    if (copies_ == nullptr) {
      std::fprintf(stderr, "dsm: no address space for %d simulated nodes\n", cluster.shape_.nodes);
      std::abort();
    }
  }

  int number() const { return number_; }
  Copies& copies() { return *copies_; }
  std::vector<double>& clocks() { return clocks_; }
  // What a thread has not read yet.
  struct Reads {
    std::span<const PageRange> ranges;
    std::size_t range = 0;
    PageNumber page;
    bool waits = false;  // for a page
  };
  Reads& reads(std::size_t thread) { return reads_[thread]; }
  int RunningThreads() const {
    return static_cast<int>(
        std::count_if(reads_.begin(), reads_.end(), [](const Reads& each) { return !each.waits; }));
  }
  bool IsMapped(PageNumber page) const { return is_mapped_[page]; }
  // Of all threads, since it was last asked for.
  double TakeStopped() { return std::exchange(stopped_, 0); }
  void StopAll(double seconds) {
    stopped_ += seconds;
    for (double& clock : clocks_) clock += seconds;
  }
  Times& times() { return times_; }
  double now() const { return *std::max_element(clocks_.begin(), clocks_.end()); }
  void set_now(double now) { std::fill(clocks_.begin(), clocks_.end(), now); }
  // Whose time passes.
  void Run(std::size_t thread) { running_ = thread; }
  double& clock() { return clocks_[running_]; }

 private:
  EngineKind kind() const override { return EngineKind::kAutomatic; }
  absl::StatusOr<std::unique_ptr<FaultWatch>> Listen(FaultListener&) override {
    return absl::UnimplementedError("nothing faults here: who touches a page says so");
  }
  absl::Status OpenHome(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  absl::Status Close(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  absl::Status OpenCopies(std::uint64_t, std::uint64_t) override { return absl::OkStatus(); }
  bool Install(std::uint64_t offset, std::uint64_t bytes, PageMode) override {
    SetMapped(offset, bytes, true);
    return Spend(cluster_.machine_.map_page, bytes);
  }
  bool AllowWrites(std::uint64_t, std::uint64_t bytes) override {
    return Spend(cluster_.machine_.map_page, bytes);
  }
  bool Protect(std::uint64_t, std::uint64_t bytes) override {
    return Spend(cluster_.machine_.map_page, bytes);
  }
  bool Invalidate(std::uint64_t offset, std::uint64_t bytes) override {
    SetMapped(offset, bytes, false);
    return Spend(cluster_.machine_.drop_page, bytes);
  }
  void SetMapped(std::uint64_t offset, std::uint64_t bytes, bool is_mapped) {
    const PageNumber first = size().PageAt(offset);
    for (const PageNumber page : PageRange{first, first + size().WholePagesIn(bytes)}) {
      is_mapped_[page] = is_mapped;
    }
  }
  bool Spend(double seconds_a_page, std::uint64_t bytes) {
    clock() += seconds_a_page * static_cast<double>(size().WholePagesIn(bytes).value());
    return true;
  }
  PageSize size() const { return PageSize(cluster_.shape_.page_bytes); }

  // Requests of a node leave at once, a piece each; it waits for the last to arrive.
  void Fetch(PageRange pages) override {
    const Machine& machine = cluster_.machine_;
    double there = clock();
    ForEachPart(pages, size().PagesAtOnce(kMostAtOnce), [&](PageRange part) {
      const auto bytes = static_cast<double>(size().BytesOf(part.count()));
      clock() += machine.software;
      const double arrived =
          cluster_.Transfer(cluster_.home_of_(number_, part.first), number_, clock(), bytes);
      there = std::max(there, arrived) + bytes / machine.copy_bytes_per_second;
    });
    clock() = there + machine.software;
  }
  bool TryFetch(PageRange, llcl::Completion) override { return false; }
  PageNumber EndOfRun(PageNumber page) const override { return page + PageCount(1); }
  [[noreturn]] void OnLost(PageRange) override { std::abort(); }
  [[noreturn]] void OnRefused(const char*, PageRange) override { std::abort(); }

  Cluster& cluster_;
  const int number_;
  std::vector<double> clocks_;  // of its threads
  std::vector<Reads> reads_;    // of each
  PageArray<bool> is_mapped_;
  std::size_t running_ = 0;
  double stopped_ = 0;
  Times times_;
  std::unique_ptr<Copies> copies_;
};

namespace {

template <typename Options>
const Options& CheckedOrDie(const Options& options) {
  if (const absl::Status good = Check(options); !good.ok()) {
    std::fprintf(stderr, "dsm: %s\n", std::string(good.message()).c_str());
    std::abort();
  }
  return options;
}

}  // namespace

Cluster::Cluster(const Shape& shape, const Machine& machine, HomeOf home_of, LateStop late_stop)
    : shape_(CheckedOrDie(shape)),
      machine_(CheckedOrDie(machine)),
      home_of_(std::move(home_of)),
      late_stop_(std::move(late_stop)),
      link_out_(static_cast<std::size_t>(shape.nodes)),
      link_in_(static_cast<std::size_t>(shape.nodes)) {
  auto memory = Reserved::Zeros(PageSize(shape.page_bytes).BytesOf(PageCount(shape.pages)));
  if (memory.ok()) memory_ = *std::move(memory);
  for (int node = 0; node < shape.nodes; ++node) {
    nodes_.push_back(std::make_unique<Node>(*this, node));
  }
}
Cluster::~Cluster() = default;

double Cluster::Transfer(int home, int reader, double now, double bytes) {
  double& out = link_out_[static_cast<std::size_t>(home)];
  double& in = link_in_[static_cast<std::size_t>(reader)];
  const double carried = bytes / machine_.link_bytes_per_second;
  // The network between them holds what the reader's link has no time for yet: a home does not
  // wait for readers that are busy.
  const double leaves = std::max(now + machine_.latency, out);
  out = leaves + carried;
  in = std::max(leaves + machine_.latency, in) + carried;
  return in;
}

void Cluster::RunInOrder(const std::function<bool(Node&, std::size_t thread)>& one) {
  using Step = std::tuple<double, int, std::size_t>;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps;
  for (const auto& node : nodes_) {
    for (std::size_t thread = 0; thread < node->clocks().size(); ++thread) {
      steps.emplace(node->clocks()[thread], node->number(), thread);
    }
  }
  while (!steps.empty()) {
    const auto [now, number, thread] = steps.top();
    steps.pop();
    Node& node = *nodes_[static_cast<std::size_t>(number)];
    if (now < node.clocks()[thread]) {  // Others have stopped it.
      steps.emplace(node.clocks()[thread], number, thread);
      continue;
    }
    node.Run(thread);
    if (one(node, thread)) steps.emplace(node.clocks()[thread], number, thread);
  }
}

void Cluster::Compute(const std::function<double(int node)>& seconds) {
  for (const auto& node : nodes_) {
    const double taken = seconds(node->number());
    node->times().compute += taken;
    node->set_now(node->now() + taken);
  }
}

void Cluster::Fault(const std::function<std::span<const PageRange>(int node, int thread)>& pages) {
  for (const auto& node : nodes_) {
    for (int thread = 0; thread < machine_.threads; ++thread) {
      node->reads(static_cast<std::size_t>(thread)) = {pages(node->number(), thread), 0, {}};
    }
  }
  RunInOrder([&](Node& node, std::size_t thread) {
    Node::Reads& reads = node.reads(thread);
    if (reads.waits) {  // It has come.
      const int running = node.RunningThreads();
      const double late = running > 0 && late_stop_ ? late_stop_(node.number()) : 0;
      node.StopAll(machine_.stop_thread * running + late);
      reads.waits = false;
    }
    // Pages that are here cost nothing.
    for (;; ++reads.range, reads.page = {}) {
      if (reads.range == reads.ranges.size()) return false;
      const PageRange range = reads.ranges[reads.range];
      reads.page = std::max(reads.page, range.first);
      while (reads.page < range.last && node.IsMapped(reads.page)) ++reads.page;
      if (reads.page < range.last) break;
    }
    node.clock() += machine_.fault;
    node.copies().OnFault(reads.page, Access::kRead);
    ++reads.page;
    reads.waits = true;
    return true;
  });
}

void Cluster::Touch(const std::function<PageRange(int node, int thread)>& pages) {
  std::vector<double> begun;
  std::vector<PageRange> ranges;  // by node and thread
  for (const auto& node : nodes_) {
    begun.push_back(node->now());
    for (int thread = 0; thread < machine_.threads; ++thread) {
      ranges.push_back(pages(node->number(), thread));
    }
  }
  Fault([&](int node, int thread) {
    return std::span(&ranges[static_cast<std::size_t>(node * machine_.threads + thread)], 1);
  });
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    (void)nodes_[i]->TakeStopped();  // It is in the threads' clocks.
    nodes_[i]->times().fault += nodes_[i]->now() - begun[i];
    nodes_[i]->set_now(nodes_[i]->now());
  }
}

void Cluster::Work(const std::function<std::span<const PageRange>(int node, int thread)>& pages,
                   const std::function<double(int node, std::span<const double> waits)>& seconds) {
  std::vector<double> begun;
  for (const auto& node : nodes_) begun.push_back(node->now());
  Fault(pages);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = *nodes_[i];
    const double stopped = node.TakeStopped();
    std::vector<double> waits;
    for (const double clock : node.clocks()) {
      waits.push_back(std::max(0.0, clock - begun[i] - stopped));
    }
    const double compute = seconds(node.number(), {});
    const bool has_waited = std::any_of(waits.begin(), waits.end(), [](double s) { return s > 0; });
    const double all = stopped + (has_waited ? seconds(node.number(), waits) : compute);
    node.times().compute += compute;
    node.times().fault += all - compute;
    node.set_now(begun[i] + all);
  }
}

void Cluster::Preload(const std::function<PageRange(int node)>& pages) {
  // One thread of each asks for all: pages of one home together.
  std::vector<double> begun;
  std::vector<PageRange> left;
  for (const auto& node : nodes_) {
    begun.push_back(node->now());
    left.push_back(pages(node->number()));
  }
  RunInOrder([&](Node& node, std::size_t thread) {
    if (thread > 0) return false;
    PageRange& rest = left[static_cast<std::size_t>(node.number())];
    if (rest.empty()) return false;
    PageRange of_one = PageRange::Only(rest.first);
    const int home = home_of_(node.number(), rest.first);
    while (of_one.last < rest.last && home_of_(node.number(), of_one.last) == home) ++of_one.last;
    node.copies().Preload(of_one, Access::kRead);
    rest.first = of_one.last;
    return true;
  });
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i]->times().preload += nodes_[i]->now() - begun[i];
    nodes_[i]->set_now(nodes_[i]->now());
  }
}

void Cluster::BarrierThatDrops() {
  int rounds = 0;
  while ((1 << rounds) < shape_.nodes) ++rounds;
  double all = 0;
  for (const auto& node : nodes_) all = std::max(all, node->now());
  all += rounds * (machine_.latency + 2 * machine_.software);
  for (const auto& node : nodes_) {
    const double begun = node->now();
    node->set_now(all);
    node->Run(0);
    (void)node->copies().Drop(node->copies().held().All(), nullptr);  // None is in a fault.
    node->times().barrier += node->now() - begun;
    node->set_now(node->now());
  }
}

void Cluster::Exchange(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  const double one = machine_.latency + 2 * machine_.software +
                     std::max(amount / machine_.link_bytes_per_second,
                              2 * amount / machine_.copy_bytes_per_second);
  std::vector<double> begun;
  for (const auto& node : nodes_) begun.push_back(node->now());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    double ready = begun[i];
    int neighbors = 0;
    for (const std::size_t other : {i - 1, i + 1}) {
      if (other >= nodes_.size()) continue;
      ready = std::max(ready, begun[other]);
      ++neighbors;
    }
    nodes_[i]->set_now(ready + neighbors * one);
    nodes_[i]->times().preload += nodes_[i]->now() - begun[i];
  }
}

const Times& Cluster::times(int node) const {
  return nodes_[static_cast<std::size_t>(node)]->times();
}
CopyCounts Cluster::counts(int node) const {
  return nodes_[static_cast<std::size_t>(node)]->copies().counts();
}

}  // namespace dsm::sim
