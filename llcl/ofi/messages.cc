#include "llcl/ofi/messages.h"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace llcl {

absl::StatusOr<std::unique_ptr<OfiMessages>> OfiMessages::Open(OfiFabric& fabric,
                                                               std::size_t device,
                                                               OfiRegions& regions, Rank rank,
                                                               int ranks, std::uint64_t token) {
  std::unique_ptr<OfiMessages> messages(new OfiMessages(fabric, rank, ranks, token));
  if (fabric.has_mode(FI_MR_LOCAL)) {
    const absl::StatusOr<Conduit::Registered> registered = regions.Register(
        {messages->bytes_.get(), (kOutgoing + kIncoming) * kBufferBytes}, OfiRegions::Use::kLocal);
    if (!registered.ok()) return registered.status();
    messages->descriptor_ = registered->local.descriptors[device];
  }
  const topo::Lock lock(fabric.mutex());
  messages->PostBuffers();
  return messages;
}

OfiMessages::OfiMessages(OfiFabric& fabric, Rank rank, int ranks, std::uint64_t token)
    : fabric_(fabric),
      rank_(rank),
      token_(token),
      peers_(static_cast<std::size_t>(ranks)),
      bytes_(new std::byte[(kOutgoing + kIncoming) * kBufferBytes]) {
  std::byte* next = bytes_.get();
  for (Outgoing& message : outgoing_) {
    message.buffer = std::exchange(next, next + kBufferBytes);
    free_.push_back(&message);
  }
  for (Incoming& message : incoming_) {
    message.buffer = std::exchange(next, next + kBufferBytes);
    to_post_.push_back(&message);
  }
}

std::int64_t OfiMessages::TrySend(Rank to, fi_addr_t address, std::span<const std::byte> bytes,
                                  OfiBatch batch) {
  Peer& peer = peers_[static_cast<std::size_t>(ToInt(to))];
  if (free_.empty() || peer.retried > 0) return -FI_EAGAIN;
  Outgoing& message = *free_.back();
  const Header header = {token_, rank_, peer.next_number};
  std::memcpy(message.buffer, &header, sizeof header);
  std::memcpy(message.buffer + sizeof header, bytes.data(), bytes.size());
  message.to = to;
  message.bytes = static_cast<std::uint32_t>(sizeof header + bytes.size());
  message.attempts = 0;
  const iovec part = {message.buffer, message.bytes};
  fi_msg request = {};
  request.msg_iov = &part;
  request.desc = &descriptor_;
  request.iov_count = 1;
  request.addr = address;
  request.context = static_cast<OfiContext*>(&message);
  const std::uint64_t flags = FI_COMPLETION | (batch == OfiBatch::kGoesOn ? FI_MORE : 0);
  const std::int64_t sent = fi_sendmsg(fabric_.messages(), &request, flags);
  if (sent != 0) return sent;
  message.is_posted = true;
  ++peer.next_number;
  free_.pop_back();
  return 0;
}

std::int64_t OfiMessages::TryResend(Outgoing& message, fi_addr_t address) {
  const std::int64_t sent = fi_send(fabric_.messages(), message.buffer, message.bytes, descriptor_,
                                    address, static_cast<OfiContext*>(&message));
  message.is_posted = sent == 0;
  return sent;
}

void OfiMessages::OnSent(Outgoing& message) {
  if (message.attempts > 0) --peers_[static_cast<std::size_t>(ToInt(message.to))].retried;
  free_.push_back(&message);
}

int OfiMessages::OnNotSent(Outgoing& message) {
  if (message.attempts == 0) ++peers_[static_cast<std::size_t>(ToInt(message.to))].retried;
  return ++message.attempts;
}

void OfiMessages::OnReceived(Incoming& message, std::size_t bytes) {
  message.bytes = bytes;
  received_.push_back(&message);
}

void OfiMessages::PostBuffers() {
  while (!to_post_.empty()) {
    Incoming& message = *to_post_.back();
    if (fi_recv(fabric_.messages(), message.buffer, kBufferBytes, descriptor_, FI_ADDR_UNSPEC,
                static_cast<OfiContext*>(&message)) != 0) {
      return;
    }
    message.is_posted = true;
    to_post_.pop_back();
  }
}

void OfiMessages::Receive(Inbox& inbox) {
  while (!received_.empty() && inbox.has_room()) {
    Incoming& message = *received_.front();
    received_.pop_front();
    to_post_.push_back(&message);
    Header header;
    if (message.bytes < sizeof header) continue;
    std::memcpy(&header, message.buffer, sizeof header);
    const std::size_t bytes = message.bytes - sizeof header;
    // Else it does not come from this job.
    if (header.token != token_ || bytes > kMostMessageBytes) continue;
    if (ToInt(header.from) < 0 || static_cast<std::size_t>(ToInt(header.from)) >= peers_.size() ||
        !peers_[static_cast<std::size_t>(ToInt(header.from))].received.IsNew(header.number)) {
      continue;
    }
    peers_[static_cast<std::size_t>(ToInt(header.from))].has_sent = true;
    const std::span<std::byte> place = inbox.Add(header.from, bytes);
    std::copy_n(message.buffer + sizeof header, bytes, place.begin());
  }
  PostBuffers();
}

bool OfiMessages::Owns(const void* context) const {
  const auto is_in = [&](const auto& all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) {
      return static_cast<const OfiContext*>(&one) == context;
    });
  };
  return is_in(outgoing_) || is_in(incoming_);
}

}  // namespace llcl
