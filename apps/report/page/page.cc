#include "apps/report/page/page.h"

#include <algorithm>

#include "apps/program/plot.h"

namespace report {
namespace {

using program::EscapeXml;

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1c1c1c;--soft:#5c5c5c;--page:#fff;--card:#f5f5f3;--rule:#d9d9d6;--link:#0060a0}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e6;--soft:#a5a5a2;--page:#181818;--card:#232323;--rule:#3c3c3c;--link:#6cb8ee}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:62rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:1.7rem}h2{margin:3rem 0 .5rem;font-size:1.3rem;border-bottom:1px solid var(--rule)}h3{margin:1.8rem 0 .3rem;font-size:1.05rem}
a{color:var(--link)}.soft{color:var(--soft);margin:.2rem 0}.lead{font-size:1.1rem;margin:.4rem 0;max-width:46rem}
nav ul{padding:0;margin:1rem 0;list-style:none}nav li{margin:.45rem 0;max-width:46rem}nav a{font-weight:600}
p{max-width:46rem}figure{margin:.8rem 0}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--link)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(11.5rem,1fr));gap:.8rem;margin:1.2rem 0}
.card{background:var(--card);border-radius:.5rem;padding:.7rem .8rem}.card b{display:block;font-size:1.5rem;line-height:1.3}.card small{font-size:.9rem;font-weight:400}.card .soft{font-size:.85rem}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.25rem .75rem;border-bottom:1px solid var(--rule);text-align:left;white-space:nowrap}
th.n,td.n{text-align:right}tbody tr:hover{background:var(--card)}
pre{background:var(--card);padding:.5rem .8rem;border-radius:.4rem;overflow-x:auto;font-size:.85rem}
img,svg{max-width:100%;height:auto}.scroll img{max-width:none;display:block}
@media print{:root{--ink:#000;--soft:#444;--page:#fff;--card:#fff;--rule:#bbb;--link:#000}body{max-width:none;padding:0;font-size:10pt}nav{display:none}.scroll{overflow:visible}.scroll img{max-width:100%}pre{white-space:pre-wrap;border:1px solid #bbb}.card{border:1px solid #bbb}h2,h3{break-after:avoid}svg,img,tr,.card{break-inside:avoid}table{font-size:8pt}th,td{padding:.1rem .4rem}}
)css";

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      const bool has_bytes = i + j <= bytes.size();
      text += has_bytes ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string Tagged(std::string_view tag, std::string_view text) {
  return "<" + std::string(tag) + ">" + EscapeXml(text) + "</" + std::string(tag) + ">\n";
}

std::string Cards(const std::vector<Headline>& headlines) {
  if (headlines.empty()) return "";
  std::string html = "<div class=\"cards\">\n";
  for (const Headline& headline : headlines) {
    const std::size_t end = std::min(headline.value.find(' '), headline.value.size());
    html += "<div class=\"card\"><b>" + EscapeXml(headline.value.substr(0, end)) + "<small>" +
            EscapeXml(headline.value.substr(end)) + "</small></b>" + EscapeXml(headline.meaning);
    if (!headline.spread.empty()) {
      html += "<br/><span class=\"soft\">" + EscapeXml(headline.spread) + "</span>";
    }
    html += "</div>\n";
  }
  return html + "</div>\n";
}

// What stands on top of the page: first each section's first headline, then
// each one's second, and so on, up to four.
std::vector<Headline> Foremost(const std::vector<Section>& sections) {
  constexpr std::size_t kMost = 4;
  std::vector<Headline> foremost;
  bool more = true;
  for (std::size_t rank = 0; more && foremost.size() < kMost; ++rank) {
    more = false;
    for (const Section& section : sections) {
      if (rank >= section.headlines.size() || foremost.size() == kMost) continue;
      foremost.push_back(section.headlines[rank]);
      more = true;
    }
  }
  return foremost;
}

}  // namespace

std::string Page(const Front& front, const std::vector<Section>& sections) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
      Tagged("title", front.title) + "<style>" + std::string(kStyle) +
      "</style>\n</head>\n<body>\n<header>\n" + Tagged("h1", front.title) + "<p class=\"lead\">" +
      EscapeXml(front.lead) + "</p>\n<p class=\"soft\">" + EscapeXml(front.subtitle) +
      "</p>\n</header>\n" + Cards(Foremost(sections)) + "<nav><ul>\n";
  for (const Section& section : sections) {
    html += "<li><a href=\"#" + EscapeXml(section.id) + "\">" + EscapeXml(section.title) + "</a>" +
            (section.summary.empty() ? "" : "<br/>") + EscapeXml(section.summary) + "</li>\n";
  }
  html += "</ul></nav>\n<main>\n";
  // A single program's figures stand on top already.
  const bool repeat = std::count_if(sections.begin(), sections.end(), [](const Section& section) {
                        return !section.headlines.empty();
                      }) > 1;
  for (const Section& section : sections) {
    html += "<section id=\"" + EscapeXml(section.id) + "\">\n" + Tagged("h2", section.title) +
            (repeat ? Cards(section.headlines) : "") + section.html + "</section>\n";
  }
  return html + "</main>\n</body>\n</html>\n";
}

std::string HtmlTable(const std::vector<HtmlColumn>& columns,
                      const std::vector<std::vector<std::string>>& rows, std::string_view note) {
  const auto cell = [&](std::string_view tag, std::size_t i, std::string_view text) {
    const bool number = i < columns.size() && columns[i].kind == HtmlColumn::Kind::kNumber;
    return "<" + std::string(tag) + (number ? " class=\"n\">" : ">") + EscapeXml(text) + "</" +
           std::string(tag) + ">";
  };
  constexpr std::size_t kLong = 10;
  const bool is_long = rows.size() > kLong;
  std::string html;
  if (is_long) {
    html = "<details><summary>Table of " + std::to_string(rows.size()) + " rows</summary>\n";
  }
  // By keyboard, too, a wide table can be moved.
  html += "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
  for (std::size_t i = 0; i < columns.size(); ++i) html += cell("th", i, columns[i].head);
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell("td", i, row[i]);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n" + (note.empty() ? "" : Paragraph(note)) +
         (is_long ? "</details>\n" : "");
}

std::string Paragraph(std::string_view text) { return Tagged("p", text); }

std::string Heading(std::string_view text) { return Tagged("h3", text); }

std::string Reproduce(std::string_view command) {
  if (command.empty()) return "";
  const auto lines = 1 + std::count(command.begin(), command.end(), '\n');
  if (lines == 1) return "<p class=\"soft\">Reproduce:</p>\n" + Tagged("pre", command);
  return "<details><summary>Reproduce: " + std::to_string(lines) + " commands</summary>\n" +
         Tagged("pre", command) + "</details>\n";
}

std::string Picture(std::string_view svg, std::string_view description) {
  // At its own size, since smaller its text would not be read.
  return "<div class=\"scroll\" tabindex=\"0\"><img alt=\"" + EscapeXml(description) +
         "\" src=\"data:image/svg+xml;base64," + Base64(svg) + "\"/></div>\n";
}

}  // namespace report
