// The report as a page: one HTML file with everything in it.
//
// No script and nothing from elsewhere. Readable on a phone (wide tables scroll
// by themselves), on paper, in light and dark. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace report {

// A value. A figure worth a reader's first look.
struct Headline {
  std::string value;    // with its unit, as "45.1 GB/s"
  std::string meaning;  // one line
};

// A value. One section of the page.
struct Section {
  std::string id;     // of its anchor: letters and dashes
  std::string title;  // plain text
  std::string html;   // well-formed, escaped by the part that made it
  std::vector<Headline> headlines;
};

// The whole file. `subtitle` is plain text: machine, commit, date.
std::string Page(std::string_view title, std::string_view subtitle,
                 const std::vector<Section>& sections);

// Blocks for a section's html; all take plain text.
struct HtmlColumn {
  std::string head;
  enum class Kind { kWord, kNumber } kind = Kind::kNumber;
};
std::string HtmlTable(const std::vector<HtmlColumn>& columns,
                      const std::vector<std::vector<std::string>>& rows);
std::string Paragraph(std::string_view text);
std::string Heading(std::string_view text);
// "Reproduce: bazel run ...".
std::string Reproduce(std::string_view command);
// A picture that is a file of its own: its style sheet stays its own.
std::string Picture(std::string_view svg, std::string_view description);

}  // namespace report
