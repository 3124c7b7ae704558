// The paper's interface under its own names, as listing 1 declares it: requests that may fail,
// and callbacks at completion.
//
//   llcl::listings::Process process(*job->endpoint);  // what the functions below use
//   while (!try_read_async({.src_proc = 1,
//                           .src_raddr = {.offset = 0, .region = there},
//                           .dest_laddr = {.offset = 0, .region = here.local()},
//                           .size_in_bytes = 8,
//                           .on_complete = {&callback_func, nullptr}}))
//     sched_yield();
//
// The paper writes `/*integer*/` and `/*...*/` where a type or members are the
// implementation's: here an address has the region that its offset counts in. Listing 1 declares
// the read, and the text names writes and remote atomics "almost the same"; their parameters are
// ours. The paper's callbacks get no outcome, and its requests give no reason: so what will never
// succeed ends the process with a sentence on standard error and exit code 2 (a request that
// names no registered memory) or 75 (a process is gone, or the request is late). endpoint.h has
// both, and is what new programs use.
//
// Threads: any, the functions, at the same time. Callbacks run as completions do
//   (completion.h): on any thread, perhaps before the request returns.
// Order: none among requests, none among callbacks.
// Progress: no function waits, and none need be called for progress.
//
// Source: [ET17] section 3.1, listing 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "llcl/endpoint.h"
#include "llcl/executor/tags.h"
#include "llcl/region.h"
#include "topo/atomic.h"

namespace llcl::listings {

using std::size_t;

using process_id_t = std::int32_t;

struct remote_address {
  size_t offset = 0;
  RemoteRegion region = {};
};

struct local_address {
  size_t offset = 0;
  LocalRegion region = {};
};

struct callback {
  void (*f)(void*) = nullptr;
  void* d = nullptr;
};

struct read_params {
  process_id_t src_proc = 0;
  remote_address src_raddr = {};
  local_address dest_laddr = {};
  size_t size_in_bytes = 0;
  callback on_complete = {};
};

struct write_params {
  process_id_t dest_proc = 0;
  remote_address dest_raddr = {};
  local_address src_laddr = {};
  size_t size_in_bytes = 0;
  callback on_complete = {};
};

// Adds to a word of 64 bits; its value before goes to `dest_laddr`.
struct fetch_add_params {
  process_id_t target_proc = 0;
  remote_address target_raddr = {};
  std::uint64_t operand = 0;
  local_address dest_laddr = {};
  callback on_complete = {};
};

// False: there is no room for the request now, and its callback is not called. True: its
// callback will be called once, or was. Precondition: a Process lives.
[[nodiscard]] bool try_read_async(const read_params& params);
[[nodiscard]] bool try_write_async(const write_params& params);
[[nodiscard]] bool try_fetch_add_async(const fetch_add_params& params);

// What the functions above use, as they name no endpoint. A resource; one at a time in a process,
// which ends the process otherwise. Its end waits for all requests.
class Process {
 public:
  // So many requests may be under way: the paper's tags.
  static constexpr Tag kTags = 4096;
  explicit Process(Endpoint& endpoint, Tag tags = kTags);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

 private:
  // Until its callback is called a request has a tag, by which its callback is found: the
  // paper's `cbs`.
  struct Called {
    Process* process = nullptr;
    Tag tag = kNullTag;
    callback on_complete = {};
  };

  static Process& Current();
  static void OnEnd(void* called, Outcome outcome);
  template <typename Request>
  bool TryPost(process_id_t peer, const RemoteRegion& region, callback on_complete,
               Request request);
  friend bool try_read_async(const read_params& params);
  friend bool try_write_async(const write_params& params);
  friend bool try_fetch_add_async(const fetch_add_params& params);

  Endpoint& endpoint_;
  BasicTags<topo::Atomic> tags_;
  const std::unique_ptr<Called[]> called_;  // by tag
};

}  // namespace llcl::listings
