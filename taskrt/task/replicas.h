// The places where a block's newest value is, and whether a task is writing a newer one: one state
// machine that every copy follows. A read where the value is not brings it there; a write leaves it
// where it was written only. So nothing is copied that is there already, and nothing is copied back
// before a task or a wait needs it.
//
//   {a, b}   the value is at a and b; a read anywhere else copies it from one of them.
//   w        a task at w is writing. No task reads the block meanwhile: tasks are ordered.
//
//   transition           from -> to                      what it needs
//   Arrived(p)           {a} -> {a, p}                   no write
//   Dropped(p)           {a, p} -> {a}                   p is not w
//   Dropped(p)           {p} w -> {} w                   w overwrites: the old value is dead
//   BeginWrite(w, mode)  {a, b} -> {a, b} w              if the mode reads: w is in the set
//   EndWrite()           {a, b} w -> {w}
//   AbandonWrite()       {a, w} w -> {a}                 the task failed: what w has is no value
//                        {w} w -> {w}                    but the only one there is
//                        {} w -> {host}                  nothing is left but the user's memory
//
// Beyond the paper's flag, which names one place, it is a set: a panel that several devices read
// stays valid in all of them and on the host. The set is empty only under a write that overwrites.
//
// A value is not lost because of CanDrop: DeviceCache asks it before it takes a
// place's memory away, and first writes back a value that no other place has. What keeps a dead
// value from being copied over a new one is that a write that overwrites has begun before its task
// runs, and that nothing is copied home while a write is in progress.
//
// Threads: one; its block's lock guards it.
//
// Source: [WLBS20] section 3.3.
#pragma once

#include <bit>
#include <cstdint>

#include "taskrt/access.h"
#include "taskrt/place.h"

namespace taskrt {

// From where a device takes a block that it lacks.
enum class SourceRule {
  kHostFirst,  // the host if it is there, else a device; as the paper's
  kNearest,    // a device if one has it: what the host would send again stays off its link
};

// A value.
class Replicas {
 public:
  // A block whose only value is here.
  explicit Replicas(Place place = kHost) : valid_(Bit(place)), writer_(place) {}

  bool IsAt(Place place) const { return (valid_ & Bit(place)) != 0; }
  bool IsOnlyAt(Place place) const { return valid_ == Bit(place); }
  int count() const { return std::popcount(valid_); }
  bool IsBeingWritten() const { return writing_at_ != kNowhere; }

  // Must it be brought here before a task that does this?
  bool NeedsCopy(Place place, Mode mode) const { return Reads(mode) && !IsAt(place); }
  // Is it to be copied to the user's memory for a caller that asks for it now? Not while a task
  // writes it: its value is none yet, and the host's memory may be what is written.
  bool NeedsWriteBack() const { return !IsAt(kHost) && !IsBeingWritten(); }
  // Is the value elsewhere, or dead, so that this place's memory of it may be taken away? Not asked
  // of the place where it is being written.
  bool CanDrop(Place place) const { return !IsOnlyAt(place) || overwrites_; }

  // The place to copy it from. Precondition: it is not at `to`, and somewhere.
  Place SourceFor(Place to, SourceRule rule) const {
    const bool from_host = IsAt(kHost) && (rule == SourceRule::kHostFirst || IsOnlyAt(kHost));
    if (from_host) return kHost;
    // To the host from the place that has written it: so all writers send, each its own blocks.
    if (to == kHost && IsAt(writer_)) return writer_;
    // The next device, around, so that not all devices ask the same one.
    const std::uint64_t devices = valid_ & ~Bit(kHost);
    const std::uint64_t above = devices & ~(Bit(to) | (Bit(to) - 1));
    return std::countr_zero(above != 0 ? above : devices);
  }

  void Arrived(Place place) { valid_ |= Bit(place); }
  // Precondition: CanDrop(place).
  void Dropped(Place place) { valid_ &= ~Bit(place); }

  // A task at `place` does this from now on. Precondition: Writes(mode), !NeedsCopy(place, mode),
  // no other write.
  void BeginWrite(Place place, Mode mode) {
    writing_at_ = place;
    overwrites_ = !Reads(mode);
  }
  // It has written the block's new value.
  void EndWrite() { Written(writing_at_); }
  // It has failed, perhaps in the middle of writing. False: the value that it has read is nowhere
  // any more, so that it cannot run again.
  bool AbandonWrite() {
    const bool can_run_again = overwrites_ || !IsOnlyAt(writing_at_);
    const std::uint64_t others = valid_ & ~Bit(writing_at_);
    if (others != 0) {
      valid_ = others;
    } else if (valid_ == 0) {
      valid_ = Bit(kHost);
    }
    writing_at_ = kNowhere;
    overwrites_ = false;
    return can_run_again;
  }
  // Both at once.
  void Written(Place place) { *this = Replicas(place); }

 private:
  static constexpr Place kNowhere = -1;
  static constexpr std::uint64_t Bit(Place place) { return std::uint64_t{1} << place; }

  std::uint64_t valid_;
  Place writer_;  // the last place that has written; its value may have been dropped
  Place writing_at_ = kNowhere;
  bool overwrites_ = false;  // does not read what was there
};

}  // namespace taskrt
