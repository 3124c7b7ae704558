#include "llcl/listings.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace llcl::listings {
namespace {

std::atomic<Process*> current{nullptr};

constexpr int kBadArguments = 2, kGone = 75;

[[noreturn]] void End(int exit_code, const char* why) {
  std::fprintf(stderr, "llcl: %s\n", why);
  std::_Exit(exit_code);
}

RemoteAddress There(const remote_address& at) { return {.region = at.region, .offset = at.offset}; }
LocalAddress Here(const local_address& at) { return {.region = at.region, .offset = at.offset}; }

}  // namespace

Process::Process(Endpoint& endpoint, Tag tags)
    : endpoint_(endpoint), tags_(tags), called_(new Called[tags]) {
  for (Tag tag = 0; tag < tags; ++tag) called_[tag] = {.process = this, .tag = tag};
  Process* none = nullptr;
  if (!current.compare_exchange_strong(none, this)) {
    End(kBadArguments, "listings: there is a Process already");
  }
}

Process::~Process() {
  endpoint_.Drain();
  current.store(nullptr);
}

Process& Process::Current() {
  Process* const process = current.load(std::memory_order_acquire);
  if (process == nullptr) End(kBadArguments, "listings: a request without a Process");
  return *process;
}

void Process::OnEnd(void* data, Outcome outcome) {
  Called& called = *static_cast<Called*>(data);
  switch (outcome) {
    case Outcome::kDone:
      break;
    case Outcome::kRefused:
      End(kBadArguments, "listings: a request names memory that its owner has not registered");
    case Outcome::kNoRoom:
      End(kBadArguments, "listings: this process has no addresses for the memory of a request");
    case Outcome::kPeerDown:
    case Outcome::kLeft:
    case Outcome::kLate:
    case Outcome::kAborted:
    case Outcome::kDisagreement:  // Of collective operations alone.
      End(kGone, "listings: a request has failed, as the other process is gone or late");
  }
  const callback on_complete = called.on_complete;
  // First: the callback may request more.
  called.process->tags_.Free(called.tag);
  if (on_complete.f != nullptr) (*on_complete.f)(on_complete.d);
}

template <typename Request>
bool Process::TryPost(process_id_t peer, const RemoteRegion& region, callback on_complete,
                      Request request) {
  if (peer != ToInt(region.owner)) {
    End(kBadArguments, "listings: a request names another process than its remote address does");
  }
  const Tag tag = tags_.TryTake();
  if (tag == kNullTag) return false;
  Called& called = called_[tag];
  called.on_complete = on_complete;
  switch (request(Completion(&OnEnd, &called))) {
    case Posted::kPosted:
      return true;
    case Posted::kFull:
    case Posted::kNoTag:
      tags_.Free(tag);
      return false;
    case Posted::kPeerDown:
    case Posted::kLeft:
      End(kGone, "listings: a request of a process that is gone");
    case Posted::kBadRange:
    case Posted::kTooLong:
    case Posted::kClosing:
    case Posted::kDone:  // Not asked for.
      break;
  }
  End(kBadArguments, "listings: a request whose addresses do not lie in registered memory");
}

bool try_read_async(const read_params& params) {
  Process& process = Process::Current();
  return process.TryPost(params.src_proc, params.src_raddr.region, params.on_complete,
                         [&](Completion then) {
                           return process.endpoint_.TryRead({.from = There(params.src_raddr),
                                                             .to = Here(params.dest_laddr),
                                                             .bytes = params.size_in_bytes,
                                                             .then = then});
                         });
}

bool try_write_async(const write_params& params) {
  Process& process = Process::Current();
  return process.TryPost(params.dest_proc, params.dest_raddr.region, params.on_complete,
                         [&](Completion then) {
                           return process.endpoint_.TryWrite({.from = Here(params.src_laddr),
                                                              .to = There(params.dest_raddr),
                                                              .bytes = params.size_in_bytes,
                                                              .then = then});
                         });
}

bool try_fetch_add_async(const fetch_add_params& params) {
  Process& process = Process::Current();
  return process.TryPost(
      params.target_proc, params.target_raddr.region, params.on_complete, [&](Completion then) {
        return process.endpoint_.TryAtomic<std::uint64_t>({.target = There(params.target_raddr),
                                                           .operand = params.operand,
                                                           .fetch_to = Here(params.dest_laddr),
                                                           .then = then});
      });
}

}  // namespace llcl::listings
