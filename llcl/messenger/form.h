// Requests and replies.
//
// Pure.
#pragma once

#include <cstdint>

namespace llcl {

// The handler of a request may reply. Each request has one of the sender's credits, which goes back
// with the reply, or by itself.
enum class MessageForm : std::uint8_t { kRequest, kReply };

}  // namespace llcl
