// Color and progress, which are for people at a terminal.
#pragma once

#include <string>
#include <string_view>

namespace program {

enum class Stream { kOutput, kError };
enum class Color { kOff, kOn };

// On for a terminal, unless NO_COLOR is set (to anything but "") or the
// terminal is dumb.
Color ColorOf(Stream stream);

// The line that a person watches during long work: overwritten in place on
// standard error if that is a terminal, else not written.
//
// Threads: one thread.
class Progress {
 public:
  Progress();
  ~Progress();  // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(std::string_view line);

 private:
  const bool terminal_;
  std::size_t shown_ = 0;  // length of the line that is there
};

// ", about 40 s left", where so much of the work took so long; "" where that is not known yet.
std::string TimeLeft(double seconds, double share_done);

}  // namespace program
