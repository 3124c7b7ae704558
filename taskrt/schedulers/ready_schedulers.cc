#include "taskrt/schedulers/ready_schedulers.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace taskrt {
namespace {

// Of what the task reads, as far as it was decided where blocks will be.
std::uint64_t BytesThat(TaskView task, Place place, bool are_there) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < task.access_count(); ++i) {
    const AccessView access = task.access(i);
    if (Reads(access.mode()) && access.IsPlannedAt(place) == are_there) bytes += access.bytes();
  }
  return bytes;
}

}  // namespace

void ReadyTasks::Add(TaskView task, std::span<const Place> places) {
  Entry entry = {.task = task};
  for (const Place place : places) entry.places |= std::uint64_t{1} << place;
  entries_.emplace(Key(-task.priority(), task.submit_index()), entry);
}

void EarliestFinish::Begin(std::span<const PlaceFacts> places) {
  for (const PlaceFacts& facts : places) places_.push_back({.facts = facts, .ready = {}});
}

double EarliestFinish::Expect(TaskView task, Place place) const {
  const Kernel& kernel = task.kernel();
  const PlaceFacts& facts = places_[static_cast<std::size_t>(place)].facts;
  return costs_.Expect(kernel.name(), place, kernel.flops(), facts.flops_per_s);
}

void EarliestFinish::Add(TaskView task, std::span<const Place> places) {
  double earliest = std::numeric_limits<double>::infinity();
  Place best = places.front();
  for (const Place place : places) {
    const AtPlace& at = places_[static_cast<std::size_t>(place)];
    const double copies =
        static_cast<double>(BytesThat(task, place, false)) / at.facts.link_bytes_per_s;
    // Copies go on while others compute.
    const double begin = std::max(at.waiting_s / at.facts.parallel, copies);
    const double finish = begin + Expect(task, place);
    if (finish >= earliest) continue;
    earliest = finish;
    best = place;
  }
  AtPlace& at = places_[static_cast<std::size_t>(best)];
  const double seconds = Expect(task, best);
  expected_.emplace(task.submit_index(), Expected{best, seconds});
  at.waiting_s += seconds;
  at.ready.Add(task, {&best, 1});
}

std::optional<TaskView> EarliestFinish::Next(Place place) {
  ReadyTasks& ready = places_[static_cast<std::size_t>(place)].ready;
  if (ready.size() == 0) return std::nullopt;
  return ready.Take(ready.entries().begin());
}

void EarliestFinish::Ended(TaskView task, std::optional<double> seconds) {
  if (seconds) costs_.Learn(task.kernel().name(), task.place(), *seconds);
  const auto found = expected_.find(task.submit_index());
  const Expected& expected = found->second;
  places_[static_cast<std::size_t>(expected.place)].waiting_s -= expected.seconds;
  expected_.erase(found);
}

void Stealing::Add(TaskView task, std::span<const Place> places) {
  const Place best = *std::max_element(places.begin(), places.end(), [&](Place a, Place b) {
    const std::uint64_t of_a = BytesThat(task, a, true), of_b = BytesThat(task, b, true);
    if (of_a != of_b) return of_a < of_b;
    return ready_[static_cast<std::size_t>(a)].size() > ready_[static_cast<std::size_t>(b)].size();
  });
  ready_[static_cast<std::size_t>(best)].Add(task, places);
}

std::optional<TaskView> Stealing::Next(Place place) {
  ReadyTasks& own = ready_[static_cast<std::size_t>(place)];
  if (own.size() > 0) return own.Take(own.entries().begin());
  ReadyTasks* most = nullptr;
  ReadyTasks::Map::iterator last;
  for (ReadyTasks& other : ready_) {
    if (most != nullptr && other.size() <= most->size()) continue;
    auto& entries = other.entries();
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const auto& entry) {
      return entry.second.CanRunAt(place);
    });
    if (found == entries.rend()) continue;
    most = &other;
    last = std::prev(found.base());
  }
  if (most == nullptr) return std::nullopt;
  ++steals_;
  return most->Take(last);
}

}  // namespace taskrt
