// A channel from one rank to another rank of the host, in the receiver's shared memory. It carries
// frames in order; a frame is a header and a payload. The receiver reads a payload in place: so a
// long transfer is copied twice, into the channel and from the channel to the destination.
//
// A frame without a payload, or with a short one, is one line of the cache.
//
//   slots     a header and the place of the payload; the frame's number shows that a slot is filled
//   payloads  one after another, and from the beginning again
//
// A channel has one writer and one reader: a writer that is killed in the middle of a frame holds
// up no other writer.
//
// Threads: the writer's functions by one thread at a time; those of the reader by one at a time.
// Order: what came before TryWrite happens before what follows Read of that frame.
// Progress: wait-free.
//
// tests/channel_model_test.cc runs this code under every interleaving of up to 3 preemptions.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace llcl {

// A value in shared memory, which begins as zeros; its payloads follow it.
template <template <typename> class AtomicT, std::size_t kSlots>
class BasicChannel {
 public:
  static constexpr std::size_t kHeaderBytes = 40;
  static constexpr std::size_t kShort = 8;  // the longest payload that lies in the slot

  // The writer's own part. A value.
  class Writer {
   public:
    // `bytes`: of the payloads' room, a power of two from 64 on.
    Writer(BasicChannel& channel, std::uint64_t bytes) : channel_(channel), bytes_(bytes) {}

    // False: no room. Precondition: the header has kHeaderBytes, the payload at most half of the
    // room.
    [[nodiscard]] bool TryWrite(std::span<const std::byte> header,
                                std::span<const std::byte> payload) {
      if (written_ - read_ >= kSlots) LookAtReader();
      if (written_ - read_ >= kSlots) return false;
      const bool is_short = payload.size() <= kShort;
      if (!is_short && !TryPlace(payload.size())) return false;
      Slot& slot = channel_.slots_[written_ % kSlots];
      slot.bytes = static_cast<std::uint32_t>(payload.size());
      slot.at = static_cast<std::uint32_t>(is_short ? 0 : next_ & (bytes_ - 1));
      std::memcpy(slot.header, header.data(), kHeaderBytes);
      std::byte* const place = is_short ? slot.payload : channel_.payloads() + slot.at;
      if (!payload.empty()) std::memcpy(place, payload.data(), payload.size());
      if (!is_short) next_ += Footprint(payload.size());
      ends_[written_ % kSlots] = next_;
      // Sequentially consistent, as the receiver's StartSleep (mailbox.h).
      slot.number.Exchange(++written_, std::memory_order_seq_cst);
      return true;
    }

   private:
    void LookAtReader() {
      const std::uint64_t read = channel_.read_.Load(std::memory_order_acquire);
      // A reader that lies keeps nobody but itself from frames.
      if (read <= read_ || read > written_) return;
      read_ = read;
      freed_ = ends_[(read - 1) % kSlots];
    }
    // Moves next_ to where so many bytes have room.
    bool TryPlace(std::uint64_t payload) {
      const std::uint64_t bytes = Footprint(payload);
      const std::uint64_t left = bytes_ - (next_ & (bytes_ - 1));
      const std::uint64_t skipped = bytes > left ? left : 0;
      if (next_ + skipped + bytes - freed_ > bytes_) LookAtReader();
      if (next_ + skipped + bytes - freed_ > bytes_) return false;
      next_ += skipped;
      return true;
    }

    BasicChannel& channel_;
    const std::uint64_t bytes_;
    std::uint64_t written_ = 0, read_ = 0;         // frames
    std::uint64_t next_ = 0, freed_ = 0;           // bytes of payloads, ever
    std::array<std::uint64_t, kSlots> ends_ = {};  // next_ after each frame
  };

  enum class Found : std::uint8_t { kNothing, kFrame, kLeft, kNonsense };
  // The reader's own part. A value.
  class Reader {
   public:
    Reader(BasicChannel& channel, std::uint64_t bytes) : channel_(channel), bytes_(bytes) {}

    bool empty() const {
      return channel_.slots_[read_ % kSlots].number.Load(std::memory_order_seq_cst) != read_ + 1;
    }
    // Calls take(header, payload) for the oldest frame; where that returns false the frame is left
    // for later. kNonsense: the writer wrote something else than a frame of at most `most` bytes.
    template <typename Take>
    [[nodiscard]] Found Read(std::size_t most, Take take) {
      Slot& slot = channel_.slots_[read_ % kSlots];
      const std::uint64_t number = slot.number.Load(std::memory_order_acquire);
      if (number != read_ + 1) {
        // The number of the frame that was here before, or of none.
        const bool is_sane = read_ < kSlots ? number == 0 : number == read_ + 1 - kSlots;
        return is_sane ? Found::kNothing : Found::kNonsense;
      }
      const std::uint64_t bytes = slot.bytes, at = slot.at;
      const bool is_short = bytes <= kShort;
      if (!is_short && (bytes > most || bytes > bytes_ || at > bytes_ - bytes)) {
        return Found::kNonsense;
      }
      const std::byte* const place = is_short ? slot.payload : channel_.payloads() + at;
      if (!take(std::span<const std::byte>(slot.header, kHeaderBytes),
                std::span<const std::byte>(place, bytes))) {
        return Found::kLeft;
      }
      channel_.read_.Store(++read_, std::memory_order_release);
      return Found::kFrame;
    }

   private:
    BasicChannel& channel_;
    const std::uint64_t bytes_;
    std::uint64_t read_ = 0;
  };

  // Of a channel with so much room for payloads.
  static constexpr std::uint64_t BytesFor(std::uint64_t payloads) {
    return sizeof(BasicChannel) + payloads;
  }

 private:
  // A line of the cache.
  struct alignas(64) Slot {
    AtomicT<std::uint64_t> number;  // of the frame, from 1 on
    std::uint32_t bytes;            // of the payload
    std::uint32_t at;               // of the payload, among the payloads
    std::byte header[kHeaderBytes];
    std::byte payload[kShort];  // a short one
  };
  static constexpr std::uint64_t Footprint(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }
  std::byte* payloads() { return reinterpret_cast<std::byte*>(this + 1); }

  alignas(64) AtomicT<std::uint64_t> read_;  // frames that the reader is done with
  Slot slots_[kSlots];
};

}  // namespace llcl
