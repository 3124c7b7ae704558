#include "llcl/ofi/operations.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>

#include <algorithm>

#include "llcl/ofi/atomics.h"

namespace llcl {

absl::StatusOr<std::unique_ptr<OfiOperations>> OfiOperations::Open(OfiFabric& fabric,
                                                                   std::size_t device,
                                                                   OfiRegions& regions) {
  std::unique_ptr<OfiOperations> operations(new OfiOperations(fabric));
  if (fabric.has_mode(FI_MR_LOCAL)) {
    const std::span<std::byte> memory(reinterpret_cast<std::byte*>(operations->operations_.get()),
                                      kMost * sizeof(OfiOperation));
    const absl::StatusOr<Conduit::Registered> registered =
        regions.Register(memory, OfiRegions::Use::kLocal);
    if (!registered.ok()) return registered.status();
    operations->descriptor_ = registered->local.descriptors[device];
  }
  return operations;
}

OfiOperations::OfiOperations(OfiFabric& fabric)
    : fabric_(fabric), operations_(new OfiOperation[kMost]) {
  for (std::size_t i = kMost; i > 0; --i) free_.push_back(&operations_[i - 1]);
}

OfiOperation& OfiOperations::Take(const Command& command) {
  OfiOperation& operation = *free_.back();
  free_.pop_back();
  operation.is_checking = command.kind == CommandKind::kLook;
  operation.attempts = 0;
  operation.moved = 0;
  operation.command = command;
  return operation;
}

bool OfiOperations::is_reading() const {
  return std::any_of(&operations_[0], &operations_[0] + kMost, [](const OfiOperation& operation) {
    return operation.is_posted &&
           (operation.is_checking || operation.command.kind == CommandKind::kRead);
  });
}

std::uint64_t OfiOperations::BytesOfPiece(const OfiOperation& operation) const {
  return std::min<std::uint64_t>(operation.command.bytes - operation.moved,
                                 fabric_.info().ep_attr->max_msg_size);
}

bool OfiOperations::EndPiece(OfiOperation& operation) const {
  if (operation.command.kind == CommandKind::kAtomic) return true;
  operation.moved += BytesOfPiece(operation);
  return operation.moved == operation.command.bytes;
}

std::int64_t OfiOperations::TryBegin(OfiOperation& operation, const OfiPeerAddress& peer,
                                     OfiBatch batch) {
  const std::uint64_t flags = FI_COMPLETION | (batch == OfiBatch::kGoesOn ? FI_MORE : 0);
  const bool is_atomic = operation.command.kind == CommandKind::kAtomic;
  const std::int64_t begun = operation.is_checking ? TryCheck(operation, peer)
                             : is_atomic           ? TryAtomic(operation, peer, flags)
                                                   : TryTransfer(operation, peer, flags);
  operation.is_posted = begun == 0;
  return begun;
}

std::int64_t OfiOperations::TryTransfer(OfiOperation& operation, const OfiPeerAddress& peer,
                                        std::uint64_t flags) {
  Command& command = operation.command;
  const std::uint64_t bytes = BytesOfPiece(operation);
  const iovec here = {command.local + operation.moved, bytes};
  const fi_rma_iov there = {command.address + operation.moved, bytes, command.key};
  fi_msg_rma request = {};
  request.msg_iov = &here;
  request.desc = &command.descriptor;
  request.iov_count = 1;
  request.addr = peer.transfers;
  request.rma_iov = &there;
  request.rma_iov_count = 1;
  request.context = static_cast<OfiContext*>(&operation);
  operation.connection = peer.connection;
  if (command.kind == CommandKind::kRead) return fi_readmsg(fabric_.transfers(), &request, flags);
  // Else it would end when it is on its way.
  return fi_writemsg(fabric_.transfers(), &request, flags | FI_DELIVERY_COMPLETE);
}

std::int64_t OfiOperations::TryAtomic(OfiOperation& operation, const OfiPeerAddress& peer,
                                      std::uint64_t flags) {
  Command& command = operation.command;
  operation.operand = command.operand;
  operation.expected = command.expected;
  const OfiAtomic atomic = ToOfi(command.type, command.op);
  const fi_ioc operand = {&operation.operand, 1};
  const fi_ioc expected = {&operation.expected, 1};
  const fi_rma_ioc there = {command.address, 1, command.key};
  // All fetch: so each ends when it was done there, and with shm of 1.17 an atomic that
  // does not, but has FI_DELIVERY_COMPLETE, wrote nonsense.
  fi_ioc old = {&operation.result, 1};
  void* old_descriptor = descriptor_;
  if (command.fetches) {
    old.addr = command.local;
    old_descriptor = command.descriptor;
  }
  fi_msg_atomic request = {};
  request.msg_iov = &operand;
  request.desc = &descriptor_;
  request.iov_count = 1;
  request.addr = peer.messages;
  request.rma_iov = &there;
  request.rma_iov_count = 1;
  request.datatype = atomic.type;
  request.op = atomic.op;
  request.context = static_cast<OfiContext*>(&operation);
  if (atomic.op == FI_CSWAP) {
    return fi_compare_atomicmsg(fabric_.messages(), &request, &expected, &descriptor_, 1, &old,
                                &old_descriptor, 1, flags);
  }
  return fi_fetch_atomicmsg(fabric_.messages(), &request, &old, &old_descriptor, 1, flags);
}

// By the endpoint of messages: that of transfers may have lost its connection.
std::int64_t OfiOperations::TryCheck(OfiOperation& operation, const OfiPeerAddress& peer) {
  return fi_read(fabric_.messages(), &operation.entry, sizeof operation.entry, descriptor_,
                 peer.messages, peer.table.start + RegionTable::OffsetOf(operation.command.id.slot),
                 peer.table.key, static_cast<OfiContext*>(&operation));
}

}  // namespace llcl
