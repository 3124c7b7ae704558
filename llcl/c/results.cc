#include "llcl/c/results.h"

#include <cstdio>
#include <string_view>

#include "absl/status/status.h"
#include "llcl/c/status.h"

namespace {

// Of the thread's last failure.
thread_local char sentence[1024];

llcl_status CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return LLCL_OK;
    case absl::StatusCode::kInvalidArgument:
      return LLCL_INVALID;
    case absl::StatusCode::kOutOfRange:
      return LLCL_BAD_RANGE;
    case absl::StatusCode::kResourceExhausted:
      return LLCL_NO_MEMORY;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return LLCL_UNAVAILABLE;
    default:
      return LLCL_FAILED;
  }
}

}  // namespace

namespace llcl::c {

llcl_status StatusOf(Posted posted) {
  switch (posted) {
    case Posted::kPosted:
    case Posted::kDone:
      return LLCL_OK;
    case Posted::kFull:
    case Posted::kNoTag:
      return LLCL_FULL;
    case Posted::kPeerDown:
      return LLCL_PEER_DOWN;
    case Posted::kLeft:
      return LLCL_LEFT;
    case Posted::kBadRange:
      return LLCL_BAD_RANGE;
    case Posted::kTooLong:
      return LLCL_TOO_LONG;
    case Posted::kClosing:
      return LLCL_CLOSING;
  }
  return LLCL_FAILED;
}

llcl_status Ended(const char* call, llcl_status status, std::string_view why) noexcept {
  if (status == LLCL_OK || status == LLCL_FULL) return status;
  if (why.empty()) why = llcl_status_name(status);
  std::snprintf(sentence, sizeof sentence, "%s: %.*s", call, static_cast<int>(why.size()),
                why.data());
  return status;
}

llcl_status Ended(const char* call, const absl::Status& status) noexcept {
  return Ended(call, CodeOf(status),
               std::string_view(status.message().data(), status.message().size()));
}

}  // namespace llcl::c

extern "C" {

const char* llcl_status_name(llcl_status status) {
  switch (status) {
    case LLCL_OK:
      return "done";
    case LLCL_PEER_DOWN:
      return "peer down";
    case LLCL_LATE:
      return "late";
    case LLCL_REFUSED:
      return "refused";
    case LLCL_ABORTED:
      return "aborted";
    case LLCL_NO_ROOM:
      return "no room";
    case LLCL_LEFT:
      return "left";
    case LLCL_DISAGREEMENT:
      return "disagreement";
    case LLCL_FULL:
      return "full";
    case LLCL_BAD_RANGE:
      return "bad range";
    case LLCL_TOO_LONG:
      return "too long";
    case LLCL_CLOSING:
      return "closing";
    case LLCL_INVALID:
      return "invalid";
    case LLCL_NO_MEMORY:
      return "no memory";
    case LLCL_UNAVAILABLE:
      return "unavailable";
    case LLCL_FAILED:
      return "failed";
  }
  return "?";
}

const char* llcl_error(void) { return sentence; }

}  // extern "C"
