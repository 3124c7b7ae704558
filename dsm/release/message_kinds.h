// The messages of a space between ranks: the handler of each, the same on all ranks.
#pragma once

#include <cstddef>

#include "llcl/messenger.h"

namespace dsm {

inline constexpr llcl::HandlerId kChanges{0};         // ChangeReceiver; acknowledged
inline constexpr llcl::HandlerId kLockedChanges{1};   // the same for changes under a lock
inline constexpr llcl::HandlerId kAcknowledgment{2};  // ChangeSender
inline constexpr llcl::HandlerId kHeld{3};            // ChangeReceiver: new copies; acknowledged
inline constexpr llcl::HandlerId kToLockHome{4};      // Locks
inline constexpr llcl::HandlerId kToLockWaiter{5};    // Locks
// The program's handlers have the numbers from here on.
inline constexpr std::size_t kOwnHandlers = 6;

}  // namespace dsm
