#include "llcl/collective/reads.h"

#include <algorithm>
#include <utility>

namespace llcl {

bool PartReads::IsRead(const Part& part) const {
  if (part.bytes <= kLongPart || !carrier_.reads()) return false;
  const Rank peer = collective_.RankOf(part.peer);
  const Channels* const channels = carrier_.channels();
  return (channels == nullptr || !channels->Reach(peer)) && !carrier_.StreamsTo(peer);
}

bool PartReads::Prepare() {
  bool reads = false, combines = false;
  for (const Round& round : collective_.schedule->rounds) {
    for (const Part& part : round.sends) reads = reads || IsRead(part);
    for (const Part& part : round.receipts) {
      reads = reads || IsRead(part);
      combines = combines || (part.combines && IsRead(part));
    }
  }
  if (!reads) return true;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (collective_.memory[i].empty()) continue;
    absl::StatusOr<Region> region = carrier_.Register(collective_.memory[i]);
    if (!region.ok()) return false;
    regions_[i] = *std::move(region);
  }
  if (!combines) return true;
  absl::StatusOr<Region> scratch = store_.TakeScratch();
  if (!scratch.ok()) return false;
  scratch_ = *std::move(scratch);
  return true;
}

RemoteAddress PartReads::AddressOf(const Part& part) const {
  const std::size_t first = collective_.memory[0].size();
  const bool is_first = part.at < first;
  return {regions_[is_first ? 0 : 1].remote(), is_first ? part.at : part.at - first};
}

bool PartReads::empty() const {
  return std::none_of(reads_.begin(), reads_.end(), [](const Read& one) { return one.alive; });
}

bool PartReads::HasNext(std::span<const Receipt> receipts) const {
  return std::any_of(reads_.begin(), reads_.end(), [](const Read& one) { return !one.alive; }) &&
         std::any_of(receipts.begin(), receipts.end(),
                     [](const Receipt& one) { return one.from && one.asked < one.part.bytes; });
}

std::optional<PartReads::Request> PartReads::Next(std::span<Receipt> receipts,
                                                  std::shared_ptr<CollectiveOperation> operation) {
  const auto idle =
      std::find_if(reads_.begin(), reads_.end(), [](const Read& one) { return !one.alive; });
  const auto receipt = std::find_if(receipts.begin(), receipts.end(), [](const Receipt& one) {
    return one.from && one.asked < one.part.bytes;
  });
  if (idle == reads_.end() || receipt == receipts.end()) return std::nullopt;
  const std::size_t most = collective_.Whole(receipt->part.combines ? kScratchPiece : kPiece);
  const std::uint64_t bytes = std::min<std::uint64_t>(most, receipt->part.bytes - receipt->asked);
  const auto number = static_cast<std::size_t>(idle - reads_.begin());
  *idle = {.alive = std::move(operation),
           .receipt = static_cast<std::size_t>(receipt - receipts.begin()),
           .number = number,
           .at = receipt->asked,
           .bytes = bytes};
  const Request request = {.from = *receipt->from + receipt->asked,
                           .to = PlaceOf(receipt->part, receipt->asked, number),
                           .read = &*idle};
  receipt->asked += bytes;
  return request;
}

LocalAddress PartReads::PlaceOf(const Part& part, std::uint64_t at, std::size_t number) const {
  if (part.combines) return {scratch_->local(), number * kScratchPiece};
  const std::size_t first = collective_.memory[0].size(), place = part.at + at;
  return place < first ? LocalAddress{regions_[0].local(), place}
                       : LocalAddress{regions_[1].local(), place - first};
}

void PartReads::GiveScratch() {
  if (scratch_) store_.GiveScratch(*std::move(scratch_));
  scratch_.reset();
}

}  // namespace llcl
