#include "llcl/tcp/output.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace llcl {

std::span<std::byte> TcpOutput::Add(std::size_t bytes) {
  if (bytes == 0) return {};  // Nothing is no part, which would never be sent.
  // All was sent: the copies of before are of no use.
  if (parts_.empty()) copies_.clear();
  const std::size_t offset = copies_.size();
  copies_.resize(offset + bytes);
  if (!parts_.empty() && parts_.back().at == nullptr) {
    parts_.back().bytes += bytes;
  } else {
    parts_.push_back({nullptr, offset, bytes});
  }
  added_ += bytes;
  return std::span(copies_).subspan(offset);
}

void TcpOutput::Refer(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  parts_.push_back({bytes.data(), 0, bytes.size()});
  added_ += bytes.size();
}

TcpOutput::State TcpOutput::Send(int socket) {
  while (!parts_.empty()) {
    // No connection takes more at a time.
    constexpr std::size_t kMostBytes = 256 << 10;
    iovec pieces[64];
    std::size_t count = 0, all = 0;
    for (const Part& part : parts_) {
      if (count == std::size(pieces) || all >= kMostBytes) break;
      const std::byte* const at = part.at != nullptr ? part.at : copies_.data() + part.offset;
      pieces[count++] = {const_cast<std::byte*>(at), part.bytes};
      all += part.bytes;
    }
    msghdr message = {};
    message.msg_iov = pieces;
    message.msg_iovlen = count;
    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      const bool is_full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
      return is_full ? State::kBlocked : State::kGone;
    }
    Drop(static_cast<std::size_t>(sent));
    if (static_cast<std::size_t>(sent) < all) return State::kBlocked;
  }
  return State::kSent;
}

void TcpOutput::Drop(std::size_t bytes) {
  sent_ += bytes;
  while (bytes > 0) {
    Part& part = parts_.front();
    const std::size_t some = std::min(bytes, part.bytes);
    if (part.at != nullptr) {
      part.at += some;
    } else {
      part.offset += some;
    }
    part.bytes -= some;
    bytes -= some;
    if (part.bytes == 0) parts_.pop_front();
  }
  // Copies that were sent are given up once they are the larger part of many.
  constexpr std::size_t kMany = 1 << 20;
  if (copies_.size() < kMany) return;
  const auto first = std::find_if(parts_.begin(), parts_.end(),
                                  [](const Part& part) { return part.at == nullptr; });
  const std::size_t used = first == parts_.end() ? copies_.size() : first->offset;
  if (used < kMany || used < copies_.size() / 2) return;
  copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(used));
  for (Part& part : parts_) {
    if (part.at == nullptr) part.offset -= used;
  }
}

void TcpOutput::Clear() {
  parts_.clear();
  copies_.clear();
  sent_ = added_;
}

}  // namespace llcl
