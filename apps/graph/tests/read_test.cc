#include "apps/graph/read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

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
  EXPECT_EQ(guessed->vertices, 3u);
  const std::string list = FileWith("b.graph", "3 1\n2 1\n");
  const auto asked =
      Read(list, {.format = Format::kEdgeList, .parse = {.first_id = FirstId::kOne}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->edges, (std::vector<Edge>{{2, 0}, {1, 0}}));
}

TEST(Read, AFileThatFillsItsLastPageIsReadToItsEnd) {
  std::string text;
  while (text.size() < 65536 - 4) text += "1 2\n";
  const auto list = Read(FileWith("a.el", text + "1 34"));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->edges.size(), 65536u / 4);
  EXPECT_EQ(list->vertices, 35u);
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
  EXPECT_EQ(list->edges.size(), 300'000u);
  EXPECT_EQ(list->vertices, 300'000u);
}

TEST(Read, AnErrorNamesThePath) {
  const std::string missing = PathOf("missing");
  EXPECT_EQ(ErrorOf(missing), "cannot read " + missing + ": No such file or directory");
  EXPECT_TRUE(absl::IsNotFound(Read(missing).status()));

  const std::string folder = std::filesystem::path(missing).parent_path();
  EXPECT_EQ(ErrorOf(folder), "cannot read " + folder + ": Is a directory");
  EXPECT_TRUE(absl::IsFailedPrecondition(Read(folder).status()));

  const std::string empty = FileWith("empty.gr", "");
  EXPECT_EQ(ErrorOf(empty), empty + ":1: found an empty file, expected 'p sp VERTICES ARCS'");

  const std::string bad = FileWith("bad.el", "0 1\n0 x\n");
  EXPECT_EQ(ErrorOf(bad), bad + ":2: found 'x', expected a vertex from 0 to 4294967294");
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
