// Changes that go to their homes together, several pages in a message.
//
// Threads: one, which holds the sender's mutex from before the batch's beginning until its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "dsm/cache/page_source.h"
#include "dsm/engine/space_memory.h"
#include "dsm/layout/address_map.h"
#include "dsm/peers/peers.h"
#include "dsm/release/change_packer.h"
#include "dsm/release/change_sender.h"
#include "llcl/messenger.h"

namespace dsm {

// A value: where changes come from and go to. Its parts outlive the batch.
struct ChangeRoute {
  const Peers& peers;
  const AddressMap& map;
  const SpaceMemory& memory;
};

// A resource.
class ChangeBatch final : public ChangeSink {
 public:
  // `handler`: kChanges, or kLockedChanges.
  ChangeBatch(ChangeSender& sender, const ChangeRoute& route, llcl::HandlerId handler)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(sender.mutex());

  void Send(PageNumber page, std::span<const std::byte> twin,
            std::span<const std::byte> now) override;
  bool SendAndRenew(PageNumber page, std::span<std::byte> twin,
                    std::span<const std::byte> now) override;
  void SendAll(PageRange pages) override;
  void Settle() override;
  // Unavailable: a home is gone, and what it should get is lost.
  const absl::Status& status() const { return status_; }

 private:
  auto SendTo(int home) {
    return [this, home](std::span<const std::byte> message) { SendMessage(home, message); };
  }
  void SendMessage(int home, std::span<const std::byte> message);
  void Write(int home, PageRange pages);
  ChangePacker& PackerOf(int home) { return packers_[static_cast<std::size_t>(home)]; }

  ChangeSender& sender_;
  const ChangeRoute route_;
  const llcl::HandlerId handler_;
  std::vector<ChangePacker> packers_;  // by home
  absl::Status status_;
};

}  // namespace dsm
