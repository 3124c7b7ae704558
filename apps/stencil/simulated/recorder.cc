#include "apps/stencil/simulated/recorder.h"

#include <algorithm>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/stencil/sweep/kernel.h"
#include "apps/stencil/sweep/time_block.h"

namespace stencil {
namespace {

// A value. Pages of an array, by their numbers in it.
struct ArrayPages {
  std::size_t array = 0;
  std::uint64_t first = 0, last = 0;
  int away = 0;  // of the rank that is their home

  auto Key() const { return std::tuple(array, first); }
};

class Recorder final : public Rank {
 public:
  Recorder(const Problem& problem, Pages pages, int number, int ranks, std::uint64_t page_bytes,
           const Node& node)
      : Rank(problem, number, ranks, pages), page_bytes_(page_bytes), node_(node) {}

  // Names of planes, which are never looked into.
  Planes grid(std::size_t i) { return {&names_[i]}; }
  Planes seams() { return {&names_[kSeams]}; }

  absl::Status Preload(Planes grid, Slab planes, Slab rows) override {
    if (pages() == Pages::kByFault) return absl::OkStatus();
    std::vector<ArrayPages> others;
    AddOthers(grid, planes, rows, others);
    if (others.empty()) return absl::OkStatus();
    if (actions_.empty() || !actions_.back().threads.empty()) actions_.emplace_back();
    auto& preloads = actions_.back().preloads;
    preloads.insert(preloads.end(), others.begin(), others.end());
    return absl::OkStatus();
  }
  absl::Status StartPreload(Planes, Slab) override {
    return absl::UnimplementedError("simulated nodes do not overlap what they fetch");
  }
  absl::Status FinishPreload() override { return absl::OkStatus(); }

  void InParallel(const std::function<void(Worker&)>& work) override;

  absl::Status Meet() override {
    meetings_.push_back(std::exchange(actions_, {}));
    return absl::OkStatus();
  }

  absl::StatusOr<Recording> Take();

 private:
  class RecordingWorker;
  // As Action and ThreadWork, before the pages that are read at all are known.
  struct Noted {
    ThreadWork work;
    std::vector<ArrayPages> reads;
  };
  struct NotedAction {
    std::vector<ArrayPages> preloads;
    std::vector<Noted> threads;
    int first_step = 0, steps = 0;
  };

  static constexpr std::size_t kSeams = 2, kShared = 3, kOwn = 3, kNames = 5;
  std::size_t ArrayOf(Planes planes) const {
    return static_cast<std::size_t>(planes.origin - names_);
  }
  bool IsShared(Planes planes) const { return ArrayOf(planes) < kShared; }
  Slab OwnPlanes(std::size_t array) const {
    if (array != kSeams) return slab();
    const std::uint64_t each = SeamPlanes(problem(), ranks());
    const auto rank = static_cast<std::uint64_t>(number());
    return {rank * each, (rank + 1) * each};
  }
  // Pages of these rows that have their homes elsewhere.
  void AddOthers(Planes grid, Slab planes, Slab rows, std::vector<ArrayPages>& others) const;
  void CheckWrite(Planes grid, Slab planes) {
    if (!IsShared(grid) || planes.size() == 0) return;
    const Slab own = OwnPlanes(ArrayOf(grid));
    if (Common(planes, own).size() < planes.size()) writes_elsewhere_ = true;
  }

  const std::uint64_t page_bytes_;
  const Node& node_;
  double names_[kNames] = {};
  std::vector<NotedAction> actions_;
  std::vector<std::vector<NotedAction>> meetings_;
  int steps_ = 0;  // that have been computed
  bool writes_elsewhere_ = false;
};

class Recorder::RecordingWorker final : public Worker {
 public:
  RecordingWorker(Recorder& rank, int thread, int threads) : Worker(thread, threads), rank_(rank) {}

  Noted& noted() { return noted_; }
  int steps() const { return steps_; }

  void Advance(const TimeBlock& block, std::span<const Box> boxes) override {
    const Problem& problem = rank_.problem();
    for (int step = 1; step <= block.steps; ++step) {
      const Box& box = boxes[static_cast<std::size_t>(step) - 1];
      if (box.planes.size() == 0 || box.rows.size() == 0) continue;
      rank_.AddOthers(block.After(step - 1), Widened(box.planes, 1, problem.nz),
                      Widened(box.rows, 1, problem.ny), noted_.reads);
      rank_.CheckWrite(block.After(step), box.planes);
    }
    const Traffic traffic = rank_.node_.TrafficOf(problem, boxes);
    noted_.work.updates += UpdatesOf(problem, boxes);
    noted_.work.read_bytes += traffic.read_bytes;
    noted_.work.written_bytes += traffic.written_bytes;
    steps_ = std::max(steps_, block.steps);
  }
  void TakePlanes(Slab, Planes (&between)[2]) override {
    between[0] = {&rank_.names_[kOwn]};
    between[1] = {&rank_.names_[kOwn + 1]};
  }
  void CopyRows(Planes from, std::uint64_t from_plane, Planes to, std::uint64_t to_plane,
                Slab rows) override {
    rank_.AddOthers(from, {from_plane, from_plane + 1}, rows, noted_.reads);
    rank_.CheckWrite(to, {to_plane, to_plane + 1});
    const double bytes = static_cast<double>(rows.size() * rank_.problem().nx) * sizeof(double);
    // What is written is read before.
    noted_.work.read_bytes += 2 * bytes;
    noted_.work.written_bytes += bytes;
  }

 private:
  Recorder& rank_;
  Noted noted_;
  int steps_ = 0;
};

void Recorder::AddOthers(Planes grid, Slab planes, Slab rows,
                         std::vector<ArrayPages>& others) const {
  if (!IsShared(grid) || rows.size() == 0) return;
  const std::size_t array = ArrayOf(grid);
  const Slab own = OwnPlanes(array);
  const std::uint64_t row_bytes = problem().nx * sizeof(double);
  const std::uint64_t pages_of_plane = problem().ny * row_bytes / page_bytes_;
  for (std::uint64_t z = planes.first; z < planes.last; ++z) {
    if (z >= own.first && z < own.last) continue;
    const std::uint64_t start = z * pages_of_plane;
    const ArrayPages more = {
        .array = array,
        .first = start + rows.first * row_bytes / page_bytes_,
        .last = start + (rows.last * row_bytes + page_bytes_ - 1) / page_bytes_,
        .away = static_cast<int>(z / own.size()) - number()};
    const bool follows = !others.empty() && others.back().array == array &&
                         others.back().away == more.away && others.back().last == more.first;
    if (follows) {
      others.back().last = more.last;
    } else {
      others.push_back(more);
    }
  }
}

void Recorder::InParallel(const std::function<void(Worker&)>& work) {
  NotedAction action = {.preloads = {}, .threads = {}, .first_step = steps_};
  for (int thread = 0; thread < node_.threads(); ++thread) {
    RecordingWorker worker(*this, thread, node_.threads());
    work(worker);
    action.threads.push_back(std::move(worker.noted()));
    action.steps = std::max(action.steps, worker.steps());
  }
  steps_ += action.steps;
  actions_.push_back(std::move(action));
}

// The pages that are read at all, without holes.
class Numbers {
 public:
  void Add(const std::vector<ArrayPages>& more) {
    all_.insert(all_.end(), more.begin(), more.end());
  }
  void Close() {
    std::sort(all_.begin(), all_.end(),
              [](const ArrayPages& a, const ArrayPages& b) { return a.Key() < b.Key(); });
    std::vector<ArrayPages> merged;
    for (const ArrayPages& each : all_) {
      const bool joins = !merged.empty() && merged.back().array == each.array &&
                         merged.back().away == each.away && merged.back().last >= each.first;
      if (joins) {
        merged.back().last = std::max(merged.back().last, each.last);
      } else {
        merged.push_back(each);
      }
    }
    all_ = std::move(merged);
    for (const ArrayPages& each : all_) {
      begins_.push_back(pages_);
      pages_ += each.last - each.first;
    }
  }
  std::uint64_t pages() const { return pages_; }
  std::vector<Recording::Home> Homes() const {
    std::vector<Recording::Home> homes;
    for (std::size_t i = 0; i < all_.size(); ++i) homes.push_back({begins_[i], all_[i].away});
    return homes;
  }
  std::vector<dsm::PageRange> Of(const std::vector<ArrayPages>& pages) const {
    std::vector<dsm::PageRange> ranges;
    for (const ArrayPages& each : pages) {
      const auto after = std::upper_bound(
          all_.begin(), all_.end(), each,
          [](const ArrayPages& a, const ArrayPages& b) { return a.Key() < b.Key(); });
      const auto at = static_cast<std::size_t>(after - all_.begin()) - 1;
      const std::uint64_t first = begins_[at] + each.first - all_[at].first;
      ranges.push_back(dsm::PageRange::Of(first, first + each.last - each.first));
    }
    return ranges;
  }

 private:
  std::vector<ArrayPages> all_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t pages_ = 0;
};

absl::StatusOr<Recording> Recorder::Take() {
  if (writes_elsewhere_) {
    return absl::InternalError(absl::StrCat("rank ", number(), " writes to planes of others"));
  }
  const std::uint64_t exchanges = meetings_.size();
  if (!actions_.empty()) meetings_.push_back(std::exchange(actions_, {}));
  Numbers numbers;
  for (const auto& actions : meetings_) {
    for (const NotedAction& action : actions) {
      numbers.Add(action.preloads);
      for (const Noted& thread : action.threads) numbers.Add(thread.reads);
    }
  }
  numbers.Close();
  Recording recording = {
      .meetings = {}, .homes = numbers.Homes(), .pages = numbers.pages(), .exchanges = exchanges};
  for (auto& actions : meetings_) {
    auto& before = recording.meetings.emplace_back();
    for (NotedAction& noted : actions) {
      Action& action = before.emplace_back();
      action.preloads = numbers.Of(noted.preloads);
      for (Noted& thread : noted.threads) {
        thread.work.others_pages = numbers.Of(thread.reads);
        action.threads.push_back(std::move(thread.work));
      }
      action.first_step = noted.first_step;
      action.steps = noted.steps;
    }
  }
  return recording;
}

}  // namespace

absl::StatusOr<Recording> Record(const Problem& problem, Blocking blocking, Pages pages, int number,
                                 int ranks, std::uint64_t page_bytes, const Node& node) {
  Recorder rank(problem, pages, number, ranks, page_bytes, node);
  Planes grids[] = {rank.grid(0), rank.grid(1)};
  if (absl::Status ran = RunBlocking(blocking, rank, grids, rank.seams()); !ran.ok()) return ran;
  return rank.Take();
}

}  // namespace stencil
