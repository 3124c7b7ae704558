// Text in pictures: how wide it is, and where it breaks. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace program {

// The width of a text of 13 pixels in a plot: an upper bound for most, since the reader's font is
// unknown.
double TextWidth(std::string_view text);

// The words of the text in lines of at most `width`, where words are not longer; at least one line.
std::vector<std::string> Wrapped(std::string_view text, double width);

}  // namespace program
