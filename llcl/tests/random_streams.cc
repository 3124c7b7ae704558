#include "llcl/tests/random_streams.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "llcl/blocking.h"

namespace llcl {
namespace {

constexpr std::uint64_t kCountBytes = 8;

// Of each stream in a region.
std::uint64_t PartBytes(const RandomProgram& program) {
  std::uint64_t most = 0;
  for (const RandomStream& stream : program.streams) {
    most = std::max(most, stream.slots * stream.bytes);
  }
  return kCountBytes + most;
}

// A stream is to be limited by the conduit, not by the filling of its memory: a word in each so
// many bytes is the request's.
constexpr std::size_t kEach = 512;

void Mark(std::span<std::byte> bytes, std::uint64_t value) {
  for (std::size_t at = 0; at < bytes.size(); at += kEach) {
    const std::uint64_t word = WordOf(value, at);
    std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
  }
}

bool IsMarked(std::span<const std::byte> bytes, std::uint64_t value) {
  for (std::size_t at = 0; at < bytes.size(); at += kEach) {
    const std::uint64_t word = WordOf(value, at);
    if (std::memcmp(&bytes[at], &word, std::min(sizeof word, bytes.size() - at)) != 0) return false;
  }
  return true;
}

}  // namespace

RandomStreams::RandomStreams(const RandomProgram& program, int rank)
    : program_(program),
      rank_(rank),
      stream_(program.streams[static_cast<std::size_t>(rank)]),
      came_(program.streams.size()),
      count_(program.streams.size()) {
  for (std::uint64_t i = 0; i < stream_.slots; ++i) slots_.emplace_back().at = i * stream_.bytes;
}

void RandomStreams::OnMessage(const Message& message) {
  std::uint64_t number = 0;
  ASSERT_GE(message.payload().size(), sizeof number);
  std::memcpy(&number, message.payload().data(), sizeof number);
  EXPECT_TRUE(IsMarked(message.payload().subspan(sizeof number), number)) << Where();
  const auto sender = static_cast<std::size_t>(ToInt(message.from()));
  const std::lock_guard lock(mutex_);
  std::vector<bool>& came = came_[sender];
  if (came.size() <= number) came.resize(2 * number + 1);
  EXPECT_FALSE(came[number]) << Where() << ": a message of rank " << sender << " came twice";
  came[number] = true;
  ++count_[sender];
}

void RandomStreams::Open(Member& member) {
  member_ = &member;
  const std::uint64_t part = PartBytes(program_);
  region_ = member.Allocate(part * program_.streams.size());
  all_ = member.Exchange(*region_);
  there_ = {all_[static_cast<std::size_t>(stream_.peer)], part * static_cast<std::uint64_t>(rank_)};
  written_.resize(std::max<std::uint64_t>(1, stream_.slots * stream_.bytes));
  read_.resize(written_.size());
  written_region_ = member.Register(written_);
  read_region_ = member.Register(read_);
}

void RandomStreams::Close() {
  written_region_.reset();
  read_region_.reset();
  region_.reset();
}

void RandomStreams::Begin() {
  has_stopped_ = false;
  thread_ = std::thread([this] { Run(); });
}

void RandomStreams::End() {
  has_stopped_ = true;
  thread_.join();
  member_->Barrier();
  AwaitMessages();
  member_->Barrier();
}

void RandomStreams::Run() {
  if (slots_.empty()) return;
  for (Slot& slot : slots_) Begin(slot);
  for (std::size_t i = 0; !has_stopped_; i = (i + 1) % slots_.size()) {
    End(slots_[i]);
    Begin(slots_[i]);
  }
  for (Slot& slot : slots_) End(slot);
  if (stream_.kind == StreamKind::kMessages) return TellMessages();
  for (Slot& slot : slots_) {
    Read(slot);
    End(slot);
  }
}

void RandomStreams::Begin(Slot& slot) {
  ++requests_;
  if (stream_.kind == StreamKind::kMessages) return Send(slot);
  if (stream_.kind == StreamKind::kWrites || slot.value == 0) return Write(slot);
  Read(slot);
}

void RandomStreams::End(Slot& slot) {
  EXPECT_EQ(member_->endpoint().Wait(slot.ended), Outcome::kDone) << Where();
  if (!slot.reads) return;
  EXPECT_TRUE(IsMarked(std::span(read_).subspan(slot.at, stream_.bytes), slot.value)) << Where();
}

void RandomStreams::Read(Slot& slot) {
  slot.reads = true;
  slot.ended.Reset();
  member_->Post([&] {
    return member_->endpoint().TryRead({.from = there_ + (kCountBytes + slot.at),
                                        .to = {read_region_->local(), slot.at},
                                        .bytes = stream_.bytes,
                                        .then = slot.ended.completion()});
  });
}

void RandomStreams::Write(Slot& slot) {
  slot.reads = false;
  slot.value = requests_;
  slot.ended.Reset();
  Mark(std::span(written_).subspan(slot.at, stream_.bytes), slot.value);
  member_->Post([&] {
    return member_->endpoint().TryWrite({.from = {written_region_->local(), slot.at},
                                         .to = there_ + (kCountBytes + slot.at),
                                         .bytes = stream_.bytes,
                                         .then = slot.ended.completion()});
  });
}

void RandomStreams::Send(Slot& slot) {
  slot.ended.Reset();
  const std::uint64_t number = requests_ - 1;
  std::vector<std::byte> payload(sizeof number + stream_.bytes);
  std::memcpy(payload.data(), &number, sizeof number);
  Mark(std::span(payload).subspan(sizeof number), number);
  member_->Post([&] {
    return member_->endpoint().TrySend({.to = Rank{stream_.peer},
                                        .handler = kHandler,
                                        .payload = payload,
                                        .then = slot.ended.completion()});
  });
}

void RandomStreams::TellMessages() {
  std::uint64_t sent = requests_;
  const auto local = member_->endpoint().Register(std::as_writable_bytes(std::span(&sent, 1)));
  ASSERT_TRUE(local.ok()) << local.status();
  EXPECT_EQ(llcl::Write(member_->endpoint(),
                        {.from = {local->local()}, .to = there_, .bytes = sizeof sent}),
            Outcome::kDone)
      << Where();
}

void RandomStreams::AwaitMessages() {
  for (std::size_t sender = 0; sender < program_.streams.size(); ++sender) {
    const RandomStream& stream = program_.streams[sender];
    if (stream.kind != StreamKind::kMessages || stream.peer != rank_) continue;
    std::uint64_t sent = 0;
    std::memcpy(&sent, region_->local().start + PartBytes(program_) * sender, sizeof sent);
    const auto have_come = [&] {
      const std::lock_guard lock(mutex_);
      EXPECT_LE(count_[sender], sent) << Where();
      return count_[sender] >= sent;
    };
    while (!have_come()) {
      if (!member_->endpoint().TryAdvance()) std::this_thread::yield();
    }
  }
}

std::string RandomStreams::Where() const {
  static constexpr const char* kKinds[] = {"writes", "reads", "messages"};
  return "seed " + std::to_string(program_.seed) + ", rank " + std::to_string(rank_) +
         ": a stream of " + kKinds[static_cast<int>(stream_.kind)] + " of " +
         std::to_string(stream_.bytes) + " bytes, " + std::to_string(stream_.slots) +
         " at a time, to rank " + std::to_string(stream_.peer) + ", " +
         std::to_string(requests_.load()) + " so far";
}

}  // namespace llcl
