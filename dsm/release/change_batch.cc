#include "dsm/release/change_batch.h"

#include "dsm/peers/transfers.h"

namespace dsm {

ChangeBatch::ChangeBatch(ChangeSender& sender, const ChangeRoute& route, llcl::HandlerId handler)
    : sender_(sender),
      route_(route),
      handler_(handler),
      packers_(static_cast<std::size_t>(route.peers.size()),
               ChangePacker(sender.epoch(), llcl::Messenger::kMostPayload)) {}

void ChangeBatch::SendMessage(int home, std::span<const std::byte> message) {
  sender_.AssertHeld();
  const absl::Status sent = sender_.Send(home, handler_, message);
  // What other homes get does not depend on this one.
  status_.Update(sent);
  if (sent.ok()) sender_.CountSent(message.size());
}

void ChangeBatch::Send(PageNumber page, std::span<const std::byte> twin,
                       std::span<const std::byte> now) {
  const int home = route_.map.HomeOf(page);
  PackerOf(home).Add(page.value(), twin, now, SendTo(home));
}

bool ChangeBatch::SendAndRenew(PageNumber page, std::span<std::byte> twin,
                               std::span<const std::byte> now) {
  const int home = route_.map.HomeOf(page);
  return PackerOf(home).AddAndRenew(page.value(), twin, now, SendTo(home));
}

void ChangeBatch::SendAll(PageRange pages) {
  route_.map.ForEachForeignRun(pages, [&](int home, PageRange run) {
    Write(home, run);
    for (const PageNumber page : run) PackerOf(home).AddWhole(page.value(), SendTo(home));
  });
}

void ChangeBatch::Settle() {
  for (int home = 0; home < route_.peers.size(); ++home) PackerOf(home).Finish(SendTo(home));
  sender_.AssertHeld();
  status_.Update(sender_.WaitForAcknowledgments());
}

void ChangeBatch::Write(int home, PageRange pages) {
  const PageSize size = route_.map.page_size();
  Transfers writes(route_.peers, {.refused = "changes cannot be sent any more",
                                  .failed = "changes did not get home in time"});
  ForEachPart(pages, size.PagesAtOnce(PageSource::kMostAtOnce), [&](PageRange part) {
    if (!writes.ok()) return;
    writes.Write({.from = route_.memory.Local(part.first),
                  .to = route_.memory.At(home, part.first),
                  .bytes = size.BytesOf(part.count())});
  });
  status_.Update(writes.Finish());
}

}  // namespace dsm
