#include "apps/graph/read.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "apps/graph/serialized.h"

namespace graph {
namespace {

// A file of this test's own.
std::string PathOf(const std::string& name) {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  return folder / name;
}

std::string FileWith(const std::string& name, const std::string& text) {
  const std::string path = PathOf(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string ErrorOf(const std::string& path) { return std::string(Read(path).status().message()); }

TEST(Read, AFileIsReadInTheFormatThatItSeemsToBeOrThatIsAskedFor) {
  const std::string path = FileWith("a.graph", "3 1\n2\n1\n\n");
  const auto guessed = Read(path);
  ASSERT_TRUE(guessed.ok()) << guessed.status();
  EXPECT_EQ(guessed->list.vertices, 3u);
  const std::string list = FileWith("b.graph", "3 1\n2 1\n");
  const auto asked = Read(list, {.format = Format::kEdgeList, .parse = {.ids = IdRule::kFromOne}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->list.edges, (std::vector<Edge>{{2, 0}, {1, 0}}));
}

TEST(Read, AFileThatFillsItsLastPageIsReadToItsEnd) {
  std::string text;
  while (text.size() < 65536 - 4) text += "1 2\n";
  const auto list = Read(FileWith("a.el", text + "1 34"));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->list.edges.size(), 65536u / 4);
  EXPECT_EQ(list->list.vertices, 34u);
}

TEST(Read, APipeIsReadToItsEnd) {
  const std::string path = PathOf("pipe");
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(path);
    for (int i = 0; i < 300'000; ++i) pipe << "0 " << i << "\n";
  });
  const auto list = Read(path);
  writer.join();
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->list.edges.size(), 300'000u);
  EXPECT_EQ(list->list.vertices, 300'000u);
}

TEST(Map, OnlyPlainFilesOfRowsAreMapped) {
  EdgeList list;
  list.vertices = 3;
  list.edges = {{0, 1}, {1, 2}, {2, 2}, {1, 0}};
  list.ids = Ids(1);
  const std::string rows = FileWith("a.sg", *Serialize(list));
  const auto mapped = Map(rows);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  ASSERT_NE(mapped->edges, nullptr);
  std::vector<Edge> edges(mapped->edges->count());
  mapped->edges->Read(0, edges);
  EXPECT_EQ(edges, (std::vector<Edge>{{0, 1}, {0, 1}, {1, 2}, {2, 2}}));
  for (std::uint64_t first = 0; first < edges.size(); ++first) {
    std::vector<Edge> one(1);
    mapped->edges->Read(first, one);
    EXPECT_EQ(one[0], edges[first]);
  }
  EXPECT_EQ(mapped->report.counts, (EdgeCounts{.self_loops = 1, .repeated = 1}));
  EXPECT_EQ(ToText(mapped->report), ToText(Read(rows)->report));

  EXPECT_EQ(Map(FileWith("b.el", "0 1\n"))->edges, nullptr);
  EXPECT_EQ(Map(PathOf("missing.sg"))->edges, nullptr) << "Read says why";
  ReadOptions weighted;
  weighted.parse.keep_weights = true;
  EXPECT_EQ(Map(rows, weighted)->edges, nullptr);
  EXPECT_FALSE(Map(FileWith("damaged.sg", "\1")).ok());
  // Nobody opens a pipe before Read does.
  const std::string pipe = PathOf("pipe.sg");
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Map(pipe)->edges, nullptr);
}

TEST(Read, AnErrorNamesThePath) {
  const std::string missing = PathOf("missing");
  EXPECT_EQ(ErrorOf(missing), "cannot read " + missing + ": No such file or directory");
  EXPECT_TRUE(absl::IsNotFound(Read(missing).status()));

  const std::string folder = std::filesystem::path(missing).parent_path();
  EXPECT_EQ(ErrorOf(folder), "cannot read " + folder + ": Is a directory");
  EXPECT_TRUE(absl::IsFailedPrecondition(Read(folder).status()));

  const std::string empty = FileWith("empty.gr", "");
  EXPECT_EQ(ErrorOf(empty), empty +
                                ":1: found an empty file, expected 'p sp VERTICES ARCS' "
                                "(read as dimacs-gr, a guess; --format says another)");

  const std::string bad = FileWith("bad.el", "0 1\n0 x\n");
  EXPECT_EQ(ErrorOf(bad), bad +
                              ":2: found 'x' as field 2, expected a vertex from 0 to "
                              "9223372036854775808 (read as edge-list, a guess; --format says "
                              "another)");
}

// The file as the program packs it; empty where there is no such program.
std::string Packed(const std::string& program, const std::string& path) {
  const std::string packed = path + "." + program;
  const std::string command = program + " -c < '" + path + "' > '" + packed + "' 2> /dev/null";
  if (std::system(command.c_str()) == 0) return packed;
  std::printf("no %s here: not tried\n", program.c_str());
  return "";
}

TEST(Read, ACompressedFileIsUnpacked) {
  std::string text = "# c\n";
  for (int i = 0; i < 100'000; ++i) text += "0 " + std::to_string(i) + "\n";
  const std::string plain = FileWith("a.el", text);
  int tried = 0;
  for (const std::string program : {"gzip", "zstd", "xz", "bzip2"}) {
    const std::string packed = Packed(program, plain);
    if (packed.empty()) continue;
    ++tried;
    const auto read = Read(packed);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->list, Read(plain)->list);
    EXPECT_EQ(read->report.compression, program);

    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
    EXPECT_EQ(ErrorOf(packed), packed + ": " + program +
                                   " says that the compressed bytes are damaged or incomplete");
  }
  EXPECT_GT(tried, 0);
}

TEST(Read, AnUnpackedFileHasTheFormatOfItsExtension) {
  const std::string grid = FileWith("grid.graph", "4 4\n2 3\n1 4\n1 4\n2 3\n");
  const std::string packed = Packed("gzip", grid);
  ASSERT_NE(packed, "");
  const std::string named = PathOf("grid.graph.gz");
  std::filesystem::rename(packed, named);
  const auto read = Read(named);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->report.format, Format::kMetis);
  EXPECT_EQ(read->list, Read(grid)->list);
  // Packed twice, with a warning of gzip, and in an environment with options of its own.
  const std::string twice = Packed("gzip", named);
  std::ofstream(twice, std::ios::app) << "garbage";
  setenv("GZIP", "-l", 1);
  const auto again = Read(twice, {.format = Format::kMetis});
  unsetenv("GZIP");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->list, read->list);
}

TEST(Read, AFileThatUnpacksToTooMuchIsRefused) {
  const std::string packed = Packed("gzip", FileWith("zeros", std::string(3'000'000, '0')));
  ReadOptions options;
  options.most_bytes = 1'000'000;
  EXPECT_EQ(std::string(Read(packed, options).status().message()),
            packed + ": it unpacks to more than 1000000 bytes, the limit");
}

TEST(Read, ALostExitStatusIsNoSuccess) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "0 " + std::to_string(i) + "\n";
  const std::string packed = Packed("gzip", FileWith("cut.el", text));
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 20);
  const auto before = signal(SIGCHLD, SIG_IGN);
  const absl::Status status = Read(packed).status();
  signal(SIGCHLD, before);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

TEST(Read, TheProgramThatUnpacksIsMissed) {
  const std::string packed = FileWith("a.el.zst", "\x28\xb5\x2f\xfd");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(ErrorOf(packed),
            packed + ": it is compressed, and the program zstd that unpacks it is not there");
  setenv("PATH", path.c_str(), 1);
}

// A record of a tar archive: the header, then the bytes in records of 512.
std::string TarRecord(const std::string& name, const std::string& bytes, char type = '0') {
  std::string record(512, '\0');
  record.replace(0, name.size(), name);
  char size[13];
  std::snprintf(size, sizeof size, "%011zo", bytes.size());
  record.replace(124, 11, size);
  record[156] = type;
  record.replace(257, 5, "ustar");
  return record + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

TEST(Read, OfATarArchiveTheLargestFileIsRead) {
  const std::string graph = "% bip\n1 1\n2 1\n2 2\n";
  const std::string end(1024, '\0');
  const std::string archive =
      FileWith("a.tar", TarRecord("x/README", "hello") + TarRecord("x/out.x", graph) + end);
  const auto read = Read(archive);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->report.file, archive + ":x/out.x");
  EXPECT_EQ(read->list.left_vertices, 2u);
  // Long names stand in a record before: GNU's, or pax'.
  const std::string folder(120, 'f');
  const std::string metis = "2 1\n2\n1\n";
  const std::string name = folder + "/g.graph";
  for (const std::string& before : {TarRecord("././@LongLink", name, 'L'),
                                    TarRecord("PaxHeader", "140 path=" + name + "\n", 'x')}) {
    const auto named =
        Read(FileWith("long.tar", before + TarRecord(name.substr(0, 99), metis) + end));
    ASSERT_TRUE(named.ok()) << named.status();
    EXPECT_EQ(named->report.format, Format::kMetis);
    EXPECT_NE(named->report.file.find(name), std::string::npos);
  }
  EXPECT_EQ(ErrorOf(FileWith("b.tar", TarRecord("a", std::string(600, '1')).substr(0, 600))),
            PathOf("b.tar") +
                ": byte 0: found the header of a file that does not end here, "
                "expected a whole tar archive");
  EXPECT_EQ(ErrorOf(FileWith("c.zip", "PK\x03\x04")),
            PathOf("c.zip") + ": it is a zip archive: unpack it first");
}

TEST(Read, TheReportSaysHow) {
  const auto text = [](const std::string& name, const std::string& bytes,
                       ReadOptions options = {}) {
    const auto read = Read(FileWith(name, bytes), options);
    EXPECT_TRUE(read.ok()) << read.status();
    const std::string line = ToText(read->report);
    return line.substr(line.find(": ") + 2);
  };
  EXPECT_EQ(text("a.el", "1 2 5\n2 1 5\n2 2 5\n"),
            "edge-list (guessed); 2 vertices, 3 edges (--directed: arcs), 1 self-loop, 1 repeated; "
            "weights dropped; ids 1 to 2");
  EXPECT_EQ(text("b.gr", "p sp 3 1\na 1 2 5\n", {.parse = {.keep_weights = true, .direction = {}}}),
            "dimacs-gr (guessed); 3 vertices, 1 arc, 0 self-loops, 0 repeated; weights kept; ids 1 "
            "to 3");
  EXPECT_EQ(
      text("c", "1099511627776 1099511627777\n1099511627777 5\n", {.format = Format::kEdgeList}),
      "edge-list; 3 vertices, 2 edges (--directed: arcs), 0 self-loops, 0 repeated; no "
      "weights; ids 5 to 1099511627777 with gaps");
  EXPECT_EQ(text("d", "% bip\n1 1\n2 1\n"),
            "edge-list (guessed); 3 vertices (2 on the left side, 1 on the right), 2 edges without "
            "direction, 0 self-loops, 0 repeated; no weights; ids 1 to 3");
}

TEST(Read, AFileThatMayNotBeReadIsRefused) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "root may read all files";
  }
  const std::string path = FileWith("secret.el", "0 1\n");
  chmod(path.c_str(), 0);
  EXPECT_EQ(ErrorOf(path), "cannot read " + path + ": Permission denied");
  EXPECT_TRUE(absl::IsPermissionDenied(Read(path).status()));
}

}  // namespace
}  // namespace graph
