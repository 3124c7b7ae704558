#include "llcl/c/operation.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <thread>

#include "llcl/atomics.h"
#include "llcl/c/described.h"
#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/endpoint/params.h"

namespace {

using llcl::c::CompletionOf;
using llcl::c::Ended;
using llcl::c::Guarded;
using llcl::c::Invalid;
using llcl::c::RegionOf;
using llcl::c::Try;
using llcl::c::Wait;

// The fault of the arguments; null: none.
const char* Fault(const llcl_job* job, const llcl_transfer* transfer) {
  if (job == nullptr) return "job is NULL";
  if (transfer == nullptr) return "transfer is NULL";
  if (transfer->here == nullptr) return "transfer->here is NULL";
  if (transfer->there == nullptr) return "transfer->there is NULL";
  return nullptr;
}
const char* Fault(const llcl_job* job, const llcl_update* update) {
  if (job == nullptr) return "job is NULL";
  if (update == nullptr) return "update is NULL";
  if (update->there == nullptr) return "update->there is NULL";
  if (llcl_type_bytes(update->type) == 0) return "update->type is no type";
  if (update->op > LLCL_FETCH) return "update->op is no operation";
  return nullptr;
}

llcl::ReadParams ReadOf(const llcl_transfer& transfer, llcl::Completion then) {
  return {.from = {RegionOf(*transfer.there), transfer.there_offset},
          .to = {transfer.here->region.local(), transfer.here_offset},
          .bytes = transfer.bytes,
          .then = then,
          .timeout = llcl::Timeout(transfer.timeout_ms)};
}
llcl::WriteParams WriteOf(const llcl_transfer& transfer, llcl::Completion then) {
  return {.from = {transfer.here->region.local(), transfer.here_offset},
          .to = {RegionOf(*transfer.there), transfer.there_offset},
          .bytes = transfer.bytes,
          .then = then,
          .timeout = llcl::Timeout(transfer.timeout_ms)};
}

// Calls f(a zero of the type, its member of llcl_word). Precondition: `type` is one.
template <typename F>
llcl::Posted ByType(llcl_type type, F f) {
  switch (type) {
    case LLCL_I32:
      return f(&llcl_word::i32);
    case LLCL_U32:
      return f(&llcl_word::u32);
    case LLCL_I64:
      return f(&llcl_word::i64);
    case LLCL_U64:
      return f(&llcl_word::u64);
    case LLCL_F32:
      return f(&llcl_word::f32);
    case LLCL_F64:
      return f(&llcl_word::f64);
  }
  return llcl::Posted::kBadRange;
}

template <typename T>
llcl::AtomicParams<T> AtomicOf(const llcl_update& update, T llcl_word::*member,
                               std::optional<llcl::LocalAddress> fetch_to, llcl::Completion then) {
  llcl::AtomicParams<T> params = {.target = {RegionOf(*update.there), update.there_offset},
                                  .fetch_to = fetch_to,
                                  .then = then,
                                  .timeout = llcl::Timeout(update.timeout_ms)};
  if (update.op == LLCL_FETCH) {
    // Zero over zero: no word changes.
    params.op = llcl::AtomicOp::kCompareSwap;
    return params;
  }
  params.op = static_cast<llcl::AtomicOp>(update.op);
  params.operand = update.operand.*member;
  params.expected = update.expected.*member;
  return params;
}
static_assert(static_cast<llcl::AtomicOp>(LLCL_ADD) == llcl::AtomicOp::kAdd);
static_assert(static_cast<llcl::AtomicOp>(LLCL_MIN) == llcl::AtomicOp::kMin);
static_assert(static_cast<llcl::AtomicOp>(LLCL_MAX) == llcl::AtomicOp::kMax);
static_assert(static_cast<llcl::AtomicOp>(LLCL_AND) == llcl::AtomicOp::kAnd);
static_assert(static_cast<llcl::AtomicOp>(LLCL_OR) == llcl::AtomicOp::kOr);
static_assert(static_cast<llcl::AtomicOp>(LLCL_XOR) == llcl::AtomicOp::kXor);
static_assert(static_cast<llcl::AtomicOp>(LLCL_SWAP) == llcl::AtomicOp::kSwap);
static_assert(static_cast<llcl::AtomicOp>(LLCL_COMPARE_SWAP) == llcl::AtomicOp::kCompareSwap);
static_assert(static_cast<llcl::AtomicOp>(LLCL_PRODUCT) == llcl::kLastAtomicOp);

llcl::Posted TryAtomic(llcl_job& job, const llcl_update& update,
                       std::optional<llcl::LocalAddress> fetch_to, llcl::Completion then) {
  return ByType(update.type, [&](auto member) {
    return job.endpoint().TryAtomic(AtomicOf(update, member, fetch_to, then));
  });
}

// As TryAtomic, and waits.
llcl_status Fetch(const char* call, llcl_job& job, const llcl_update& update, llcl_word* before) {
  std::optional<std::size_t> word = job.words.TryTake();
  while (!word) {
    if (job.words.AreAllLost()) return Ended(call, LLCL_NO_ROOM, "64 fetches were late");
    (void)job.endpoint().TryAdvance();
    std::this_thread::yield();
    word = job.words.TryTake();
  }
  const llcl::LocalAddress to = {job.fetched.region.local(), *word * sizeof(std::uint64_t)};
  const llcl_status status =
      Wait(call, job, [&](llcl::Completion then) { return TryAtomic(job, update, to, then); });
  // The network may still write the word of an operation that has not ended by itself.
  if (status == LLCL_LATE || status == LLCL_PEER_DOWN || status == LLCL_LEFT ||
      status == LLCL_ABORTED) {
    job.words.Lose();
    return status;
  }
  if (status == LLCL_OK) {
    std::memcpy(before, &job.words[*word], llcl_type_bytes(update.type));
  }
  job.words.GiveBack(*word);
  return status;
}

llcl::Posted TryWriteThenAtomic(llcl_job& job, const llcl_transfer& transfer,
                                llcl::Completion written, const llcl_update& signal,
                                llcl::Completion then) {
  return ByType(signal.type, [&](auto member) {
    return job.endpoint().TryWriteThenAtomic(WriteOf(transfer, written),
                                             AtomicOf(signal, member, std::nullopt, then));
  });
}

}  // namespace

extern "C" {

llcl_status llcl_try_read(llcl_job* job, const llcl_transfer* transfer) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  return Try(__func__, [&] {
    return job->endpoint().TryRead(ReadOf(*transfer, CompletionOf(transfer->then)));
  });
}
llcl_status llcl_read(llcl_job* job, const llcl_transfer* transfer) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  return Wait(__func__, *job, [&](llcl::Completion then) {
    return job->endpoint().TryRead(ReadOf(*transfer, then));
  });
}

llcl_status llcl_try_write(llcl_job* job, const llcl_transfer* transfer) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  return Try(__func__, [&] {
    return job->endpoint().TryWrite(WriteOf(*transfer, CompletionOf(transfer->then)));
  });
}
llcl_status llcl_write(llcl_job* job, const llcl_transfer* transfer) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  return Wait(__func__, *job, [&](llcl::Completion then) {
    return job->endpoint().TryWrite(WriteOf(*transfer, then));
  });
}

uint64_t llcl_type_bytes(llcl_type type) {
  switch (type) {
    case LLCL_I32:
    case LLCL_U32:
    case LLCL_F32:
      return 4;
    case LLCL_I64:
    case LLCL_U64:
    case LLCL_F64:
      return 8;
  }
  return 0;
}

llcl_status llcl_try_atomic(llcl_job* job, const llcl_update* update) {
  if (const char* const fault = Fault(job, update)) return Invalid(__func__, fault);
  return Try(__func__, [&] {
    std::optional<llcl::LocalAddress> to;
    if (update->fetch_to != nullptr) {
      to = llcl::LocalAddress{update->fetch_to->region.local(), update->fetch_offset};
    }
    return TryAtomic(*job, *update, to, CompletionOf(update->then));
  });
}
llcl_status llcl_atomic(llcl_job* job, const llcl_update* update, llcl_word* before) {
  if (const char* const fault = Fault(job, update)) return Invalid(__func__, fault);
  if (before != nullptr) return Fetch(__func__, *job, *update, before);
  return Wait(__func__, *job,
              [&](llcl::Completion then) { return TryAtomic(*job, *update, std::nullopt, then); });
}

llcl_status llcl_try_write_then_atomic(llcl_job* job, const llcl_transfer* transfer,
                                       const llcl_update* signal) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  if (const char* const fault = Fault(job, signal)) return Invalid(__func__, fault);
  return Try(__func__, [&] {
    return TryWriteThenAtomic(*job, *transfer, CompletionOf(transfer->then), *signal,
                              CompletionOf(signal->then));
  });
}
llcl_status llcl_write_then_atomic(llcl_job* job, const llcl_transfer* transfer,
                                   const llcl_update* signal) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  if (const char* const fault = Fault(job, signal)) return Invalid(__func__, fault);
  return Wait(__func__, *job, [&](llcl::Completion then) {
    return TryWriteThenAtomic(*job, *transfer, {}, *signal, then);
  });
}

llcl_status llcl_try_write_then_send(llcl_job* job, const llcl_transfer* transfer, int to,
                                     uint16_t handler, const void* payload, uint64_t bytes,
                                     llcl_completion* then) {
  if (const char* const fault = Fault(job, transfer)) return Invalid(__func__, fault);
  if (handler >= job->handlers) return Invalid(__func__, "there is no such handler");
  if (payload == nullptr && bytes != 0) return Invalid(__func__, "payload is NULL");
  return Try(__func__, [&] {
    return job->endpoint().TryWriteThenSend(
        WriteOf(*transfer, CompletionOf(transfer->then)),
        {.to = llcl::Rank{to},
         .handler = llcl::HandlerId{handler},
         .payload = {static_cast<const std::byte*>(payload), bytes},
         .then = CompletionOf(then)});
  });
}

}  // extern "C"
