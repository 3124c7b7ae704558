// The objects of libfabric that a rank opens: a provider's domain, its endpoints, their
// completion queue and the addresses of the others.
//
// Providers that make connections (those layered with ofi_rxm) take one down when a
// read or write names memory that its owner no longer has, and with it all other
// operations on their way. So there reads and writes have an endpoint of their own:
// they can be done again, while messages and atomics cannot.
//
// Where verbs is below, such a connection stays, in error: so the rank that uses it makes it
// anew. It is that rank's alone: reads and writes go from its endpoint of transfers to the other's
// of messages, and not by the connection by which the other's transfers come in.
//
// Threads: libfabric is opened with FI_THREAD_DOMAIN, so its callers hold mutex(); the
//   members here that call it take the mutex themselves, Renew excepted. Opening verbs sets
//   variables of libfabric's in the environment: no other thread reads the environment meanwhile.
// Errors: name the call of libfabric's, and its error.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "topo/mutex.h"

namespace llcl {

// An object that libfabric opened; closed at the end. A resource.
template <typename T>
class Opened {
 public:
  Opened() = default;
  Opened(Opened&& other) noexcept : what_(std::exchange(other.what_, nullptr)) {}
  Opened& operator=(Opened&& other) noexcept {
    std::swap(what_, other.what_);
    return *this;
  }
  ~Opened() {
    if (what_ != nullptr) fi_close(&what_->fid);
  }
  void Leave() { what_ = nullptr; }  // it stays open
  T* get() const { return what_; }
  T* operator->() const { return what_; }
  T** place() { return &what_; }  // for the call that opens it

 private:
  T* what_ = nullptr;
};

// Ok for 0; else Unavailable: "cannot <what>: <libfabric's text>".
absl::Status OfiStatus(std::int64_t result, const std::string& what);

// A resource.
class OfiFabric {
 public:
  // `provider`: libfabric's name for it. `node`: the address to bind to; empty: it chooses.
  // `number`: of the domain, modulo how many it has.
  // Errors also: InvalidArgument for a provider that cannot do what llcl needs.
  static absl::StatusOr<std::unique_ptr<OfiFabric>> Open(const std::string& provider,
                                                         const std::string& node, int number = 0);

  // Is there such a provider?
  static bool Finds(const std::string& provider);

  // Those that are asked for first.
  static constexpr std::array<const char*, 3> kWithRdma = {"verbs;ofi_rxm", "cxi", "efa"};
  // Opens the first provider that there is, or `provider` if it is not empty. `found`: the node for
  // tcp where `node` is empty; it would take the first interface that it finds, perhaps the
  // loopback, while other providers choose well.
  static absl::StatusOr<std::unique_ptr<OfiFabric>> OpenFirst(const std::string& provider,
                                                              const std::string& node,
                                                              const std::string& found,
                                                              int number = 0);

  const fi_info& info() const { return *info_; }
  bool has_mode(std::uint64_t mr_mode) const {
    return (static_cast<std::uint64_t>(info_->domain_attr->mr_mode) & mr_mode) != 0;
  }
  std::string provider() const { return info_->fabric_attr->prov_name; }
  topo::Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }

  fid_fabric* fabric() const { return fabric_.get(); }
  fid_cq* completions() const { return completions_.get(); }
  // Of the completion queue; -1: it has none.
  int wait_descriptor() const { return wait_descriptor_; }

  fid_ep* messages() const { return messages_.get(); }  // and atomics
  // Of reads and writes; perhaps the same endpoint.
  fid_ep* transfers() const { return transfers_.get() ? transfers_.get() : messages_.get(); }

  // From here on the provider uses no memory that it was given for an operation. `is_reading`: a
  // read is under way. With a provider that cannot close endpoints then (cannot_end_reads) the
  // endpoints, the domain and the queue stay open until the process ends, and nothing polls them.
  void CloseEndpoints(bool is_reading);

  // The name by which others reach an endpoint, and the address here for such a name.
  absl::StatusOr<std::string> NameOf(fid_ep* endpoint);
  absl::StatusOr<fi_addr_t> AddressOf(const std::string& name);

  // A connection on which an operation failed carries no others, and the provider does not close
  // it.
  bool keeps_broken_connections() const { return provider().starts_with("verbs;ofi_rxm"); }
  // The address for transfers to the other's endpoint of messages, where that is so.
  absl::StatusOr<fi_addr_t> TransferAddressOf(const std::string& name);
  // Closes its connection; the next operation makes a new one. What was on its way fails. Returns
  // the address from now on. The caller holds mutex().
  absl::StatusOr<fi_addr_t> Renew(fi_addr_t address);

  // `access`: FI_READ and so on. `key`: where the provider does not choose it.
  absl::StatusOr<Opened<fid_mr>> Register(std::span<std::byte> memory, std::uint64_t access,
                                          std::uint64_t key);

 private:
  OfiFabric() = default;
  struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
  };

  // libfabric's tcp before 1.18 that closes an endpoint ends a read of which a part has come twice,
  // the second time freed; ofi_rxm then ends the process by SIGSEGV.
  bool cannot_end_reads() const;
  absl::Status OpenAll();
  absl::Status OpenEndpoint(Opened<fid_ep>& endpoint, fid_av& addresses);
  absl::StatusOr<fi_addr_t> Insert(fid_av& addresses, const void* name);

  topo::Mutex mutex_;
  // In the order in which libfabric wants them opened; closed in reverse order.
  std::unique_ptr<fi_info, FreeInfo> info_;
  Opened<fid_fabric> fabric_;
  Opened<fid_domain> domain_;
  Opened<fid_av> addresses_;
  Opened<fid_av> transfer_addresses_;  // where connections are renewed
  Opened<fid_cq> completions_;
  Opened<fid_ep> messages_, transfers_;
  int wait_descriptor_ = -1;
};

}  // namespace llcl
