// Files in every text format, written by write.h and mangled at random: Parse refuses them by line,
// or reads the edges that the parser below reads. It shares no code with Parse: lines of words, and
// a few numbers of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/formats.h"
#include "apps/graph/write.h"
#include "tools/random/seeds.h"

namespace graph {
namespace {

using Lines = std::vector<std::vector<std::string>>;
using IdEdges = std::multiset<std::pair<std::uint64_t, std::uint64_t>>;

Lines Split(std::string text, Format format) {
  std::replace(text.begin(), text.end(), '\r', ' ');
  if (format == Format::kCsv) {
    // Whichever the first edge has.
    const bool has_semicolons = text.find(';') < text.find(',');
    std::replace(text.begin(), text.end(), has_semicolons ? ';' : ',', ' ');
  }
  const std::string comments =
      format == Format::kDimacsGr || format == Format::kDimacsMax || format == Format::kDimacsCol ||
              format == Format::kPace || format == Format::kIcgca
          ? "c"
      : format == Format::kLigra ? ""
      : format == Format::kMatrixMarket || format == Format::kPajek || format == Format::kMetis
          ? "%"
          : "#%";
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    const bool is_comment = format == Format::kMetis
                                ? line.substr(0, 1) == "%"
                                : !all.empty() && comments.find(all[0][0]) != std::string::npos;
    if (!is_comment && (!all.empty() || format == Format::kMetis)) lines.push_back(all);
  }
  return lines;
}

std::uint64_t Number(const std::string& word) { return std::stoull(word); }

// By the file's ids. An undirected edge has its smaller end first.
IdEdges Oracle(const std::string& text, Format format, Direction direction) {
  IdEdges edges;
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    if (direction == Direction::kUndirected && from > to) std::swap(from, to);
    edges.insert({from, to});
  };
  const Lines lines = Split(text, format);
  std::string section;
  std::size_t vertex = 0;
  std::vector<std::uint64_t> numbers;  // of Ligra
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string>& line = lines[i];
    switch (format) {
      case Format::kEdgeList:
        add(Number(line[0]), Number(line[1]));
        break;
      case Format::kCsv:
        if (i > 0 || line[0].find_first_not_of("0123456789") == std::string::npos) {
          add(Number(line[0]), Number(line[1]));
        }
        break;
      case Format::kEdgeListNm:
      case Format::kPace:
      case Format::kRudy:
        if (i > 0) add(Number(line[0]), Number(line[1]));
        break;
      case Format::kMatrixMarket:
        if (i > 0) add(Number(line[0]), Number(line[1]));
        break;
      case Format::kDimacsGr:
      case Format::kDimacsMax:
        if (line[0] == "a") add(Number(line[1]), Number(line[2]));
        break;
      case Format::kDimacsCol:
      case Format::kIcgca:
        if (line[0] == "e") add(Number(line[1]), Number(line[2]));
        break;
      case Format::kPajek:
        if (line[0][0] == '*') {
          section = line[0];
        } else if (section[1] == 'A' || section[1] == 'E') {
          add(Number(line[0]), Number(line[1]));
        }
        break;
      case Format::kLigra:
        for (const std::string& word : line) {
          if (i > 0) numbers.push_back(Number(word));
        }
        break;
      case Format::kMetis: {
        if (i == 0) break;
        const bool has_weights = lines[0].size() > 2 && lines[0][2].back() == '1';
        ++vertex;
        for (std::size_t j = 0; j < line.size(); j += has_weights ? 2 : 1) {
          if (Number(line[j]) > vertex) add(vertex, Number(line[j]));
        }
        break;
      }
      default:
        break;
    }
  }
  for (std::size_t v = 0; format == Format::kLigra && v < numbers[0]; ++v) {
    const std::uint64_t end = v + 1 < numbers[0] ? numbers[3 + v] : numbers[1];
    for (std::uint64_t j = numbers[2 + v]; j < end; ++j) add(v, numbers[2 + numbers[0] + j]);
  }
  return edges;
}

IdEdges EdgesById(const EdgeList& list, Format format) {
  IdEdges edges;
  for (const Edge& edge : list.edges) {
    // Columns of a matrix that is not square are numbered after its rows.
    const bool is_column = format == Format::kMatrixMarket && list.left_vertices > 0;
    std::uint64_t from = list.ids.of(edge.from);
    std::uint64_t to = list.ids.of(edge.to) - (is_column ? list.left_vertices : 0);
    if (list.direction == Direction::kUndirected && from > to) std::swap(from, to);
    edges.insert({from, to});
  }
  return edges;
}

std::string RandomFile(Format format, std::mt19937_64& random) {
  EdgeList list;
  list.vertices = 1 + random() % 12;
  const bool has_arcs = format == Format::kDimacsGr || format == Format::kDimacsMax ||
                        format == Format::kLigra ||
                        (format == Format::kMatrixMarket && random() % 2 == 0) ||
                        (format == Format::kPajek && random() % 2 == 0);
  if (has_arcs) list.direction = Direction::kDirected;
  for (std::uint64_t i = 1 + random() % 20; i > 0; --i) {
    const auto from = static_cast<Vertex>(random() % list.vertices);
    const auto to = static_cast<Vertex>(random() % list.vertices);
    if (format != Format::kMetis || from != to) list.edges.push_back({from, to});
  }
  return *Write(format, list);
}

// Up to three changes of a few bytes. Most keep a line of numbers a line of numbers.
std::string Mangled(std::string bytes, std::mt19937_64& random) {
  for (std::uint64_t i = random() % 4; i > 0 && !bytes.empty(); --i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 6) {
      case 0:
        bytes[at] = "0123456789 \n\t%#,c"[random() % 17];
        break;
      case 1:
        bytes.erase(at, 1 + random() % 3);
        break;
      case 2:
        bytes.insert(at, bytes.substr(random() % bytes.size(), 1 + random() % 9));
        break;
      case 3:
        if (bytes[at] >= '0' && bytes[at] <= '9')
          bytes[at] = static_cast<char>('0' + random() % 10);
        break;
      case 4:
        if (bytes[at] == '\n') bytes.insert(at, random() % 2 == 0 ? "\n" : " \r");
        break;
      default:
        if (bytes[at] == ' ') bytes.insert(at, "\t ");
    }
  }
  return bytes;
}

TEST(FormatsOracle, AMangledFileIsReadAsItStandsOrRefusedByLine) {
  const std::uint64_t first = random_programs::FirstSeed();
  const std::uint64_t last = first + random_programs::Programs(1000);
  std::printf("files from VICINITY_RANDOM_SEED=%llu on\n", static_cast<unsigned long long>(first));
  std::map<Format, int> read;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    std::mt19937_64 random(seed);
    for (const Format format : kFormats) {
      const bool is_binary = format == Format::kGapbs || format == Format::kGraph500 ||
                             format == Format::kGraph500Packed;
      if (is_binary) continue;
      const std::string text = Mangled(RandomFile(format, random), random);
      const auto list = Parse(format, "file", text);
      if (!list.ok()) {
        ASSERT_EQ(list.status().message().substr(0, 5), "file:") << "seed " << seed;
        ASSERT_NE(list.status().message().find(": found "), std::string::npos) << list.status();
        continue;
      }
      ++read[format];
      ASSERT_EQ(EdgesById(*list, format), Oracle(text, format, list->direction))
          << FormatName(format) << ", seed " << seed << "\n"
          << text;
    }
  }
  for (const auto& [format, files] : read) {
    EXPECT_GT(files, static_cast<int>((last - first) / 10)) << FormatName(format);
  }
}

}  // namespace
}  // namespace graph
