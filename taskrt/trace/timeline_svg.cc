#include "taskrt/trace/timeline_svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

constexpr double kLeft = 76, kRight = 12, kTop = 40, kHostRow = 16, kDeviceRow = 12, kGap = 3;
constexpr double kColumn = 0.5;  // pixels

// A value.
struct Color {
  std::string name;
  const char* fill = "";
  friend bool operator<(const Color& a, const Color& b) { return a.name < b.name; }
};

// Table 6; then what it does not have.
constexpr const char *kWhite = "#ffffff", *kGreen = "#3fbf5f", *kYellow = "#ffe14d",
                     *kBlue = "#4d8dff", *kGray = "#9a9a9a", *kOrange = "#ff9a2e",
                     *kPink = "#ff9ecb", *kRed = "#ff4040", *kPurple = "#b07aff";
constexpr const char* kOthers[] = {"#4dd0e1", "#c0ca33", "#d4a373", "#f06292", "#7fa99b"};

Color ColorOfKernel(const std::string& name, const std::vector<std::string>& others) {
  if (name == "potrf") return {name, kWhite};
  if (name == "trsm") return {name, kGreen};
  if (name == "syrk") return {name, kYellow};
  if (name == "gemm") return {name, kBlue};
  const auto at = std::find(others.begin(), others.end(), name) - others.begin();
  return {name, kOthers[static_cast<std::size_t>(at) % std::size(kOthers)]};
}

Color ColorOfCopy(const TraceEvent& event) {
  if (event.to == kHost) return {"copy to the host", kPink};
  if (event.from == kHost) return {"copy to a device", kOrange};
  return {"copy across devices", kRed};
}

// A row of the picture: how much of each column each color takes.
class Columns {
 public:
  explicit Columns(std::size_t count) : columns_(count) {}

  // In columns; what is shorter than one counts as much as it is long, but not nothing.
  void Add(double begin, double end, const Color& color) {
    const double last = static_cast<double>(columns_.size());
    begin = std::clamp(begin, 0.0, last - 1e-6);
    end = std::clamp(end, begin + 1e-6, last);
    for (double at = begin; at < end;) {
      const double next = std::min(end, std::floor(at) + 1);
      columns_[static_cast<std::size_t>(at)][color] += next - at;
      at = next;
    }
  }

  // The rectangles of each color, as a path's data, at these heights.
  std::map<Color, std::string> Paths(double top, double height) const {
    std::map<Color, std::string> paths;
    const Color* running = nullptr;
    std::size_t since = 0;
    for (std::size_t i = 0; i <= columns_.size(); ++i) {
      const Color* const color = i < columns_.size() ? MostOf(columns_[i]) : nullptr;
      const bool same = color == running ||
                        (color != nullptr && running != nullptr && color->name == running->name);
      if (same) continue;
      if (running != nullptr) {
        const double width = static_cast<double>(i - since) * kColumn;
        absl::StrAppend(&paths[*running], "M", kLeft + static_cast<double>(since) * kColumn, " ",
                        top, "h", width, "v", height, "h-", width, "z");
      }
      running = color;
      since = i;
    }
    return paths;
  }

 private:
  static const Color* MostOf(const std::map<Color, double>& shares) {
    const auto most = std::max_element(shares.begin(), shares.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    return most == shares.end() ? nullptr : &most->first;
  }

  std::vector<std::map<Color, double>> columns_;
};

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      escaped += c;  // Others have no place in XML.
    }
  }
  return escaped;
}

std::string Text(double x, double y, const char* attributes, std::string_view text) {
  return absl::StrCat("<text x=\"", x, "\" y=\"", y, "\" ", attributes, ">", Escaped(text),
                      "</text>\n");
}

// "05": as the paper counts.
std::string Number(int number) { return absl::StrCat(number < 10 ? "0" : "", number); }

class Timeline {
 public:
  Timeline(const Trace& trace, const TimelineOptions& options)
      : trace_(trace), options_(options), end_ns_(std::max<std::int64_t>(1, trace.end_ns())) {
    columns_ = static_cast<std::size_t>((options.width - kLeft - kRight) / kColumn);
    const auto workers = static_cast<std::size_t>(trace.workers);
    tasks_.assign(workers, Columns(columns_));
    marks_.assign(workers, Columns(columns_));
    devices_.assign(3 * trace.devices.size(), Columns(columns_));
    std::set<std::string> names;
    for (const TraceEvent& event : trace.events) {
      if (event.kind == TraceEvent::Kind::kTask) names.insert(event.name);
    }
    for (const char* known : {"potrf", "trsm", "syrk", "gemm"}) names.erase(known);
    others_.assign(names.begin(), names.end());
    for (const TraceEvent& event : trace.events) Add(event);
  }

  std::string Draw() {
    std::string rows;
    double y = kTop + LegendHeight();
    const double top = y;
    const auto draw = [&](const Columns& columns, double at, double height) {
      for (const auto& [color, path] : columns.Paths(at, height)) {
        absl::StrAppend(&rows, "<path fill=\"", color.fill, "\" d=\"", path, "\"/>\n");
      }
    };
    for (std::size_t worker = 0; worker < tasks_.size(); ++worker, y += kHostRow + kGap) {
      draw(tasks_[worker], y, kHostRow * 0.6);
      draw(marks_[worker], y + kHostRow * 0.6, kHostRow * 0.4);
      rows += Text(kLeft - 8, y + 12, "text-anchor=\"end\"", Number(static_cast<int>(worker)));
    }
    for (std::size_t i = 0; i < trace_.devices.size(); ++i, y += 2 * kDeviceRow + 2 * kGap) {
      draw(devices_[3 * i], y, kDeviceRow);
      draw(devices_[3 * i + 1], y + kDeviceRow, kDeviceRow / 2);
      draw(devices_[3 * i + 2], y + 1.5 * kDeviceRow, kDeviceRow / 2);
      rows +=
          Text(kLeft - 8, y + 15, "text-anchor=\"end\"",
               absl::StrCat(Number(trace_.workers + static_cast<int>(i)), " ", trace_.devices[i]));
    }
    const double bottom = y;
    const double height = bottom + 46;
    std::string svg = absl::StrCat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ", options_.width,
        " ", height, "\" width=\"", options_.width, "\" aria-label=\"", Escaped(options_.title),
        "\">\n",
        "<style>text{font:12px system-ui,sans-serif;fill:#222}.page{fill:#fff}"
        "@media screen and (prefers-color-scheme:dark){text{fill:#e6e6e6}.page{fill:#181818}}"
        "</style>\n<title>",
        Escaped(options_.title), "</title>\n<rect class=\"page\" width=\"", options_.width,
        "\" height=\"", height, "\"/>\n");
    svg += Text(kLeft, 20, "style=\"font-size:15px;font-weight:600\"", options_.title);
    svg += Legend();
    // Dark in any page, so that the paper's white and yellow are seen.
    absl::StrAppend(&svg, "<rect x=\"", kLeft, "\" y=\"", top - kGap, "\" width=\"",
                    static_cast<double>(columns_) * kColumn, "\" height=\"", bottom - top + kGap,
                    "\" fill=\"#333\"/>\n<g shape-rendering=\"crispEdges\">\n", rows, "</g>\n",
                    Axis(bottom), "</svg>\n");
    return svg;
  }

 private:
  double At(std::int64_t ns) const {
    return static_cast<double>(ns) / static_cast<double>(end_ns_) * static_cast<double>(columns_);
  }

  void Show(Columns& columns, const TimeSpan& span, const Color& color) {
    columns.Add(At(span.begin_ns), At(span.end_ns), color);
    shown_.insert(color);
  }
  // A pixel wide.
  void Mark(const TraceEvent::Moment& moment, const Color& color) {
    if (moment.worker < 0 || moment.worker >= trace_.workers) return;
    const double at = At(moment.ns);
    marks_[static_cast<std::size_t>(moment.worker)].Add(at, at + 1 / kColumn, color);
    shown_.insert(color);
  }
  Columns& DeviceRow(Place place, std::size_t row) {
    return devices_[3 * static_cast<std::size_t>(place - 1) + row];
  }

  void Add(const TraceEvent& event) {
    const bool on_worker = event.asked.worker >= 0 && event.asked.worker < trace_.workers;
    switch (event.kind) {
      case TraceEvent::Kind::kTask: {
        const Color color = ColorOfKernel(event.name, others_);
        if (event.to != kHost) {
          Show(DeviceRow(event.to, 0), event.span, color);
          Mark(event.asked, color);
          Mark(event.seen, {"task end", kGray});
        } else if (on_worker) {
          Show(tasks_[static_cast<std::size_t>(event.asked.worker)], event.span, color);
        }
        break;
      }
      case TraceEvent::Kind::kCopy: {
        const Color color = ColorOfCopy(event);
        const bool is_out = event.to == kHost;
        Show(DeviceRow(is_out ? event.from : event.to, is_out ? 2 : 1), event.span, color);
        Mark(event.asked, color);
        break;
      }
      case TraceEvent::Kind::kAllocate:
        if (on_worker) {
          Show(tasks_[static_cast<std::size_t>(event.asked.worker)], event.span,
               {"allocation", kPurple});
        }
        break;
    }
  }

  static double LegendWidth(const Color& color) {
    return 42 + 7 * static_cast<double>(color.name.size());
  }
  double LegendHeight() const {
    double width = 0, rows = 1;
    for (const Color& color : shown_) {
      if (width + LegendWidth(color) > options_.width - kLeft - kRight) width = 0, ++rows;
      width += LegendWidth(color);
    }
    return 20 * rows;
  }
  std::string Legend() const {
    std::string svg;
    double x = kLeft, y = kTop;
    for (const Color& color : shown_) {
      if (x + LegendWidth(color) > options_.width - kRight) x = kLeft, y += 20;
      absl::StrAppend(&svg, "<rect x=\"", x, "\" y=\"", y - 8,
                      "\" width=\"12\" height=\"12\" stroke=\"#333\" fill=\"", color.fill, "\"/>");
      svg += Text(x + 18, y + 2, "", color.name);
      x += LegendWidth(color);
    }
    return svg;
  }

  // About eight ticks at multiples of 1, 2 or 5 times a power of ten.
  std::string Axis(double y) const {
    const double end = static_cast<double>(end_ns_);
    double step = std::pow(10, std::floor(std::log10(end / 8)));
    for (const double factor : {2.0, 2.5, 2.0}) {
      if (end / step > 12) step *= factor;
    }
    const bool in_s = end >= 2e9, in_ms = end >= 2e6;
    const double unit = in_s ? 1e9 : in_ms ? 1e6 : 1e3;
    std::string svg;
    for (double tick = 0; tick <= end; tick += step) {
      const double x = kLeft + tick / end * static_cast<double>(columns_) * kColumn;
      absl::StrAppend(&svg, "<path stroke=\"#888\" d=\"M", x, " ", y, "v5\"/>");
      svg += Text(x, y + 18, "text-anchor=\"middle\"", absl::StrCat(tick / unit));
    }
    svg += Text((kLeft + options_.width - kRight) / 2, y + 38, "text-anchor=\"middle\"",
                absl::StrCat(options_.time, ", ",
                             in_s    ? "s"
                             : in_ms ? "ms"
                                     : "µs"));
    return svg;
  }

  const Trace& trace_;
  const TimelineOptions& options_;
  const std::int64_t end_ns_;
  std::size_t columns_ = 0;
  std::vector<std::string> others_;     // kernels that table 6 does not have
  std::vector<Columns> tasks_, marks_;  // by worker
  std::vector<Columns> devices_;        // three for each
  std::set<Color> shown_;
};

}  // namespace

std::string ToSvg(const Trace& trace, const TimelineOptions& options) {
  return Timeline(trace, options).Draw();
}

}  // namespace taskrt
