#include "topo/ulibc.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "topo/topo.h"

// Defined where the program links an OpenMP runtime, null elsewhere.
extern "C" int omp_get_max_threads() __attribute__((weak));

namespace {

using topo::NodeId;
using topo::Policy;
using topo::PuId;

// The mask of the process before main: what clear_affinity gives back.
const topo::PuSet* const start_mask = [] {
  auto mask = topo::ProcessMask();
  return mask.ok() ? new topo::PuSet(*std::move(mask)) : nullptr;
}();

thread_local std::string last_error;

int Fail(int code, std::string sentence) {
  last_error = std::move(sentence);
  errno = code;
  return -1;
}

int Fail(const absl::Status& status) {
  const int code = absl::IsResourceExhausted(status)    ? ENOMEM
                   : absl::IsPermissionDenied(status)   ? EPERM
                   : absl::IsFailedPrecondition(status) ? ENOTSUP
                                                        : EINVAL;
  return Fail(code, std::string(status.message()));
}

// There is no table to answer from, and most of the paper's functions cannot report
// that.
[[noreturn]] void Die(const std::string& sentence) {
  std::fprintf(stderr, "ulibc: %s\n", sentence.c_str());
  std::exit(2);
}

// The one table that the paper's functions share.
class Table {
 public:
  static Table& Get() {
    static Table* table = new Table;  // never destroyed: threads may still ask
    return *table;
  }

  const topo::Topology& topology() const { return topology_; }
  const topo::Mapping& mapping() const { return *mapping_; }

  void Choose(Policy policy) {
    threads_ = omp_get_max_threads != nullptr ? omp_get_max_threads() : topology_.default_threads();
    const topo::PlanOptions options{.oversubscribe = topo::PlanOptions::Oversubscribe::kAllow};
    auto mapping = topo::Plan(topology_, policy, threads_, options);
    auto all = topo::Plan(topology_, policy, topology_.allowed_pus(), options);
    if (!mapping.ok()) Die(std::string(mapping.status().message()));
    if (!all.ok()) Die(std::string(all.status().message()));
    mapping_ = std::make_unique<topo::Mapping>(*std::move(mapping));
    round_ = std::make_unique<topo::Mapping>(*std::move(all));
  }

  // The row of any thread ID. Tables are prefix-stable, so a thread beyond the
  // planned ones has the row that a larger table would give it.
  topo::Slot Row(int thread) const {
    if (thread < mapping_->size()) return (*mapping_)[thread];
    topo::Slot slot = (*round_)[thread % round_->size()];
    slot.ordinal += thread / round_->size() * round_->threads_on(round_->node_index(slot));
    slot.thread = thread;
    return slot;
  }

  // Dense node ID of the paper.
  int DenseNode(const topo::Slot& slot) const { return round_->node_index(slot); }

  // The memory node of a dense node ID, kAnyNode if it has no threads.
  NodeId MemoryOf(int dense) const {
    for (const topo::Slot& slot : mapping_->slots()) {
      if (mapping_->node_index(slot) == dense) return slot.memory;
    }
    return topo::kAnyNode;
  }

  void Remember(void* block, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    blocks_[block] = bytes;
  }
  // The size of a block, which is then forgotten; 0 for one that is not ours.
  std::size_t Forget(void* block) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return 0;
    const std::size_t bytes = found->second;
    blocks_.erase(found);
    return bytes;
  }

 private:
  Table() : topology_(Load()) {
    const char* name = std::getenv("TOPO_POLICY");
    const auto policy = topo::ParsePolicy(name != nullptr ? name : "scatter");
    if (!policy.ok() || *policy == Policy::kNone) {
      Die(std::string("TOPO_POLICY is '") + name + "': expected scatter, compact or compact+");
    }
    Choose(*policy);
  }

  static topo::Topology Load() {
    const char* name = std::getenv("TOPO_TOPOLOGY");
    auto topology = topo::FromFlag(name != nullptr ? name : "");
    if (!topology.ok()) {
      Die((name != nullptr ? "TOPO_TOPOLOGY: " : "") + std::string(topology.status().message()));
    }
    return *std::move(topology);
  }

  const topo::Topology topology_;
  int threads_ = 0;
  std::unique_ptr<topo::Mapping> mapping_;  // of the threads that OpenMP will start
  std::unique_ptr<topo::Mapping> round_;    // of one thread a PU
  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> blocks_;  // guarded by mutex_
};

int OfThread(int thread, int (*field)(const Table&, const topo::Slot&)) {
  if (thread < 0) {
    return Fail(EINVAL, "thread ID " + std::to_string(thread) + " is negative");
  }
  const Table& table = Table::Get();
  return field(table, table.Row(thread));
}

}  // namespace

int set_affinity_policy(int policy) {
  switch (policy) {
    case SCATTER:
      Table::Get().Choose(Policy::kScatter);
      return 0;
    case COMPACT:
      Table::Get().Choose(Policy::kCompact);
      return 0;
    case COMPACT_PLUS:
      Table::Get().Choose(Policy::kCompactPlus);
      return 0;
  }
  return Fail(EINVAL,
              "policy " + std::to_string(policy) + " is none of SCATTER, COMPACT and COMPACT_PLUS");
}

int get_online_numa_nodes(void) { return static_cast<int>(Table::Get().mapping().nodes().size()); }

int get_online_numa_cores(int node_id) {
  if (node_id < 0 || node_id >= get_online_numa_nodes()) {
    return Fail(EINVAL, "node ID " + std::to_string(node_id) + " has no threads: there are " +
                            std::to_string(get_online_numa_nodes()) + " nodes in use");
  }
  return Table::Get().mapping().threads_on(node_id);
}

int get_numa_online_cores(int node_id) { return get_online_numa_cores(node_id); }

int get_numa_procid(int thread_id) {
  return OfThread(thread_id, [](const Table&, const topo::Slot& s) { return ToInt(s.pu); });
}
int get_numa_nodeid(int thread_id) {
  return OfThread(thread_id, [](const Table& t, const topo::Slot& s) { return t.DenseNode(s); });
}
int get_numa_coreid(int thread_id) {
  return OfThread(thread_id, [](const Table&, const topo::Slot& s) { return s.core; });
}
int get_numa_smtid(int thread_id) {
  return OfThread(thread_id, [](const Table&, const topo::Slot& s) { return s.smt; });
}
int get_numa_ordcoreid(int thread_id) {
  return OfThread(thread_id, [](const Table&, const topo::Slot& s) { return s.ordinal; });
}

void* lmalloc(size_t sz, int node_id) {
  Table& table = Table::Get();
  if (get_online_numa_cores(node_id) < 0) return nullptr;
  const topo::Placement placement = table.topology().this_machine()
                                        ? topo::Placement::OnNode(table.MemoryOf(node_id))
                                        : topo::Placement::FirstTouch();
  auto memory = topo::Memory::Allocate(table.topology(), sz, placement);
  if (!memory.ok()) {
    Fail(memory.status());
    return nullptr;
  }
  void* block = memory->Release();
  table.Remember(block, sz);
  return block;
}

void lfree(void* memory) {
  if (memory == nullptr) return;
  const std::size_t bytes = Table::Get().Forget(memory);
  if (bytes == 0) {
    std::fprintf(stderr, "ulibc: lfree(%p): not a block that lmalloc gave\n", memory);
    std::abort();
  }
  topo::Memory::Free(static_cast<std::byte*>(memory), bytes);
}

int set_affinity(int processor_id) {
  const topo::Topology& topology = Table::Get().topology();
  if (topology.Find(PuId{processor_id}) == nullptr) {
    return Fail(EINVAL, "processor ID " + std::to_string(processor_id) + " does not exist on " +
                            topology.source());
  }
  if (!topology.this_machine()) {
    return Fail(ENOTSUP, "cannot bind a thread on the rehearsed machine " + topology.source());
  }
  const absl::Status status = topo::SetAffinityMask(0, topo::PuSet({PuId{processor_id}}));
  return status.ok() ? 0 : Fail(status);
}

void clear_affinity(void) {
  if (start_mask != nullptr) topo::SetAffinityMask(0, *start_mask).IgnoreError();
}

const char* ulibc_error(void) { return last_error.c_str(); }
