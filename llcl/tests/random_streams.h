// The streams of a random program (random_program.h), one rank's part. A stream keeps requests of
// one kind under way to another rank, each followed by the next as soon as it has ended, until all
// threads of all ranks are done with the phase: a stream that keeps other requests away, of its own
// rank or of others, leaves a program that does not end.
//
// Threads: OnMessage and Where any; Run, and what it calls, the stream's own; all else the rank's
// main thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "llcl/completion.h"
#include "llcl/messenger.h"
#include "llcl/region.h"
#include "llcl/tests/job.h"
#include "llcl/tests/random_program.h"

namespace llcl {

// A resource.
class RandomStreams {
 public:
  RandomStreams(const RandomProgram& program, int rank);
  // The handler of streamed messages, which is kHandler.
  static constexpr HandlerId kHandler{2};
  void OnMessage(const Message& message);

  // All ranks do these together. Begin and End: of a phase; before End all of its threads are done.
  void Open(Member& member);
  void Begin();
  void End();
  void Close();

  std::string Where() const;

 private:
  // What is requested again and again. A resource.
  struct Slot {
    std::uint64_t at = 0;     // in the stream's memory here and there
    std::uint64_t value = 0;  // what was written there last, if anything
    bool reads = false;       // now
    Flag ended;
  };
  void Run();
  void Begin(Slot& slot);
  void End(Slot& slot);
  void Read(Slot& slot);
  void Write(Slot& slot);
  void Send(Slot& slot);
  void TellMessages();
  void AwaitMessages();

  const RandomProgram& program_;
  const int rank_;
  const RandomStream& stream_;
  Member* member_ = nullptr;
  // A part of each rank's region belongs to each rank's stream: how many messages it has sent, then
  // the slots.
  std::optional<Region> region_;
  std::vector<RemoteRegion> all_;  // by rank
  RemoteAddress there_;            // the part of this rank's stream, on its peer
  std::vector<std::byte> written_, read_;
  std::optional<Region> written_region_, read_region_;
  std::deque<Slot> slots_;
  std::thread thread_;
  std::atomic<bool> has_stopped_{false};
  std::atomic<std::uint64_t> requests_{0};

  std::mutex mutex_;
  std::vector<std::vector<bool>> came_;  // by sender: the numbers of messages
  std::vector<std::uint64_t> count_;     // by sender: how many
};

}  // namespace llcl
