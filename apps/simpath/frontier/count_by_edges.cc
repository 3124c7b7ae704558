#include "apps/simpath/frontier/count_by_edges.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "apps/simpath/frontier/chunks.h"
#include "apps/simpath/frontier/decide.h"
#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/nodes.h"
#include "apps/simpath/frontier/residue.h"
#include "apps/simpath/frontier/ring.h"
#include "apps/simpath/frontier/stage_errors.h"
#include "apps/simpath/frontier/sum.h"
#include "topo/mutex.h"

namespace simpath {
namespace {

// What one thread sends to the next: mates or counts of arcs to nodes of one level.
struct Message {
  enum class Kind { kMates, kCloseLevel, kCounts, kEndCounts };
  static constexpr std::size_t kWords = 508;

  Kind kind = Kind::kMates;
  std::uint32_t arcs = 0;
  std::uint32_t step = 0;  // that the nodes are before
  std::uint32_t count_words = 0;
  std::array<std::uint64_t, kWords> data;
};

constexpr std::size_t kMessages = 64;  // of a ring: 256 KiB

// What all threads share.
struct Shared {
  Shared(const Plan& its_plan, const CountOptions& its_options)
      : plan(its_plan), options(its_options), budget(its_options.memory_limit) {}

  const Plan& plan;
  const CountOptions& options;
  Budget budget;
  std::atomic<bool> ended{false};
  topo::Mutex mutex;
  absl::Status status ABSL_GUARDED_BY(mutex);
  Count paths ABSL_GUARDED_BY(mutex);
  Residue paths_residue ABSL_GUARDED_BY(mutex);
};

template <int words>
class Decider {
 public:
  Decider(Shared& shared, const Rules<words>& rules, Ring<Message>& in, Ring<Message>& out)
      : shared_(shared), states_(rules), in_(in), out_(out), store_(shared.budget) {}

  // The first edge is this thread's.
  void Start() {
    Nodes<words>& root = LevelOf(0).nodes;
    const std::uint64_t one = 1;
    const bool fits = root.Find({}, HashOf(Mates<words>{})) && root.StartCounts(1);
    if (!fits) return Refuse(0);
    root.Close();
    root.AddCount({&one, 1});
    root.EndCounts();
    LevelOf(0).expected = Residue::FromValue(1);
  }

  void Run() {
    int idle = 0;
    while (!shared_.ended.load(std::memory_order_acquire)) {
      const bool received = Receive();
      const bool sent = Send();
      if (received || sent) {
        idle = 0;
      } else if (idle < kSpins) {
        ++idle;
      } else {
        std::this_thread::yield();
      }
    }
    const topo::Lock lock(shared_.mutex);
    shared_.paths += paths_;
    shared_.paths_residue = shared_.paths_residue + paths_residue_;
  }

 private:
  static constexpr int kSpins = 64;
  static constexpr std::size_t kMatesAMessage = Message::kWords / words;

  struct Level {
    Nodes<words> nodes;
    bool next_is_closed = false;  // all mates have been sent
    std::size_t counted = 0;      // nodes whose counts have been sent
    Sum ended;                    // of paths
    // Sums of counts, for the check: sent to the nodes, read from the nodes, sent by the nodes.
    Residue expected, read, given;
  };

  // All that has come. Whether something had.
  bool Receive() {
    bool any = false;
    while (const Message* const message = in_.Filled()) {
      any = true;
      if (!Take(*message, LevelOf(message->step))) {
        Refuse(message->step);
        return true;
      }
      in_.Release();
    }
    return any;
  }

  bool Take(const Message& message, Level& level) {
    Nodes<words>& nodes = level.nodes;
    switch (message.kind) {
      case Message::Kind::kMates:
        return TakeMates(message, nodes);
      case Message::Kind::kCloseLevel:
        nodes.Close();
        return true;
      case Message::Kind::kCounts:
        if (!nodes.has_counts() && !nodes.StartCounts(message.count_words)) return false;
        for (std::size_t i = 0; i < message.arcs; ++i) {
          nodes.AddCount({message.data.data() + i * message.count_words, message.count_words});
        }
        return true;
      case Message::Kind::kEndCounts:
        if (!nodes.has_counts() && !nodes.StartCounts(1)) return false;  // No arc has come to it.
        nodes.EndCounts();
        level.expected = Residue::FromValue(message.data[0]);
        return true;
    }
    return false;
  }

  bool TakeMates(const Message& message, Nodes<words>& nodes) {
    const auto mates_of = [&](std::size_t i) {
      Mates<words> mates;
      for (std::size_t word = 0; word < words; ++word) {
        mates.word[word] = message.data[i * words + word];
      }
      return mates;
    };
    std::array<std::uint64_t, kMatesAMessage> hashes;
    for (std::size_t i = 0; i < message.arcs; ++i) {
      hashes[i] = HashOf(mates_of(i));
      nodes.Prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < message.arcs; ++i) {
      if (!nodes.Find(mates_of(i), hashes[i])) return false;
    }
    return true;
  }

  Level& LevelOf(std::size_t step) {
    for (Level& level : levels_) {
      if (level.nodes.step() == step) return level;
    }
    levels_.push_back({.nodes = Nodes<words>(step, store_, shared_.budget), .ended = Sum(0)});
    return levels_.back();
  }

  // One message of the first level that has something to send. Whether there was one, and room.
  bool Send() {
    for (Level& level : levels_) {
      Message* const message = out_.Free();
      if (message == nullptr) return false;
      message->step = static_cast<std::uint32_t>(level.nodes.step()) + 1;
      message->arcs = 0;
      if (level.nodes.has_next()) {
        SendMates(level.nodes, *message);
        return true;
      }
      if (level.nodes.is_closed() && !level.next_is_closed) {
        level.next_is_closed = true;
        level.nodes.DropMates();
        if (!IsLast(level.nodes)) {
          message->kind = Message::Kind::kCloseLevel;
          out_.Publish();
        }
        return true;
      }
      if (level.nodes.has_all_counts()) {
        SendCounts(level, *message);
        return true;
      }
    }
    return false;
  }

  bool IsLast(const Nodes<words>& nodes) const {
    return nodes.step() + 1 == shared_.plan.steps.size();
  }

  void SendMates(Nodes<words>& nodes, Message& message) {
    message.kind = Message::Kind::kMates;
    const auto send = [&](const Mates<words>& mates) {
      for (std::size_t word = 0; word < words; ++word) {
        message.data[message.arcs * words + word] = mates.word[word];
      }
      ++message.arcs;
    };
    // Of each node two arcs at most.
    while (nodes.has_next() && message.arcs + 2 <= kMatesAMessage) {
      const std::size_t room = (kMatesAMessage - message.arcs) / 2;
      while (nodes.has_next() && states_.size() < room && !states_.is_full()) {
        states_.Add(nodes.Next());
      }
      std::array<std::uint8_t, Batch<words>::kStates> arcs = {};
      const std::size_t expanded = states_.size();
      const auto ways = states_.Decide(nodes.step(), [&](const Way<words>& way) {
        arcs[way.state] |= way.choice == 0 ? kPathByZero : kPathByOne;
      });
      for (const Way<words>& way : ways) {
        // What is open when all edges are decided is no path.
        if (IsLast(nodes)) break;
        send(way.mates);
        arcs[way.state] |= way.choice == 0 ? kZeroArc : kOneArc;
      }
      if (!nodes.Expanded(std::span(arcs).first(expanded))) return Refuse(nodes.step());
    }
    if (message.arcs > 0) out_.Publish();
  }

  // A message, or the end of the level.
  void SendCounts(Level& level, Message& message) {
    Nodes<words>& nodes = level.nodes;
    const Stage& stage = shared_.plan.stages[nodes.step()];
    const std::size_t next_words = CountWordsAfter(stage, nodes.open(), shared_.options);
    if (next_words * 2 > Message::kWords) {
      return End(absl::UnimplementedError(absl::StrCat("the counts of step ", nodes.step() + 1,
                                                       " have more bits than a message holds")));
    }
    if (level.counted == 0) level.ended = Sum(next_words);
    message.kind = Message::Kind::kCounts;
    message.count_words = static_cast<std::uint32_t>(next_words);
    weighted_.resize(next_words);
    const auto send = [&](std::span<const std::uint64_t> count) {
      const auto to = std::span(message.data).subspan(message.arcs * next_words, next_words);
      for (std::size_t i = 0; i < next_words; ++i) to[i] = i < count.size() ? count[i] : 0;
      ++message.arcs;
    };
    const auto end = [&](std::span<const std::uint64_t> count, Residue residue) {
      level.ended.Add(count);
      paths_residue_ = paths_residue_ + residue;
    };
    const bool cuts_off = shared_.options.most_bits != CountOptions::kAllBits;
    const std::size_t room = Message::kWords / next_words;
    while (level.counted < nodes.size() && message.arcs + 2 <= room) {
      const std::uint8_t arcs = nodes.arcs_from(level.counted);
      std::span<const std::uint64_t> count =
          nodes.count_of(level.counted).first(std::min(nodes.count_words(), next_words));
      Residue residue(nodes.count_of(level.counted));
      ++level.counted;
      level.read = level.read + residue;
      // A node sends a count for each arc, even if the count is cut off to zero.
      const auto give = [&] {
        send(count);
        level.given = level.given + residue;
      };
      if ((arcs & kZeroArc) != 0) give();
      if ((arcs & kPathByZero) != 0) end(count, residue);
      if ((arcs & (kOneArc | kPathByOne)) == 0) continue;
      if (stage.is_weighted) {
        MultiplyWords(weighted_, count, stage.weights[1].words());
        residue = residue * Residue(stage.weights[1].words());
        if (cuts_off) {
          CutOff(weighted_, shared_.options);
          residue = Residue(weighted_);
        }
        count = weighted_;
      }
      if ((arcs & kOneArc) != 0) give();
      if ((arcs & kPathByOne) != 0) end(count, residue);
    }
    if (message.arcs > 0) return out_.Publish();
    if (level.counted < nodes.size()) return;
    if (level.read != level.expected && shared_.options.check == Check::kOn) {
      return End(Inconsistent(shared_.plan, stage));
    }
    paths_ += level.ended.count();
    if (shared_.options.open_bits != nullptr) {
      const topo::Lock lock(shared_.mutex);
      RaiseOpenBits(nodes.open(), shared_.options);
    }
    if (shared_.options.progress) shared_.options.progress({nodes.step(), nodes.size()});
    if (IsLast(nodes)) {
      End(absl::OkStatus());
    } else {
      message.kind = Message::Kind::kEndCounts;
      message.data[0] = level.given.value();
      out_.Publish();
    }
    levels_.pop_front();  // Levels end in their order.
  }

  void Refuse(std::size_t step) {
    End(TooWide(shared_.plan, shared_.plan.stages[step], shared_.options.memory_limit));
  }
  void End(const absl::Status& status) {
    const topo::Lock lock(shared_.mutex);
    shared_.status.Update(status);
    shared_.ended.store(true, std::memory_order_release);
  }

  Shared& shared_;
  Batch<words> states_;
  Ring<Message>& in_;
  Ring<Message>& out_;
  ChunkStore store_;
  std::deque<Level> levels_;
  std::vector<std::uint64_t> weighted_;
  Count paths_;
  Residue paths_residue_;
};

}  // namespace

absl::StatusOr<Count> CountByEdges(const Plan& plan, const topo::Topology& topology,
                                   const topo::Mapping& mapping, const CountOptions& options) {
  if (plan.steps.empty()) return Count(0);
  const Layout layout = LayoutOf(plan);
  return WithWords<Count>(layout, [&]<int words>() -> absl::StatusOr<Count> {
    Shared shared(plan, options);
    const Rules<words> rules(plan, layout);
    std::vector<std::unique_ptr<Ring<Message>>> rings;  // by the thread that reads
    for (int i = 0; i < mapping.size(); ++i) {
      rings.push_back(std::make_unique<Ring<Message>>(kMessages));
    }
    const absl::Status ran = topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
      const auto thread = static_cast<std::size_t>(slot.thread);
      Decider<words> decider(shared, rules, *rings[thread], *rings[(thread + 1) % rings.size()]);
      try {
        if (slot.thread == 0) decider.Start();
        decider.Run();
      } catch (...) {
        shared.ended.store(true);  // Nobody waits for this thread any more.
        throw;
      }
    });
    if (!ran.ok()) return ran;
    const topo::Lock lock(shared.mutex);
    if (!shared.status.ok()) return shared.status;
    RaiseOpenBits(shared.paths, options);
    if (Residue(shared.paths.words()) != shared.paths_residue && options.check == Check::kOn) {
      return Inconsistent(plan, plan.stages.back());
    }
    return shared.paths;
  });
}

}  // namespace simpath
