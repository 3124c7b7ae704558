#include "taskrt/transfer/copier.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

// Asked for now.
TraceEvent CopyOf(const BlockRecord& block, Place from, Place to, SubmitIndex for_task) {
  return {.kind = TraceEvent::Kind::kCopy,
          .name = block.name,
          .submit_index = for_task,
          .from = from,
          .to = to,
          .bytes = block.host.bytes(),
          .asked = Recorder::Now()};
}

}  // namespace

absl::StatusOr<Ticket> Copier::CopyTo(Place place, BlockRecord& block, SubmitIndex for_task) {
  if (place == kHost) {
    if (absl::Status written = WriteBack(block, for_task); !written.ok()) return written;
    return kDone;
  }
  if (block.host.bytes() == 0) {  // Drivers refuse to copy nothing.
    block.replicas.Arrived(place);
    return kDone;
  }
  while (true) {
    const absl::StatusOr<Place> from = options_.optimizes ? SourceOf(block, place) : kHost;
    if (!from.ok()) return from.status();
    const Place source = *from;
    if (source == kHost) return CopyFromHost(block, place, for_task);
    if (options_.across != Across::kStaged) {
      const absl::StatusOr<bool> is_across = TryCopyAcross(block, source, place, for_task);
      if (!is_across.ok() && lost_.Has(source)) continue;  // Perhaps there is another source.
      if (!is_across.ok()) return is_across.status();
      if (*is_across) return kDone;
    }
    if (absl::Status written = WriteBack(block, for_task); !written.ok()) return written;
    return CopyFromHost(block, place, for_task);
  }
}

absl::StatusOr<Ticket> Copier::CopyFromHost(BlockRecord& block, Place place, SubmitIndex for_task) {
  BlockRecord::AtDevice& at = block.At(place);
  TraceEvent event;
  if (recorder_ != nullptr) event = CopyOf(block, kHost, place, for_task);
  const absl::StatusOr<Ticket> coming = At(place).CopyIn(block.host, at.memory, kDone);
  if (!coming.ok()) return lost_.Note(place, coming.status());
  at.arrived = *coming;
  if (recorder_ != nullptr) recorder_->Promise(std::move(event), At(place), *coming);
  Count(kHost, place, block.host.bytes());
  block.replicas.Arrived(place);
  return at.arrived;
}

absl::StatusOr<Place> Copier::SourceOf(BlockRecord& block, Place to) {
  while (true) {
    const Place source = block.replicas.SourceFor(to, options_.source);
    if (!lost_.Has(source)) return source;
    if (block.replicas.IsOnlyAt(source)) {
      return absl::DataLossError(absl::StrCat("the newest value of ", block.name, " was only on ",
                                              At(source).name(), ", which is lost"));
    }
    block.replicas.Dropped(source);
  }
}

// False: those devices cannot copy from each other.
absl::StatusOr<bool> Copier::TryCopyAcross(BlockRecord& block, Place source, Place place,
                                           SubmitIndex for_task) {
  Device &there = At(source), &here = At(place);
  absl::Status whole = lost_.Note(source, there.Wait(block.At(source).arrived));
  if (!whole.ok()) return whole;
  TraceEvent event;
  if (recorder_ != nullptr) event = CopyOf(block, source, place, for_task);
  const absl::StatusOr<Ticket> coming =
      here.CopyAcross(there, block.At(source).memory, block.At(place).memory);
  if (absl::IsUnimplemented(coming.status())) return false;
  if (!coming.ok()) return NoteOfBoth(source, place, coming.status());
  if (absl::Status come = here.Wait(*coming); !come.ok()) {
    return NoteOfBoth(source, place, std::move(come));
  }
  block.At(place).arrived = kDone;
  if (recorder_ != nullptr) recorder_->Add(std::move(event), here, *coming);
  Count(source, place, block.host.bytes());
  block.replicas.Arrived(place);
  return true;
}

absl::Status Copier::NoteOfBoth(Place source, Place place, absl::Status status) {
  if (!IsLoss(status)) return status;
  (void)lost_.Note(source, At(source).Wait(kDone));
  return lost_.Has(source) ? status : lost_.Note(place, std::move(status));
}

absl::Status Copier::AwaitCopy(BlockRecord& block, Place place) {
  const topo::Lock lock(block.mutex);
  const absl::Status come =
      lost_.Note(place, At(place).Wait(std::exchange(block.At(place).arrived, kDone)));
  return IsLoss(come) ? absl::OkStatus() : come;
}

absl::Status Copier::WriteBack(BlockRecord& block, SubmitIndex for_task) {
  // First of all: the place of a block that has ended may be getting another one's memory.
  if (!block.replicas.NeedsWriteBack()) return absl::OkStatus();
  if (block.host.bytes() == 0) block.replicas.Arrived(kHost);
  while (block.replicas.NeedsWriteBack()) {
    const absl::StatusOr<Place> from = SourceOf(block, kHost);
    if (!from.ok()) return from.status();
    const Place source = *from;
    const BlockRecord::AtDevice& at = block.At(source);
    TraceEvent event;
    if (recorder_ != nullptr) event = CopyOf(block, source, kHost, for_task);
    const absl::StatusOr<Ticket> coming = At(source).CopyOut(at.memory, block.host, at.arrived);
    absl::Status come =
        lost_.Note(source, coming.ok() ? At(source).Wait(*coming) : coming.status());
    if (!come.ok() && lost_.Has(source)) continue;  // Perhaps there is another source.
    if (!come.ok()) return come;
    if (recorder_ != nullptr) recorder_->Add(std::move(event), At(source), *coming);
    Count(source, kHost, block.host.bytes());
    block.replicas.Arrived(kHost);
  }
  return absl::OkStatus();
}

void Copier::Count(Place from, Place to, std::uint64_t bytes) {
  const topo::Lock lock(mutex_);
  CopyCount& count = counts_.Of(from, to);
  ++count.copies;
  count.bytes += bytes;
}

}  // namespace taskrt
