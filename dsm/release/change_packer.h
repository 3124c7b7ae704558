// Changes of pages on their way to a home: packed into messages, and taken out of them.
//
//   u64  epoch   in which they were made
//   then for each page, or part of one:
//   u64  page
//   u64  bytes   of the difference; none: the page was written as a whole, by other means
//   ...          the difference (diff.h), and up to 7 bytes that make it a multiple of 8
//
// Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "dsm/diff/diff.h"

namespace dsm {

// Packs what goes to one home. A value.
class ChangePacker {
 public:
  // `most_bytes` of a message: room for a record of a difference, at least.
  ChangePacker(std::uint64_t epoch, std::size_t most_bytes)
      : epoch_(epoch), most_bytes_(most_bytes) {}

  // Calls send(message) for each that is full.
  template <typename Send>
  void Add(std::uint64_t page, std::span<const std::byte> twin, std::span<const std::byte> now,
           Send send) {
    AddParts(page, twin, now, send, [](std::span<const std::byte>) {});
  }
  // The same, and makes the twin what it was packed as: `now` may change meanwhile. False: there is
  // no difference.
  template <typename Send>
  bool AddAndRenew(std::uint64_t page, std::span<std::byte> twin, std::span<const std::byte> now,
                   Send send) {
    bool is_changed = false;
    AddParts(page, twin, now, send, [&](std::span<const std::byte> diff) {
      is_changed |= !diff.empty();
      (void)ApplyDiff(diff, twin);
    });
    return is_changed;
  }
  template <typename Send>
  void AddWhole(std::uint64_t page, Send send) {
    const std::size_t begin = Begin(0, send);
    message_.resize(begin + sizeof(Header));
    const Header header = {page, 0};
    std::memcpy(message_.data() + begin, &header, sizeof header);
  }
  // The last one, if there is anything in it.
  template <typename Send>
  void Finish(Send send) {
    if (!message_.empty()) send(std::span<const std::byte>(message_));
    message_.clear();
  }

  struct Header {
    std::uint64_t page = 0;
    std::uint64_t bytes = 0;
  };
  static constexpr std::size_t Padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

 private:
  // Calls on_part(difference) for each part, before it may be sent.
  template <typename Send, typename OnPart>
  void AddParts(std::uint64_t page, std::span<const std::byte> twin, std::span<const std::byte> now,
                Send send, OnPart on_part) {
    for (std::size_t line = 0; line < now.size() / kDiffLineBytes;) {
      const std::size_t begin = Begin(Padded(kMostDiffRecordBytes), send);
      message_.resize(most_bytes_);
      const std::span<std::byte> room = std::span(message_).subspan(begin + sizeof(Header));
      const DiffPart part = EncodeDiffPart(twin, now, line, room);
      line = part.next_line;
      on_part(room.first(part.used));
      End(begin, {page, part.used});
    }
  }
  // Where a header and so many bytes have room.
  template <typename Send>
  std::size_t Begin(std::size_t bytes, Send send) {
    if (message_.size() + sizeof(Header) + bytes > most_bytes_) Finish(send);
    if (message_.empty()) {
      message_.resize(sizeof epoch_);
      std::memcpy(message_.data(), &epoch_, sizeof epoch_);
    }
    return message_.size();
  }
  void End(std::size_t begin, const Header& header) {
    const std::size_t end = begin + sizeof header + Padded(header.bytes);
    std::memcpy(message_.data() + begin, &header, sizeof header);
    message_.resize(header.bytes == 0 ? begin : std::min(end, most_bytes_));
    if (message_.size() == sizeof epoch_) message_.clear();
  }

  std::uint64_t epoch_;
  std::size_t most_bytes_;
  std::vector<std::byte> message_;
};

// Calls change(epoch, page, difference) for each until it says false. False: it did, or the
// message is none.
template <typename Change>
[[nodiscard]] bool UnpackChanges(std::span<const std::byte> message, Change change) {
  std::uint64_t epoch = 0;
  if (message.size() < sizeof epoch) return false;
  std::memcpy(&epoch, message.data(), sizeof epoch);
  for (std::size_t at = sizeof epoch; at < message.size();) {
    ChangePacker::Header header;
    if (message.size() - at < sizeof header) return false;
    std::memcpy(&header, message.data() + at, sizeof header);
    at += sizeof header;
    if (header.bytes > message.size() - at) return false;
    if (!change(epoch, header.page, message.subspan(at, header.bytes))) return false;
    at += std::min(ChangePacker::Padded(header.bytes), message.size() - at);
  }
  return true;
}

}  // namespace dsm
