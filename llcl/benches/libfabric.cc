// libfabric itself, as its users write it: any thread posts and polls, and libfabric
// keeps threads apart. llcl serves only to exchange addresses.
#include <benchmark/benchmark.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <sched.h>

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

void Check(std::int64_t result, const char* what) {
  if (result >= 0) return;
  std::fprintf(stderr, "llcl_bench_libfabric: %s: %s\n", what,
               fi_strerror(static_cast<int>(-result)));
  std::_Exit(1);
}

struct Network {
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_av* addresses = nullptr;
  fid_cq* completions = nullptr;
  fid_ep* endpoint = nullptr;
  fid_mr *target_region = nullptr, *local_region = nullptr;
  alignas(4096) std::byte target[kMemoryBytes] = {};
  alignas(4096) std::byte local[kMemoryBytes] = {};
  fi_addr_t peer = FI_ADDR_UNSPEC;
  std::uint64_t peer_key = 0, peer_start = 0;

  // Whose operation has ended.
  struct Context {
    fi_context2 provider;
    std::atomic<std::uint64_t>* ended;
  };
  void Poll() {
    fi_cq_entry entries[16];
    const ssize_t count = fi_cq_read(completions, entries, 16);
    if (count == -FI_EAVAIL) Check(count, "an operation failed");
    for (ssize_t i = 0; i < count; ++i) {
      static_cast<Context*>(entries[i].op_context)->ended->fetch_add(1, std::memory_order_release);
    }
  }
};

class Libfabric {
 public:
  Libfabric(Network& network, int thread)
      : network_(network),
        local_(network.local + thread * kMostBytes),
        there_(network.peer_start + static_cast<std::uint64_t>(thread * kMostBytes)) {
    for (Network::Context& context : contexts_) context.ended = &ended_;
  }

  void Post(Op op, std::int64_t bytes) {
    Network::Context* const context = &contexts_[posted_ % contexts_.size()];
    ssize_t result;
    while ((result = TryPost(op, static_cast<std::size_t>(bytes), context)) == -FI_EAGAIN) {
      network_.Poll();
    }
    Check(result, "cannot post");
    ++posted_;
  }
  void WaitForAll() {
    while (ended_.load(std::memory_order_acquire) < posted_) {
      network_.Poll();
      if (ended_.load(std::memory_order_acquire) < posted_) sched_yield();
    }
  }

 private:
  ssize_t TryPost(Op op, std::size_t bytes, Network::Context* context) {
    void* const descriptor = fi_mr_desc(network_.local_region);
    switch (op) {
      case Op::kRead:
        return fi_read(network_.endpoint, local_, bytes, descriptor, network_.peer, there_,
                       network_.peer_key, context);
      case Op::kWrite:
        return fi_write(network_.endpoint, local_, bytes, descriptor, network_.peer, there_,
                        network_.peer_key, context);
      case Op::kAdd:
        break;
    }
    return fi_fetch_atomic(network_.endpoint, local_, 1, descriptor, local_ + 8, descriptor,
                           network_.peer, there_, network_.peer_key, FI_UINT64, FI_SUM, context);
  }

  Network& network_;
  std::byte* const local_;
  const std::uint64_t there_;
  std::uint64_t posted_ = 0;
  std::atomic<std::uint64_t> ended_{0};
  std::array<Network::Context, 2 * vicinity::kWindow> contexts_;
};

void Open(Network& network, llcl::Launch& launch) {
  fi_info* const hints = fi_allocinfo();
  hints->caps = FI_MSG | FI_RMA | FI_ATOMIC;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
  hints->fabric_attr->prov_name = strdup("tcp;ofi_rxm");
  fi_info* info = nullptr;
  Check(fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", nullptr, FI_SOURCE, hints, &info), "no tcp");
  fi_freeinfo(hints);
  Check(fi_fabric(info->fabric_attr, &network.fabric, nullptr), "fabric");
  Check(fi_domain(network.fabric, info, &network.domain, nullptr), "domain");
  fi_av_attr addresses = {};
  addresses.type = FI_AV_TABLE;
  Check(fi_av_open(network.domain, &addresses, &network.addresses, nullptr), "addresses");
  fi_cq_attr completions = {};
  completions.format = FI_CQ_FORMAT_CONTEXT;
  completions.wait_obj = FI_WAIT_FD;
  completions.size = 4096;
  Check(fi_cq_open(network.domain, &completions, &network.completions, nullptr), "completions");
  Check(fi_endpoint(network.domain, info, &network.endpoint, nullptr), "endpoint");
  Check(fi_ep_bind(network.endpoint, &network.addresses->fid, 0), "bind addresses");
  Check(fi_ep_bind(network.endpoint, &network.completions->fid, FI_TRANSMIT | FI_RECV), "bind");
  Check(fi_enable(network.endpoint), "enable");
  Check(fi_mr_reg(network.domain, network.target, sizeof network.target,
                  FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 1, 0, &network.target_region, nullptr),
        "register");
  Check(fi_mr_reg(network.domain, network.local, sizeof network.local, FI_READ | FI_WRITE, 0, 2, 0,
                  &network.local_region, nullptr),
        "register");

  char name[256];
  std::size_t bytes = sizeof name;
  Check(fi_getname(&network.endpoint->fid, name, &bytes), "name");
  const bool is_virtual = (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const std::uint64_t mine[] = {fi_mr_key(network.target_region),
                                is_virtual ? reinterpret_cast<std::uint64_t>(network.target) : 0};
  const auto all = launch.Allgather(std::string(reinterpret_cast<const char*>(mine), sizeof mine) +
                                    std::string(name, bytes));
  if (!all.ok()) std::_Exit(1);
  const std::string& other = (*all)[ToInt(launch.rank()) == 0 ? 1 : 0];
  std::memcpy(&network.peer_key, other.data(), 8);
  std::memcpy(&network.peer_start, other.data() + 8, 8);
  Check(fi_av_insert(network.addresses, other.data() + 16, 1, &network.peer, 0, nullptr), "insert");
  fi_freeinfo(info);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok() || (*launch)->size() != 2) {
    std::fprintf(stderr, "the bench is for two ranks: llclrun -n 2 llcl_bench_libfabric\n");
    return 2;
  }
  static Network network;
  Open(network, **launch);
  vicinity::Register<Libfabric>(network, "libfabric", "tcp");
  if (ToInt((*launch)->rank()) == 0) {
    vicinity::RunAll();
    return (*launch)->Allgather("").ok() ? 0 : 1;
  }
  // The other makes progress, as it must, until all is done.
  std::atomic<bool> is_done{false};
  std::thread progress([&] {
    for (int idle = 0; !is_done; ++idle) {
      fi_cq_entry entry;
      if (idle < 250) {
        (void)fi_cq_read(network.completions, &entry, 1);
        if (idle > 50) sched_yield();
      } else {
        (void)fi_cq_sread(network.completions, &entry, 1, nullptr, 10);
        idle = 0;
      }
    }
  });
  const bool met = (*launch)->Allgather("").ok();
  is_done = true;
  progress.join();
  return met ? 0 : 1;
}
