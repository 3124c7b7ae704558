// A trace as a picture, in the colors of the paper's table 6: rows of the host's workers, by
// number, and below them the devices', which go on counting; time goes to the right.
//
// A worker's row shows its tasks and, in its lower part, when it asked a device for a copy or a
// kernel and when it saw that one had ended. A device's three rows are kernels, copies in (from
// other devices too) and copies out. Half a pixel has one color, that of what took the most of it:
// so the picture of any number of tasks is of bounded size.
//
// Source: [WLBS20] figures 11 and 12, table 6.
#pragma once

#include <string>

#include "taskrt/trace/trace.h"

namespace taskrt {

// A value.
struct TimelineOptions {
  std::string title = {};     // plain text
  std::string time = "time";  // what the axis is called: "virtual time"
  int width = 1200;           // pixels
};

// One self-contained <svg> element that scales to the width it is given.
std::string ToSvg(const Trace& trace, const TimelineOptions& options);

}  // namespace taskrt
