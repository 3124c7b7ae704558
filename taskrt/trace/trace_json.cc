#include "taskrt/trace/trace_json.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace taskrt {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&quoted, "\\u", absl::Hex(c, absl::kZeroPad4));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// The format's microseconds, to the nanosecond.
std::string Microseconds(std::int64_t ns) {
  return absl::StrCat(ns / 1000, ".", absl::Dec(ns % 1000, absl::kZeroPad3));
}

// A value. Processes are the host and the devices, by place.
struct Row {
  Place process = kHost;
  int row = 0;
};
enum DeviceRow { kKernels, kIn, kOut, kAcross };
constexpr const char* kDeviceRows[] = {"kernels", "copies in", "copies out", "from other devices"};

Row RowOf(const TraceEvent& event, int workers) {
  if (event.kind == TraceEvent::Kind::kCopy) {
    if (event.to == kHost) return {event.from, kOut};
    return {event.to, event.from == kHost ? kIn : kAcross};
  }
  if (event.kind == TraceEvent::Kind::kTask && event.to != kHost) return {event.to, kKernels};
  return {kHost, event.asked.worker < 0 ? workers : event.asked.worker};
}

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace) {}

  std::string Write() {
    NameProcess(kHost, "host");
    for (std::size_t i = 0; i < trace_.devices.size(); ++i) {
      NameProcess(static_cast<Place>(i + 1), trace_.devices[i]);
    }
    for (const TraceEvent& event : trace_.events) {
      WriteSlice(event);
      if (event.to == kHost && event.from == kHost) continue;
      if (event.kind == TraceEvent::Kind::kAllocate) continue;
      WriteMark(event.asked, absl::StrCat("asks for ", event.name));
      if (event.kind == TraceEvent::Kind::kTask) {
        WriteMark(event.seen, absl::StrCat("sees the end of ", event.name));
      }
    }
    return absl::StrCat("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n",
                        absl::StrJoin(lines_, ",\n"), "\n]}\n");
  }

 private:
  void NameProcess(Place process, std::string_view name) {
    const auto line = [&](const char* what, const std::string& argument) {
      lines_.push_back(absl::StrCat("{\"ph\":\"M\",\"pid\":", process, ",\"name\":\"", what,
                                    "\",\"args\":{", argument, "}}"));
    };
    line("process_name", absl::StrCat("\"name\":", Quoted(name)));
    line("process_sort_index", absl::StrCat("\"sort_index\":", process));
  }

  // The first of the row's lanes that is free from `begin_ns` to `end_ns`.
  int ThreadFor(Row row, std::int64_t begin_ns, std::int64_t end_ns) {
    std::vector<std::int64_t>& free_from = lanes_[{row.process, row.row}];
    std::size_t lane = 0;
    while (lane < free_from.size() && free_from[lane] > begin_ns) ++lane;
    const int thread = row.row + static_cast<int>(lane) * 1000;
    if (lane == free_from.size()) {
      free_from.push_back(0);
      NameThread(row, thread, lane);
    }
    free_from[lane] = end_ns;
    return thread;
  }

  void NameThread(Row row, int thread, std::size_t lane) {
    std::string name;
    if (row.process != kHost) {
      name = kDeviceRows[row.row];
    } else {
      name = row.row == trace_.workers ? "outside" : absl::StrCat("worker ", row.row);
    }
    if (lane > 0) absl::StrAppend(&name, " (", lane + 1, ")");
    const std::string head =
        absl::StrCat("{\"ph\":\"M\",\"pid\":", row.process, ",\"tid\":", thread, ",\"name\":");
    lines_.push_back(absl::StrCat(head, "\"thread_name\",\"args\":{\"name\":", Quoted(name), "}}"));
    lines_.push_back(absl::StrCat(head, "\"thread_sort_index\",\"args\":{\"sort_index\":",
                                  static_cast<std::size_t>(row.row) * 1000 + lane, "}}"));
  }

  void WriteSlice(const TraceEvent& event) {
    constexpr const char* kCategories[] = {"task", "copy", "allocation"};
    const Row row = RowOf(event, trace_.workers);
    const auto [begin, end] = event.span;
    std::string arguments = absl::StrCat("\"task\":", event.submit_index);
    if (event.kind != TraceEvent::Kind::kTask) {
      absl::StrAppend(&arguments, ",\"bytes\":", event.bytes,
                      ",\"from\":", Quoted(NameOf(event.from)),
                      ",\"to\":", Quoted(NameOf(event.to)));
    }
    lines_.push_back(absl::StrCat(
        "{\"ph\":\"X\",\"pid\":", row.process, ",\"tid\":", ThreadFor(row, begin, end),
        ",\"ts\":", Microseconds(begin), ",\"dur\":", Microseconds(std::max(begin, end) - begin),
        ",\"cat\":\"", kCategories[static_cast<int>(event.kind)],
        "\",\"name\":", Quoted(event.name), ",\"args\":{", arguments, "}}"));
  }

  void WriteMark(const TraceEvent::Moment& moment, const std::string& name) {
    const int thread = moment.worker < 0 ? trace_.workers : moment.worker;
    lines_.push_back(absl::StrCat("{\"ph\":\"i\",\"s\":\"t\",\"pid\":0,\"tid\":", thread,
                                  ",\"ts\":", Microseconds(moment.ns), ",\"name\":", Quoted(name),
                                  "}"));
  }

  std::string NameOf(Place place) const {
    return place == kHost ? "host" : trace_.devices[static_cast<std::size_t>(place - 1)];
  }

  const Trace& trace_;
  std::vector<std::string> lines_;
  // When each lane of a row is free again.
  std::map<std::pair<Place, int>, std::vector<std::int64_t>> lanes_;
};

}  // namespace

std::string ToChromeTrace(const Trace& trace) { return Writer(trace).Write(); }

}  // namespace taskrt
