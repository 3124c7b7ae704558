#include "llcl/tcp/output.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace llcl {
namespace {

// What one call sends.
class Pieces {
 public:
  // Adds as many of the bytes as there is room for. False: there is no room for more.
  bool Add(const std::byte* at, std::size_t bytes) {
    if (bytes == 0) return true;
    const std::size_t some = std::min(bytes, kMostBytes - bytes_);
    if (count_ == kMost || some == 0) return false;
    pieces_[count_++] = {const_cast<std::byte*>(at), some};
    bytes_ += some;
    return some == bytes;
  }
  std::size_t bytes() const { return bytes_; }
  ssize_t Send(int socket) {
    constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
    if (count_ == 1) return send(socket, pieces_[0].iov_base, pieces_[0].iov_len, kFlags);
    msghdr message = {};
    message.msg_iov = pieces_;
    message.msg_iovlen = count_;
    return sendmsg(socket, &message, kFlags);
  }

 private:
  static constexpr std::size_t kMost = 64, kMostBytes = TcpOutput::kMostSent;

  iovec pieces_[kMost];
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace

void TcpOutput::Add(std::span<const std::byte> bytes) {
  copies_.insert(copies_.end(), bytes.begin(), bytes.end());
  added_ += bytes.size();
}

void TcpOutput::Refer(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  references_.push_back({copies_.size(), bytes});
  added_ += bytes.size();
}

TcpSent TcpOutput::Send(int socket) {
  std::size_t all = 0;
  while (!empty() && all < kMostSent) {
    Pieces pieces;
    std::size_t copied = first_;
    bool has_room = true;
    for (const Reference& reference : references_) {
      has_room = pieces.Add(copies_.data() + copied, reference.at - copied) &&
                 pieces.Add(reference.bytes.data(), reference.bytes.size());
      if (!has_room) break;
      copied = reference.at;
    }
    if (has_room) pieces.Add(copies_.data() + copied, copies_.size() - copied);
    const ssize_t sent = pieces.Send(socket);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      const bool is_full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
      return is_full ? TcpSent::kBlocked : TcpSent::kGone;
    }
    Drop(static_cast<std::size_t>(sent));
    all += static_cast<std::size_t>(sent);
    if (static_cast<std::size_t>(sent) < pieces.bytes()) return TcpSent::kBlocked;
  }
  return TcpSent::kSent;
}

TcpSent TcpOutput::SendOrCopy(int socket, std::span<const std::byte> last) {
  Refer(last);
  const TcpSent sent = Send(socket);
  if (empty() || last.empty()) return sent;
  const std::span<const std::byte> left = references_.back().bytes;
  references_.pop_back();
  copies_.insert(copies_.end(), left.begin(), left.end());
  return sent;
}

void TcpOutput::Keep(std::span<const std::byte> memory) {
  const std::byte* const end = memory.data() + memory.size();
  std::size_t copied = 0;
  for (Reference& one : references_) {
    one.at += copied;
    if (one.bytes.empty() || one.bytes.data() < memory.data() || one.bytes.data() >= end) continue;
    copies_.insert(copies_.begin() + static_cast<std::ptrdiff_t>(one.at), one.bytes.begin(),
                   one.bytes.end());
    copied += one.bytes.size();
    one.bytes = {};
  }
  std::erase_if(references_, [](const Reference& one) { return one.bytes.empty(); });
}

void TcpOutput::Drop(std::size_t bytes) {
  sent_ += bytes;
  if (empty()) return Clear();
  while (bytes > 0) {
    const std::size_t copies = std::min(bytes, EndOfFirstCopies() - first_);
    first_ += copies;
    bytes -= copies;
    if (bytes == 0) break;
    std::span<const std::byte>& referred = references_.front().bytes;
    const std::size_t some = std::min(bytes, referred.size());
    referred = referred.subspan(some);
    bytes -= some;
    if (referred.empty()) references_.pop_front();
  }
  Trim();
}

// Gives up copies that were sent, once they are the larger part of many.
void TcpOutput::Trim() {
  constexpr std::size_t kMany = 1 << 20;
  if (first_ < kMany || first_ < copies_.size() / 2) return;
  copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(first_));
  for (Reference& reference : references_) reference.at -= first_;
  first_ = 0;
}

void TcpOutput::Clear() {
  copies_.clear();
  first_ = 0;
  references_.clear();
  sent_ = added_;
}

}  // namespace llcl
