#include "apps/program/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace program {
namespace {

constexpr std::array<std::uint64_t, 5> kNumbers = {3, 1, 4, ~std::uint64_t{0}, 0};

std::string FileIn(const char* name) { return ::testing::TempDir() + "/" + name; }

void Write(const std::string& file, std::string_view title) {
  auto writer = CheckpointWriter::Open(file, title);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->Add(std::span(kNumbers).first(2)).ok());
  ASSERT_TRUE(writer->Add(std::span(kNumbers).subspan(2)).ok());
  ASSERT_TRUE(writer->Publish().ok());
}

std::string BytesOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Checkpoint, ReadsWhatWasWrittenInPiecesOfOtherSizes) {
  const std::string file = FileIn("whole");
  Write(file, "the answer");
  auto reader = CheckpointReader::Open(file, "the answer");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->left(), kNumbers.size());
  std::array<std::uint64_t, 1> first = {};
  std::array<std::uint64_t, 4> rest = {};
  ASSERT_TRUE(reader->Read(first).ok());
  ASSERT_TRUE(reader->Read(rest).ok());
  EXPECT_EQ(first[0], kNumbers[0]);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), kNumbers.begin() + 1));
  EXPECT_TRUE(absl::IsDataLoss(reader->Read(first)));
}

TEST(Checkpoint, IsTheUsersAlone) {
  const std::string file = FileIn("private");
  Write(file, "t");
  struct stat facts = {};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST(Checkpoint, TakesThePlaceOfNoDeviceOrFolder) {
  const std::string fifo = FileIn("fifo"), folder = FileIn("folder");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::filesystem::create_directory(folder);
  for (const std::string& file : {fifo, folder}) {
    const absl::Status refused = CheckpointWriter::Open(file, "t").status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_FALSE(std::filesystem::exists(file + ".new"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST(Checkpoint, OfAnotherTitleIsRefusedWithBoth) {
  const std::string file = FileIn("other");
  Write(file, "a grid of 5");
  const auto refused = CheckpointReader::Open(file, "a grid of 6");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status()));
  EXPECT_EQ(refused.status().message(), file + ": it is of a grid of 5; here is a grid of 6");
}

TEST(Checkpoint, OfAnotherVersionIsRefused) {
  const std::string file = FileIn("version");
  Write(file, "t");
  std::string bytes = BytesOf(file);
  bytes[8] = 2;
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckpointReader::Open(file, "t").status()));
}

TEST(Checkpoint, ThatIsNotThereIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(CheckpointReader::Open(FileIn("absent"), "t").status()));
}

TEST(Checkpoint, CutOffAnywhereOrWithAnyBitChangedIsNotRead) {
  const std::string file = FileIn("damaged");
  Write(file, "title");
  const std::string whole = BytesOf(file);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, bytes);
    EXPECT_FALSE(CheckpointReader::Open(file, "title").ok()) << bytes;
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    std::ofstream(file, std::ios::binary) << changed;
    EXPECT_FALSE(CheckpointReader::Open(file, "title").ok()) << bit;
  }
  std::ofstream(file, std::ios::binary) << whole << "x";
  EXPECT_FALSE(CheckpointReader::Open(file, "title").ok());
}

TEST(Checkpoint, WithoutPublishLeavesWhatWasThereAndNothingElse) {
  const std::string file = FileIn("kept");
  Write(file, "t");
  const std::string before = BytesOf(file);
  {
    auto writer = CheckpointWriter::Open(file, "t");
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->Add(kNumbers).ok());
    EXPECT_TRUE(std::filesystem::exists(file + ".new"));
  }
  EXPECT_FALSE(std::filesystem::exists(file + ".new"));
  EXPECT_EQ(BytesOf(file), before);
}

TEST(Checkpoint, WhereNothingCanBeWrittenNamesTheFile) {
  const auto refused = CheckpointWriter::Open("/nowhere/file", "t");
  EXPECT_EQ(refused.status().message(),
            "/nowhere/file.new: cannot be made: No such file or directory");
}

}  // namespace
}  // namespace program
