#include "llcl/ofi/fabric.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "llcl/ofi/signals.h"

namespace llcl {
namespace {

constexpr std::uint32_t kVersion = FI_VERSION(1, 17);

// Why a provider cannot be used, where that is known beforehand.
absl::Status CheckProvider(const std::string& provider) {
  if (provider == "sockets") {
    return absl::InvalidArgumentError(
        "libfabric's provider sockets is not used: an operation takes it milliseconds; use "
        "tcp;ofi_rxm");
  }
  if (provider == "net" || provider.starts_with("udp")) {
    return absl::InvalidArgumentError("libfabric's provider " + provider +
                                      " is not used: it lacks atomics or is not reliable; use "
                                      "tcp;ofi_rxm");
  }
  return absl::OkStatus();
}

// By libfabric's variables, which it reads once, at its first call.
void SetUpVerbs() {
  constexpr std::array<std::pair<const char*, const char*>, 3> kVariables = {{
      // Renew is of no use without it.
      {"FI_AV_REMOVE_CLEANUP", "1"},
      // A cache hands out a key twice, which ofi_rxm refuses, and keeps it after its region is
      // gone.
      {"FI_MR_CACHE_MAX_COUNT", "0"},
      // Else ofi_rxm of 1.17 gives the buffer of a message that comes in while a connection is
      // closed to the endpoint that it has just freed. tcp has it anyway.
      {"FI_OFI_RXM_USE_SRX", "1"},
  }};
  for (const auto& [name, value] : kVariables) setenv(name, value, 0);
}

// The best of what was found for the domain of that number, counted round. libfabric
// names each domain several times, the best first.
const fi_info* DomainOf(const fi_info* found, int number) {
  std::vector<const fi_info*> domains;
  for (const fi_info* one = found; one != nullptr; one = one->next) {
    const bool is_known = std::any_of(domains.begin(), domains.end(), [&](const fi_info* known) {
      return std::strcmp(known->domain_attr->name, one->domain_attr->name) == 0;
    });
    if (!is_known) domains.push_back(one);
  }
  return domains[static_cast<std::size_t>(number) % domains.size()];
}

// What has all that llcl needs, the best first; freed by the caller. Returns 0, or libfabric's
// error.
int Find(const std::string& provider, const std::string& node, fi_info** found) {
  if (provider.starts_with("verbs")) SetUpVerbs();
  const KeptSignals kept;
  fi_info* const hints = fi_allocinfo();
  if (hints == nullptr) return -FI_ENOMEM;
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = FI_MSG | FI_RMA | FI_ATOMIC;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  const int result = fi_getinfo(kVersion, node.empty() ? nullptr : node.c_str(), nullptr,
                                node.empty() ? 0 : FI_SOURCE, hints, found);
  fi_freeinfo(hints);
  return result;
}

}  // namespace

absl::Status OfiStatus(std::int64_t result, const std::string& what) {
  if (result >= 0) return absl::OkStatus();
  return absl::UnavailableError("cannot " + what + ": " + fi_strerror(static_cast<int>(-result)));
}

absl::StatusOr<std::unique_ptr<OfiFabric>> OfiFabric::Open(const std::string& provider,
                                                           const std::string& node, int number) {
  if (const absl::Status good = CheckProvider(provider); !good.ok()) return good;
  std::unique_ptr<OfiFabric> fabric(new OfiFabric);
  fi_info* info = nullptr;
  const int found = Find(provider, node, &info);
  const std::unique_ptr<fi_info, FreeInfo> all(info);
  if (found != 0) {
    return OfiStatus(found,
                     "find libfabric's provider " + provider + (node.empty() ? "" : " at " + node));
  }
  fabric->info_.reset(fi_dupinfo(DomainOf(info, number)));
  if (fabric->info_ == nullptr) return absl::ResourceExhaustedError("no memory for libfabric");
  if (const absl::Status opened = fabric->OpenAll(); !opened.ok()) return opened;
  return fabric;
}

bool OfiFabric::Finds(const std::string& provider) {
  fi_info* info = nullptr;
  const bool is_found = Find(provider, "", &info) == 0;
  fi_freeinfo(info);
  return is_found;
}
absl::StatusOr<std::unique_ptr<OfiFabric>> OfiFabric::OpenFirst(const std::string& provider,
                                                                const std::string& node,
                                                                const std::string& found,
                                                                int number) {
  std::vector<std::string> providers(kWithRdma.begin(), kWithRdma.end());
  providers.push_back("tcp;ofi_rxm");
  if (!provider.empty()) providers = {provider};
  absl::Status failure;
  for (const std::string& one : providers) {
    std::string at = node;
    if (at.empty() && one.starts_with("tcp")) at = found;
    auto fabric = Open(one, at, number);
    if (fabric.ok()) return fabric;
    failure = fabric.status();
  }
  return failure;
}

absl::Status OfiFabric::OpenAll() {
  const std::string of = " of " + provider();
  absl::Status status =
      OfiStatus(fi_fabric(info_->fabric_attr, fabric_.place(), nullptr), "open the fabric" + of);
  if (!status.ok()) return status;
  status = OfiStatus(fi_domain(fabric_.get(), info_.get(), domain_.place(), nullptr),
                     "open a domain" + of);
  if (!status.ok()) return status;
  fi_av_attr addresses = {};
  addresses.type = FI_AV_TABLE;
  status = OfiStatus(fi_av_open(domain_.get(), &addresses, addresses_.place(), nullptr),
                     "open the addresses" + of);
  if (!status.ok()) return status;

  fi_cq_attr queue = {};
  queue.size = std::max<std::size_t>(4096, info_->tx_attr->size + info_->rx_attr->size);
  queue.format = FI_CQ_FORMAT_MSG;
  queue.wait_obj = FI_WAIT_FD;
  int result = fi_cq_open(domain_.get(), &queue, completions_.place(), nullptr);
  if (result == 0) {
    if (fi_control(&completions_->fid, FI_GETWAIT, &wait_descriptor_) != 0) wait_descriptor_ = -1;
  } else {
    // Some providers have nothing to sleep on.
    queue.wait_obj = FI_WAIT_NONE;
    result = fi_cq_open(domain_.get(), &queue, completions_.place(), nullptr);
  }
  status = OfiStatus(result, "open a completion queue" + of);
  if (!status.ok()) return status;

  status = OpenEndpoint(messages_, *addresses_.get());
  // With FI_MR_ENDPOINT memory belongs to one endpoint, which must then do everything.
  const bool makes_connections = provider().find("ofi_rxm") != std::string::npos;
  if (!status.ok() || !makes_connections || has_mode(FI_MR_ENDPOINT)) return status;
  if (!keeps_broken_connections()) return OpenEndpoint(transfers_, *addresses_.get());
  status = OfiStatus(fi_av_open(domain_.get(), &addresses, transfer_addresses_.place(), nullptr),
                     "open the addresses" + of);
  if (!status.ok()) return status;
  return OpenEndpoint(transfers_, *transfer_addresses_.get());
}

absl::Status OfiFabric::OpenEndpoint(Opened<fid_ep>& endpoint, fid_av& addresses) {
  int result = fi_endpoint(domain_.get(), info_.get(), endpoint.place(), nullptr);
  if (result == 0) result = fi_ep_bind(endpoint.get(), &addresses.fid, 0);
  if (result == 0) {
    result = fi_ep_bind(endpoint.get(), &completions_->fid, FI_TRANSMIT | FI_RECV);
  }
  if (result == 0) result = fi_enable(endpoint.get());
  std::string what = "open an endpoint of " + provider();
  // ofi_rxm makes a queue for so many ranks, and does not say that the device has none so long.
  if (result == -FI_EINVAL && keeps_broken_connections()) {
    what += " (perhaps FI_UNIVERSE_SIZE, 1024 if not set, is more ranks than " +
            std::string(info_->domain_attr->name) + " has queues for)";
  }
  return OfiStatus(result, what);
}

bool OfiFabric::cannot_end_reads() const {
  return provider().starts_with("tcp;ofi_rxm") && FI_VERSION_LT(fi_version(), FI_VERSION(1, 18));
}

void OfiFabric::CloseEndpoints(bool is_reading) {
  const topo::Lock lock(mutex_);
  if (is_reading && cannot_end_reads()) {
    transfers_.Leave();
    messages_.Leave();
    return;
  }
  { const Opened<fid_ep> transfers = std::move(transfers_); }
  { const Opened<fid_ep> messages = std::move(messages_); }
}

absl::StatusOr<std::string> OfiFabric::NameOf(fid_ep* endpoint) {
  const topo::Lock lock(mutex_);
  std::string name(256, '\0');
  std::size_t bytes = name.size();
  int result = fi_getname(&endpoint->fid, name.data(), &bytes);
  if (result == -FI_ETOOSMALL) {
    name.resize(bytes);
    result = fi_getname(&endpoint->fid, name.data(), &bytes);
  }
  if (result != 0) return OfiStatus(result, "name an endpoint of " + provider());
  name.resize(bytes);
  return name;
}

absl::StatusOr<fi_addr_t> OfiFabric::AddressOf(const std::string& name) {
  const topo::Lock lock(mutex_);
  return Insert(*addresses_.get(), name.data());
}

absl::StatusOr<fi_addr_t> OfiFabric::TransferAddressOf(const std::string& name) {
  const topo::Lock lock(mutex_);
  return Insert(*transfer_addresses_.get(), name.data());
}

absl::StatusOr<fi_addr_t> OfiFabric::Insert(fid_av& addresses, const void* name) {
  fi_addr_t address = FI_ADDR_UNSPEC;
  if (fi_av_insert(&addresses, name, 1, &address, 0, nullptr) == 1) return address;
  return absl::UnavailableError("cannot use the address of another rank with " + provider());
}

absl::StatusOr<fi_addr_t> OfiFabric::Renew(fi_addr_t address) {
  std::array<std::byte, 256> name;
  std::size_t bytes = name.size();
  int result = fi_av_lookup(transfer_addresses_.get(), address, name.data(), &bytes);
  if (result == 0) result = fi_av_remove(transfer_addresses_.get(), &address, 1, 0);
  if (result != 0) return OfiStatus(result, "connect to another rank again with " + provider());
  return Insert(*transfer_addresses_.get(), name.data());
}

absl::StatusOr<Opened<fid_mr>> OfiFabric::Register(std::span<std::byte> memory,
                                                   std::uint64_t access, std::uint64_t key) {
  const topo::Lock lock(mutex_);
  Opened<fid_mr> region;
  fid_mr* made = nullptr;  // ofi_rxm leaves it set where it has failed
  int result =
      fi_mr_reg(domain_.get(), memory.data(), memory.size(), access, 0, key, 0, &made, nullptr);
  if (result == 0) *region.place() = made;
  if (result == 0 && has_mode(FI_MR_ENDPOINT)) {
    result = fi_mr_bind(region.get(), &messages_->fid, 0);
    if (result == 0) result = fi_mr_enable(region.get());
  }
  if (result != 0) {
    return OfiStatus(result,
                     "register " + std::to_string(memory.size()) + " bytes with " + provider());
  }
  return region;
}

}  // namespace llcl
