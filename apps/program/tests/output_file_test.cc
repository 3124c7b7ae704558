#include "apps/program/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace program {
namespace {

using ::testing::HasSubstr;

std::string Contents(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  int FilesInFolder() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(OutputFileTest, TheFileAppearsWholeWhenCommitted) {
  const auto path = folder_ / "out.json";
  auto file = OutputFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->Commit("{}\n").ok());
  EXPECT_EQ(Contents(path), "{}\n");
  EXPECT_EQ(FilesInFolder(), 1);
}

TEST_F(OutputFileTest, WithoutACommitThePathKeepsWhatItHad) {
  const auto path = folder_ / "out.json";
  std::ofstream(path) << "before";
  { ASSERT_TRUE(OutputFile::Open(path).ok()); }
  EXPECT_EQ(Contents(path), "before");
  EXPECT_EQ(FilesInFolder(), 1);
}

TEST_F(OutputFileTest, ARunThatIsKilledLeavesNothingBehind) {
  const auto path = folder_ / "out.json";
  auto file = OutputFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(FilesInFolder(), 0) << "while it computes";
  ASSERT_TRUE(file->Commit("{}").ok());
  EXPECT_EQ(FilesInFolder(), 1);
}

TEST_F(OutputFileTest, AFolderThatIsMissingIsReportedWithThePath) {
  const auto refused = OutputFile::Open(folder_ / "none" / "out.json");
  EXPECT_TRUE(absl::IsNotFound(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("none/out.json"));
}

TEST_F(OutputFileTest, AFolderIsNoFile) {
  EXPECT_TRUE(absl::IsInvalidArgument(OutputFile::Open(folder_).status()));
  EXPECT_FALSE(OutputFile::Open("").ok());
}

TEST_F(OutputFileTest, ADeviceIsWrittenAndNotReplaced) {
  auto file = OutputFile::Open("/dev/null");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->Commit("x").ok());
  struct stat after;
  ASSERT_EQ(stat("/dev/null", &after), 0);
  EXPECT_TRUE(S_ISCHR(after.st_mode));
}

TEST_F(OutputFileTest, AFullDeviceIsAnError) {
  auto file = OutputFile::Open("/dev/full");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(std::string(file->Commit("x").message()), HasSubstr("/dev/full"));
}

TEST_F(OutputFileTest, ASymbolicLinkStaysOne) {
  const auto target = folder_ / "target.json";
  const auto link = folder_ / "link.json";
  std::ofstream(target) << "before";
  std::filesystem::create_symlink(target, link);
  auto file = OutputFile::Open(link);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(file->Commit("after").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(Contents(target), "after");
}

TEST_F(OutputFileTest, PermissionsAreThoseOfAnyNewFileOrOfTheOneReplaced) {
  const mode_t mask = umask(022);
  const auto path = folder_ / "out.json";
  ASSERT_TRUE(OutputFile::Open(path)->Commit("x").ok());
  struct stat made;
  ASSERT_EQ(stat(path.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0644u);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_TRUE(OutputFile::Open(path)->Commit("y").ok());
  ASSERT_EQ(stat(path.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
  umask(mask);
}

TEST_F(OutputFileTest, ADashIsStandardOutput) {
  testing::internal::CaptureStdout();
  auto file = OutputFile::Open("-");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->Commit("{\"a\":1}\n").ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\"a\":1}\n");
}

}  // namespace
}  // namespace program
