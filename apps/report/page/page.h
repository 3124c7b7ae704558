// The report as a page: one HTML file with everything in it.
//
// No script and nothing from elsewhere. Readable on a phone (wide tables and
// drawings scroll by themselves), on paper, in light and dark; //apps/report/tests:layout_test
// looks for text that is not. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace report {

// A value. A figure worth a reader's first look.
struct Headline {
  std::string value;        // with its unit, as "45.1 GB/s"
  std::string meaning;      // one line
  std::string spread = "";  // as "quartiles 44.2 – 45.3", "measured once"; empty: it has none
};

// A value. One section of the page.
struct Section {
  std::string id;       // of its anchor: letters and dashes
  std::string title;    // plain text
  std::string summary;  // plain text: what was run and what to see, in a sentence or two
  std::string html;     // well-formed, escaped by the part that made it
  std::vector<Headline> headlines;
};

// A value: what stands above the figures, as plain text.
struct Front {
  std::string title;
  std::string lead;      // what this page is about
  std::string subtitle;  // machine, commit, date
};

// The whole file: the front, the foremost headlines, what to see where, and the sections.
std::string Page(const Front& front, const std::vector<Section>& sections);

// Blocks for a section's html; all take plain text.
struct HtmlColumn {
  std::string head;
  enum class Kind { kWord, kNumber } kind = Kind::kNumber;
};
// A long one is folded: a line says how many rows it has.
// `note` is a line below it.
std::string HtmlTable(const std::vector<HtmlColumn>& columns,
                      const std::vector<std::vector<std::string>>& rows,
                      std::string_view note = "");
std::string Paragraph(std::string_view text);
std::string Heading(std::string_view text);
// "Reproduce: bazel run ..."; several commands, a line each, are folded. "" for none.
std::string Reproduce(std::string_view command);
// A picture that is a file of its own: its style sheet stays its own.
std::string Picture(std::string_view svg, std::string_view description);

}  // namespace report
