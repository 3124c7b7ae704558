#include "llcl/system/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace llcl {
namespace {

using testing::HasSubstr;

TEST(Limits, AFileOfTheLimitIsAllowedAndAByteMoreIsRefusedWithBothNumbersAndTheOption) {
  EXPECT_TRUE(CheckFileBytes(4096, 4096, "lower bytes").ok());
  EXPECT_TRUE(CheckFileBytes(kNoLimit, kNoLimit, "lower bytes").ok());
  const absl::Status refused = CheckFileBytes(4097, 4096, "lower bytes");
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  const std::string why(refused.message());
  EXPECT_THAT(why, HasSubstr("4097"));
  EXPECT_THAT(why, HasSubstr("4096"));
  EXPECT_THAT(why, HasSubstr("ulimit -f"));
  EXPECT_THAT(why, HasSubstr("lower bytes"));
}

TEST(Limits, AddressesAreExplainedByTheLimitOnlyWhereTheMappingWouldPassIt) {
  EXPECT_EQ(WhyNoAddresses(1000, 1000, kNoLimit), "");
  EXPECT_EQ(WhyNoAddresses(1000, 1000, 2000), "");
  const std::string why = WhyNoAddresses(1001, 1000, 2000);
  EXPECT_THAT(why, HasSubstr("ulimit -v"));
  EXPECT_THAT(why, HasSubstr("2000"));
  EXPECT_THAT(why, HasSubstr("1001"));
  // The limit was lowered afterwards; and a sum that does not fit in a word.
  EXPECT_THAT(WhyNoAddresses(1, 3000, 2000), HasSubstr("ulimit -v"));
  EXPECT_THAT(WhyNoAddresses(~std::uint64_t{0}, 1000, 2000), HasSubstr("ulimit -v"));
}

TEST(Limits, DescriptorsAreRefusedWhereOneIsMissingAndTheSentenceSaysHowMany) {
  EXPECT_TRUE(CheckDescriptors("a job", 12, 12, 16).ok());
  const absl::Status refused = CheckDescriptors("a job of 4 ranks", 13, 11, 16);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  const std::string why(refused.message());
  EXPECT_THAT(why, HasSubstr("a job of 4 ranks needs 13 descriptors"));
  EXPECT_THAT(why, HasSubstr("11 of the 16"));
  EXPECT_THAT(why, HasSubstr("ulimit -n"));
  EXPECT_THAT(why, HasSubstr("by 2"));
}

TEST(Limits, AFailedCallIsNamedWithTheLimitOrTheFilterThatMayBeTheReason) {
  EXPECT_THAT(WhyCallFailed("eventfd2", EMFILE, 16), HasSubstr("ulimit -n, is 16"));
  EXPECT_THAT(WhyCallFailed("eventfd2", ENFILE, 16), HasSubstr("fs.file-max"));
  for (const int error : {EPERM, ENOSYS}) {
    const std::string why = WhyCallFailed("memfd_create", error, 16);
    EXPECT_THAT(why, HasSubstr("memfd_create"));
    EXPECT_THAT(why, HasSubstr("filter"));
  }
  EXPECT_EQ(WhyCallFailed("mmap", EINVAL, 16), "mmap: Invalid argument");
}

}  // namespace
}  // namespace llcl
