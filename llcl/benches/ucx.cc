// UCX itself, as its users write it: any thread posts and polls, and UCX keeps threads
// apart. llcl serves only to exchange addresses.
#include <benchmark/benchmark.h>
#include <poll.h>
#include <sched.h>
#include <ucp/api/ucp.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "llcl/benches/problems.h"
#include "llcl/launch/launch.h"

namespace {

using vicinity::kMemoryBytes;
using vicinity::kMostBytes;
using vicinity::Op;

void Check(ucs_status_t result, const char* what) {
  if (result == UCS_OK) return;
  std::fprintf(stderr, "llcl_bench_ucx: %s: %s\n", what, ucs_status_string(result));
  std::_Exit(1);
}

// A context of its own for each way to the other rank, and memory there.
struct Network {
  ucp_context_h context = nullptr;
  ucp_worker_h worker = nullptr;
  ucp_ep_h endpoint = nullptr;
  ucp_mem_h target_region = nullptr;
  ucp_rkey_h peer_key = nullptr;
  std::uint64_t peer_start = 0;
  alignas(4096) std::byte local[kMemoryBytes] = {};
};

class Ucx {
 public:
  Ucx(Network& network, int thread)
      : network_(network),
        local_(network.local + thread * kMostBytes),
        there_(network.peer_start + static_cast<std::uint64_t>(thread * kMostBytes)) {
    end_.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    end_.cb.send = &OnEnd;
    end_.user_data = &ended_;
    add_ = end_;
    add_.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    add_.datatype = ucp_dt_make_contig(sizeof one_);
    add_.reply_buffer = local_;
  }

  void Post(Op op, std::int64_t bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    switch (op) {
      case Op::kRead:
        Count(ucp_get_nbx(network_.endpoint, local_, count, there_, network_.peer_key, &end_));
        return;
      case Op::kWrite:
        Count(ucp_put_nbx(network_.endpoint, local_, count, there_, network_.peer_key, &end_));
        must_flush_ = true;
        return;
      case Op::kAdd:
        Count(ucp_atomic_op_nbx(network_.endpoint, UCP_ATOMIC_OP_ADD, &one_, 1, there_,
                                network_.peer_key, &add_));
    }
  }
  void WaitForAll() {
    // A put ends here when its memory may be used again; flushed it has ended there.
    if (must_flush_) Count(ucp_ep_flush_nbx(network_.endpoint, &end_));
    must_flush_ = false;
    while (ended_.load(std::memory_order_acquire) < posted_) {
      ucp_worker_progress(network_.worker);
      if (ended_.load(std::memory_order_acquire) < posted_) sched_yield();
    }
  }

 private:
  static void OnEnd(void* request, ucs_status_t result, void* ended) {
    Check(result, "an operation failed");
    ucp_request_free(request);
    static_cast<std::atomic<std::uint64_t>*>(ended)->fetch_add(1, std::memory_order_release);
  }
  // OnEnd is not called for an operation that has ended at once.
  void Count(ucs_status_ptr_t result) {
    if (UCS_PTR_IS_ERR(result)) Check(UCS_PTR_STATUS(result), "cannot post");
    if (result != nullptr) ++posted_;
  }

  Network& network_;
  std::byte* const local_;
  const std::uint64_t there_;
  const std::uint64_t one_ = 1;
  ucp_request_param_t end_ = {}, add_ = {};
  bool must_flush_ = false;
  std::uint64_t posted_ = 0;
  std::atomic<std::uint64_t> ended_{0};
};

void Open(Network& network, llcl::Launch& launch, const char* transports) {
  ucp_config_t* config = nullptr;
  Check(ucp_config_read(nullptr, nullptr, &config), "configuration");
  Check(ucp_config_modify(config, "TLS", transports), transports);
  ucp_params_t params = {};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_WAKEUP;
  params.mt_workers_shared = 1;
  Check(ucp_init(&params, config, &network.context), "context");
  ucp_config_release(config);

  ucp_worker_params_t threads = {};
  threads.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  threads.thread_mode = UCS_THREAD_MODE_MULTI;
  Check(ucp_worker_create(network.context, &threads, &network.worker), "worker");
  ucp_worker_attr_t worker = {};
  worker.field_mask = UCP_WORKER_ATTR_FIELD_THREAD_MODE | UCP_WORKER_ATTR_FIELD_ADDRESS;
  Check(ucp_worker_query(network.worker, &worker), "worker");
  if (worker.thread_mode != UCS_THREAD_MODE_MULTI) Check(UCS_ERR_UNSUPPORTED, "threads");

  // Allocated by UCX: only such memory can be used directly by the other process.
  ucp_mem_map_params_t memory = {};
  memory.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  memory.length = kMemoryBytes;
  memory.flags = UCP_MEM_MAP_ALLOCATE;
  Check(ucp_mem_map(network.context, &memory, &network.target_region), "memory");
  ucp_mem_attr_t target = {};
  target.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  Check(ucp_mem_query(network.target_region, &target), "memory");
  std::memset(target.address, 0, memory.length);
  void* key = nullptr;
  std::size_t key_bytes = 0;
  Check(ucp_rkey_pack(network.context, network.target_region, &key, &key_bytes), "key");

  const std::uint64_t mine[] = {reinterpret_cast<std::uint64_t>(target.address), key_bytes};
  const auto all = launch.Allgather(
      std::string(reinterpret_cast<const char*>(mine), sizeof mine) +
      std::string(static_cast<const char*>(key), key_bytes) +
      std::string(reinterpret_cast<const char*>(worker.address), worker.address_length));
  if (!all.ok()) std::_Exit(1);
  ucp_rkey_buffer_release(key);
  ucp_worker_release_address(network.worker, worker.address);

  const char* const other = (*all)[ToInt(launch.rank()) == 0 ? 1 : 0].data();
  std::memcpy(&network.peer_start, other, 8);
  std::memcpy(&key_bytes, other + 8, 8);
  ucp_ep_params_t peer = {};
  peer.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  peer.address = reinterpret_cast<const ucp_address_t*>(other + sizeof mine + key_bytes);
  Check(ucp_ep_create(network.worker, &peer, &network.endpoint), "endpoint");
  Check(ucp_ep_rkey_unpack(network.endpoint, other + sizeof mine, &network.peer_key), "key");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok() || (*launch)->size() != 2) {
    std::fprintf(stderr, "the bench is for two ranks: llclrun -n 2 llcl_bench_ucx\n");
    return 2;
  }
  static Network networks[2];
  Open(networks[0], **launch, "shm,self");
  Open(networks[1], **launch, "tcp,self");
  vicinity::Register<Ucx>(networks[0], "ucx", "shared_memory");
  vicinity::Register<Ucx>(networks[1], "ucx", "tcp");
  if (ToInt((*launch)->rank()) == 0) {
    vicinity::RunAll();
    return (*launch)->Allgather("").ok() ? 0 : 1;
  }
  // The other makes progress, as it must, until all is done.
  std::atomic<bool> is_done{false};
  std::thread progress([&] {
    std::array<pollfd, 2> events = {};
    for (std::size_t i = 0; i < events.size(); ++i) {
      Check(ucp_worker_get_efd(networks[i].worker, &events[i].fd), "events");
      events[i].events = POLLIN;
    }
    for (int idle = 0; !is_done; ++idle) {
      bool came = false;
      for (Network& network : networks) came |= ucp_worker_progress(network.worker) != 0;
      if (came) idle = 0;
      if (idle > 50) sched_yield();
      if (idle < 250) continue;
      idle = 0;
      bool may_sleep = true;
      for (Network& network : networks) may_sleep &= ucp_worker_arm(network.worker) == UCS_OK;
      if (may_sleep) (void)poll(events.data(), events.size(), 10);
    }
  });
  const bool met = (*launch)->Allgather("").ok();
  is_done = true;
  progress.join();
  return met ? 0 : 1;
}
