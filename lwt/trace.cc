#include "lwt/trace.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lwt {
namespace {

const char* NameOf(TraceEvent::Kind kind) {
  switch (kind) {
    case TraceEvent::Kind::kBusy:
      return "busy";
    case TraceEvent::Kind::kIdle:
      return "searching";
    case TraceEvent::Kind::kPark:
      return "asleep";
    case TraceEvent::Kind::kSteal:
      return "steal";
  }
  return "";
}

// Times in microseconds, as the format wants them.
std::string Slice(const TraceEvent& from, double end_ns) {
  return absl::StrCat("{\"ph\":\"X\",\"pid\":0,\"tid\":", from.worker, ",\"ts\":", from.ns / 1000,
                      ",\"dur\":", (end_ns - from.ns) / 1000, ",\"name\":\"", NameOf(from.kind),
                      "\"}");
}

std::string Instant(const TraceEvent& steal) {
  return absl::StrCat("{\"ph\":\"i\",\"s\":\"t\",\"pid\":0,\"tid\":", steal.worker,
                      ",\"ts\":", steal.ns / 1000, ",\"name\":\"steal from ", steal.victim,
                      "\",\"args\":{\"victim\":", steal.victim, ",\"depth\":", steal.depth, "}}");
}

}  // namespace

std::vector<std::int64_t> StealsByDepth(std::span<const TraceEvent> events, int depths) {
  if (depths < 1) return {};
  std::vector<std::int64_t> steals(static_cast<std::size_t>(depths), 0);
  for (const TraceEvent& event : events) {
    if (event.kind != TraceEvent::Kind::kSteal) continue;
    ++steals[static_cast<std::size_t>(std::min(event.depth, depths - 1))];
  }
  return steals;
}

std::string ToChromeTrace(std::span<const TraceEvent> events, double end_ns) {
  std::vector<std::string> lines;
  std::map<int, TraceEvent> open;  // by worker: what it is doing
  for (const TraceEvent& event : events) {
    if (event.kind == TraceEvent::Kind::kSteal) {
      lines.push_back(Instant(event));
      continue;
    }
    const auto [doing, first] = open.try_emplace(event.worker, event);
    if (first) continue;
    lines.push_back(Slice(doing->second, event.ns));
    doing->second = event;
  }
  for (const auto& [worker, doing] : open)
    lines.push_back(Slice(doing, std::max(end_ns, doing.ns)));
  return absl::StrCat("{\"traceEvents\":[\n", absl::StrJoin(lines, ",\n"), "\n]}\n");
}

}  // namespace lwt
