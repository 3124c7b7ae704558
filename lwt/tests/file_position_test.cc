// What reads and writes of ordinary files do with the file's position.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>

#include "lwt/lwt.h"
#include "lwt/tests/descriptors.h"

namespace lwt {
namespace {

class FilePosition : public WithIo {
 protected:
  static constexpr std::size_t kBlock = 4096;

  // Of two blocks, 'a' and 'b', behind the first of which its position is; of none where the file
  // system has no such files.
  Fd FileForAppends(int flags) {
    const std::string path = testing::TempDir() + "/appended";
    const Fd made(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    const std::string content = std::string(kBlock, 'a') + std::string(kBlock, 'b');
    EXPECT_EQ(write(made.get(), content.data(), content.size()), ssize_t(content.size()));
    Fd file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags));
    if (file.get() >= 0) {
      EXPECT_EQ(Read(file.get(), block_).value, ssize_t(kBlock));
      EXPECT_EQ(block_[0], std::byte{'a'});
    }
    return file;
  }

  alignas(kBlock) std::array<std::byte, kBlock> block_ = {};
};
INSTANTIATE_TEST_SUITE_P(By, FilePosition, kWorkersAndBackends, NameOfIo);

TEST_P(FilePosition, AnAppendMovesItToTheEnd) {
  for (const int flags : {0, O_DIRECT}) {
    pool_->Run([&] {
      const Fd file = FileForAppends(flags);
      if (file.get() < 0) return;  // This file system has no O_DIRECT.
      EXPECT_EQ(Write(file.get(), block_).value, ssize_t(kBlock));
      EXPECT_EQ(lseek(file.get(), 0, SEEK_CUR), off_t(3 * kBlock));
      EXPECT_EQ(Read(file.get(), block_).value, 0);
    });
  }
}

TEST_P(FilePosition, AnAppendThatFailsLeavesItWhereItIs) {
  std::string skipped;
  pool_->Run([&] {
    const Fd file = FileForAppends(O_DIRECT);
    if (file.get() < 0) {
      skipped = "this file system has no O_DIRECT";
      return;
    }
    const IoResult put = Write(file.get(), std::span(block_).first(100));
    if (put.value == 100) {
      skipped = "this file system takes any bytes";
      return;
    }
    EXPECT_EQ(put.error, EINVAL);
    EXPECT_EQ(Read(file.get(), block_).value, ssize_t(kBlock));
    EXPECT_EQ(block_[0], std::byte{'b'});
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace lwt
