#include "topo/draw.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "topo/describe.h"

namespace topo {
namespace {

// Sizes in SVG user units.
constexpr int kCellWidth = 46;
constexpr int kCellHeight = 34;
constexpr int kGap = 6;
constexpr int kPad = 10;
constexpr int kTitle = 20;
// What a page shows without shrinking it.
constexpr int kMaxWidth = 920;

// Colors that stay apart for most color-blind readers, after Okabe and Ito; dark enough for the
// white text on them (a contrast of 4.5, WCAG 2) in light and dark pages.
constexpr const char* kColors[] = {"#0072b2", "#b84a00", "#007f5f", "#a2417f",
                                   "#6a5acd", "#7d6500", "#5c5c5c", "#8a1c2c"};

constexpr const char* kStyle = R"svg(<style>
svg { font: 11px system-ui, sans-serif; fill: #222; background: #fff }
.package { fill: none; stroke: #888; stroke-width: 1.5 }
.node { fill: #f4f4f4; stroke: #bbb }
.core { fill: #fff; stroke: #bbb }
.pu { fill: #fff; stroke: #999 }
.title { font-weight: 600 }
.note { fill: #555; font-size: 10px }
.number { text-anchor: middle }
.thread { text-anchor: middle; font-weight: 600; fill: #fff }
.forbidden { fill: url(#hatch) }
@media (prefers-color-scheme: dark) {
svg { fill: #ddd; background: #181818 } .node { fill: #262626; stroke: #555 }
.core { fill: #1e1e1e; stroke: #555 } .pu { fill: #1e1e1e; stroke: #777 } .note { fill: #aaa } }
@media print { svg { fill: #000; background: #fff } .node, .core, .pu { fill: #fff } .note { fill: #333 } }
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" fill="#8884"/><line x1="0" y1="0" x2="0" y2="6" stroke="#888" stroke-width="2"/></pattern></defs>
)svg";

// A drawn part: its SVG, to be moved where it belongs, and its size.
struct Part {
  std::string svg;
  int width = 0;
  int height = 0;
};

std::string Rect(const char* kind, int x, int y, int width, int height,
                 const std::string& more = "") {
  return absl::StrCat("<rect class=\"", kind, "\" x=\"", x, "\" y=\"", y, "\" width=\"", width,
                      "\" height=\"", height, "\" rx=\"4\" ", more, "/>\n");
}

std::string Escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Text(const char* kind, int x, int y, const std::string& text) {
  return absl::StrCat("<text class=\"", kind, "\" x=\"", x, "\" y=\"", y, "\">", Escape(text),
                      "</text>\n");
}

std::string At(int x, int y, const std::string& svg) {
  return absl::StrCat("<g transform=\"translate(", x, ",", y, ")\">\n", svg, "</g>\n");
}

// How many rows at most `width` wide these parts take.
int RowsOf(const std::vector<Part>& parts, int width) {
  int rows = 1, x = 0;
  for (const Part& part : parts) {
    if (x > 0 && x + part.width > width) {
      ++rows;
      x = 0;
    }
    x += part.width + kGap;
  }
  return rows;
}

// Puts parts side by side in rows at most `width` wide, about as many in each: four of which three
// would fit are two and two.
Part Flow(const std::vector<Part>& parts, int width) {
  Part all;
  const int rows = RowsOf(parts, width);
  const int most = (static_cast<int>(parts.size()) + rows - 1) / rows;
  int x = 0, y = 0, row_height = 0, in_row = 0;
  for (const Part& part : parts) {
    if (x > 0 && (x + part.width > width || in_row == most)) {
      x = 0;
      y += row_height + kGap;
      row_height = 0;
      in_row = 0;
    }
    ++in_row;
    all.svg += At(x, y, part.svg);
    x += part.width + kGap;
    row_height = std::max(row_height, part.height);
    all.width = std::max(all.width, x - kGap);
  }
  all.height = y + row_height;
  return all;
}

// A frame with a title around a part.
Part Frame(const char* kind, const std::string& title, const std::string& note,
           const Part& inside) {
  const int note_height = note.empty() ? 0 : 14;
  // Titles are not measured: 6.6 units a letter is wide enough for the font.
  const int text_width = static_cast<int>(6.6 * std::max(title.size(), note.size()));
  Part frame;
  frame.width = std::max(inside.width, text_width) + 2 * kPad;
  frame.height = inside.height + kTitle + note_height + 2 * kPad;
  frame.svg = Rect(kind, 0, 0, frame.width, frame.height);
  frame.svg += Text("title", kPad, kPad + 11, title);
  if (!note.empty()) frame.svg += Text("note", kPad, kPad + 25, note);
  frame.svg += At(kPad, kPad + kTitle + note_height, inside.svg);
  return frame;
}

class Drawing {
 public:
  Drawing(const Topology& topology, const Mapping* mapping)
      : topology_(topology), caches_(DescribeCaches(topology)), beside_(NodesBeside(topology)) {
    if (mapping == nullptr) return;
    for (const Slot& slot : mapping->slots()) {
      if (slot.pu != kAnyPu) threads_[slot.pu].push_back(slot.thread);
    }
  }

  std::string Draw() const {
    // package -> node -> core -> PUs, in the order of Topology::pus().
    std::map<int, std::map<NodeId, std::map<int, std::vector<const Pu*>>>> tree;
    std::map<NodeId, bool> has_pus;
    for (const Pu& pu : topology_.pus()) {
      tree[pu.package][topology_.Home(pu)][pu.core].push_back(&pu);
      has_pus[topology_.Home(pu)] = true;
    }
    std::vector<Part> packages;
    std::set<NodeId> drawn;
    for (const auto& [package, nodes] : tree) {
      std::vector<Part> cards;
      for (const auto& [node, cores] : nodes) {
        cards.push_back(DrawNode(node, cores, !drawn.insert(node).second));
      }
      packages.push_back(
          Frame("package", absl::StrCat("package ", package), "", Flow(cards, kMaxWidth / 2)));
    }
    std::vector<Part> memory_only;
    for (const Node& node : topology_.nodes()) {
      if (!has_pus[node.id]) memory_only.push_back(DrawNode(node.id, {}, false));
    }
    Part all = Flow(packages, kMaxWidth);
    if (!memory_only.empty()) {
      const Part memory = Flow(memory_only, kMaxWidth);
      all.svg += At(0, all.height + kGap, memory.svg);
      all.height += kGap + memory.height;
      all.width = std::max(all.width, memory.width);
    }
    const int width = all.width + 2 * kPad;
    const int height = all.height + 2 * kPad;
    return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ",
                        height, "\" width=\"", width, "\" height=\"", height,
                        "\" role=\"img\">\n<title>", Escape(topology_.source()), "</title>\n",
                        kStyle, At(kPad, kPad, all.svg), "</svg>\n");
  }

 private:
  // `is_drawn`: with another package; its memory is there.
  Part DrawNode(NodeId id, const std::map<int, std::vector<const Pu*>>& cores,
                bool is_drawn) const {
    const Node& node = topology_[id];
    std::vector<Part> boxes;
    for (const auto& [core, pus] : cores) boxes.push_back(DrawCore(id, pus));
    const int columns =
        std::clamp(static_cast<int>(std::ceil(std::sqrt(2.0 * boxes.size()))), 1, 16);
    const int width = boxes.empty() ? kCellWidth : columns * (boxes[0].width + kGap);
    std::string title = absl::StrCat("node ", ToInt(id));
    if (is_drawn) {
      absl::StrAppend(&title, " · as above");
    } else if (node.memory_bytes > 0) {
      absl::StrAppend(&title, " · ", FormatBytes(node.memory_bytes));
    }
    if (node.os_index != ToInt(id)) absl::StrAppend(&title, " · OS #", node.os_index);
    if (node.tier != MemoryTier::kDram)
      absl::StrAppend(&title, " · ", std::string(ToString(node.tier)));
    if (!node.allowed) absl::StrAppend(&title, " · forbidden");
    std::string note = caches_[ToInt(id)];
    if (!boxes.empty()) {
      for (NodeId other : beside_[ToInt(id)]) {
        absl::StrAppend(&note, note.empty() ? "" : ", ", "beside node ", ToInt(other));
      }
    }
    return Frame("node", title, note, Flow(boxes, width));
  }

  Part DrawCore(NodeId node, const std::vector<const Pu*>& pus) const {
    Part core;
    core.width = kCellWidth + 6;
    core.height = static_cast<int>(pus.size()) * (kCellHeight + 3) + 3;
    core.svg = Rect("core", 0, 0, core.width, core.height);
    int y = 3;
    for (const Pu* pu : pus) {
      core.svg += At(3, y, DrawPu(node, *pu));
      y += kCellHeight + 3;
    }
    return core;
  }

  std::string DrawPu(NodeId node, const Pu& pu) const {
    const auto threads = threads_.find(pu.id);
    const int middle = kCellWidth / 2;
    if (threads == threads_.end()) {
      return Rect("pu", 0, 0, kCellWidth, kCellHeight) +
             (pu.allowed ? "" : Rect("forbidden", 0, 0, kCellWidth, kCellHeight)) +
             Text("number", middle, 21, absl::StrCat("PU ", ToInt(pu.id)));
    }
    const char* color = kColors[ToInt(node) % std::size(kColors)];
    std::string label = absl::StrCat("t", threads->second[0]);
    if (threads->second.size() > 1) absl::StrAppend(&label, " +", threads->second.size() - 1);
    return Rect("pu", 0, 0, kCellWidth, kCellHeight, absl::StrCat("style=\"fill:", color, "\"")) +
           Text("thread", middle, 15, label) +
           At(0, 0,
              absl::StrCat("<g style=\"fill:#fff\">",
                           Text("number", middle, 28, absl::StrCat("PU ", ToInt(pu.id))),
                           "</g>\n"));
  }

  const Topology& topology_;
  const std::vector<std::string> caches_;          // by node
  const std::vector<std::vector<NodeId>> beside_;  // by node
  std::map<PuId, std::vector<int>> threads_;
};

}  // namespace

std::string DrawSvg(const Topology& topology) { return Drawing(topology, nullptr).Draw(); }

std::string DrawSvg(const Topology& topology, const Mapping& mapping) {
  return Drawing(topology, &mapping).Draw();
}

}  // namespace topo
