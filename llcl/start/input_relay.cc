#include "llcl/start/input_relay.h"

#include <unistd.h>

#include <cerrno>

namespace llcl {
namespace {

// Errors: Cancelled; Unavailable where the first bytes of a stream do not come.
absl::StatusOr<std::string> ReadWhole(int from, std::size_t bytes, bool is_first = false) {
  std::string whole(bytes, '\0');
  for (std::size_t read_so_far = 0; read_so_far < bytes;) {
    const ssize_t got = read(from, &whole[read_so_far], bytes - read_so_far);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 && is_first && read_so_far == 0) {
      return absl::UnavailableError("the remote shell passes no input on, as ssh -n");
    }
    if (got <= 0) return absl::CancelledError("the input has ended before its first frames");
    read_so_far += static_cast<std::size_t>(got);
  }
  return whole;
}

absl::StatusOr<std::string> ReadFrame(int from, bool is_first) {
  const absl::StatusOr<std::string> header = ReadWhole(from, kFrameHeaderBytes, is_first);
  if (!header.ok()) return header.status();
  const absl::StatusOr<std::size_t> length = LengthOfFrame(*header);
  return length.ok() ? ReadWhole(from, *length) : length.status();
}

// A process in the background that reads from its terminal is stopped.
bool IsInBackground(int terminal) {
  const pid_t foreground = tcgetpgrp(terminal);
  return foreground >= 0 && foreground != getpgrp();
}

}  // namespace

pollfd InputRelay::Reading() const {
  if (is_lost_) return {-1, 0, 0};
  // Beyond some, bytes and the signals behind them wait until the reader has taken the ones before.
  // The end of the stream does not.
  if (kind_ == Kind::kOutOfFrames) {
    return {from_, static_cast<short>(is_full() ? POLLRDHUP : POLLIN | POLLRDHUP), 0};
  }
  return {wants_input() && !IsInBackground(from_) ? from_ : -1, POLLIN, 0};
}

bool InputRelay::is_held_back() const {
  return kind_ == Kind::kIntoFrames && wants_input() && IsInBackground(from_);
}

pollfd InputRelay::Writing() const { return {pending_.empty() ? -1 : to_.get(), POLLOUT, 0}; }

void InputRelay::Read() {
  if (kind_ == Kind::kOutOfFrames && is_full()) {
    is_lost_ = true;
    return;
  }
  // It may have been stopped, and gone on in the background, since it was asked for input.
  if (kind_ == Kind::kIntoFrames && IsInBackground(from_)) return;
  char bytes[16 * 1024];
  const ssize_t got = read(from_, bytes, sizeof bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  // SIGTTIN is blocked.
  if (got < 0 && errno == EIO && IsInBackground(from_)) return;
  if (got > 0) return Take(bytes, static_cast<std::size_t>(got));
  if (kind_ == Kind::kIntoFrames) return EndInput();
  is_lost_ = true;
}

void InputRelay::Take(const char* bytes, std::size_t count) {
  if (kind_ == Kind::kIntoFrames) {
    pending_ += FrameOf({bytes, count});
    return Write();
  }
  frames_.Feed({bytes, count});
  while (true) {
    const auto frame = frames_.Next();
    is_lost_ = !frame.ok();
    if (is_lost_ || !frame->has_value()) break;
    if ((*frame)->signal != 0) {
      signals_.push_back((*frame)->signal);
    } else if ((*frame)->bytes.empty()) {
      EndInput();
    } else if (!has_ended_) {
      pending_ += (*frame)->bytes;
    }
  }
  Write();
}

void InputRelay::Send(int signal) {
  if (to_.get() < 0) return;
  pending_ += FrameOfSignal(signal);
  Write();
}

int InputRelay::TakeSignal() {
  if (signals_.empty()) return 0;
  const int signal = signals_.front();
  signals_.pop_front();
  return signal;
}

void InputRelay::EndInput() {
  has_ended_ = true;
  if (kind_ == Kind::kIntoFrames) pending_ += FrameOf("");
  Write();
}

void InputRelay::Write() {
  while (!pending_.empty() && to_.get() >= 0) {
    const ssize_t wrote = write(to_.get(), pending_.data(), pending_.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote < 0) {  // Its reader is gone.
      has_ended_ = true;
      break;
    }
    pending_.erase(0, static_cast<std::size_t>(wrote));
  }
  pending_.clear();
  has_ended_ = has_ended_ || to_.get() < 0;
  if (has_ended_ && kind_ == Kind::kOutOfFrames) to_ = OwnedFd();
}

absl::StatusOr<ProxyStart> ReadProxyStart(int from) {
  ProxyStart start;
  absl::StatusOr<std::string> frame = ReadFrame(from, true);
  if (!frame.ok()) return frame.status();
  start.secret = *std::move(frame);
  std::string variables;
  do {
    frame = ReadFrame(from, false);
    if (!frame.ok()) return frame.status();
    variables += *frame;
  } while (!frame->empty());
  auto environment = ParseVariables(variables);
  if (!environment.ok()) return environment.status();
  start.environment = *std::move(environment);
  return start;
}

}  // namespace llcl
