// The words by which other programs call sdpa and csdp.
#include "apps/sdpa/peers/command_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/sdpa/peers/csdp_parameters.h"

namespace sdpa {
namespace {

using Words = std::vector<std::string>;

std::string ErrorOf(Peer peer, const Words& words) {
  return std::string(ParseCall(peer, words).status().message());
}

TEST(CommandLines, TellsThreeCallersApart) {
  EXPECT_EQ(PeerOf("/usr/bin/csdp", Words{}), Peer::kCsdp);
  EXPECT_EQ(PeerOf("csdp", Words{"a.dat-s"}), Peer::kCsdp);
  EXPECT_EQ(PeerOf("csdp", Words{"--version"}), std::nullopt);
  EXPECT_EQ(PeerOf("sdpa", Words{"-ds", "a.dat-s", "-o", "a.out"}), Peer::kSdpa);
  EXPECT_EQ(PeerOf("sdpa", Words{"-o", "a.out", "-ds", "a.dat-s"}), Peer::kSdpa);
  EXPECT_EQ(PeerOf("sdpa", Words{"a.dat-s", "a.out"}), Peer::kSdpa);
  EXPECT_EQ(PeerOf("bazel-bin/apps/sdpa/sdpa", Words{"--problem=a.dat-s"}), std::nullopt);
  EXPECT_EQ(PeerOf("sdpa", Words{}), std::nullopt);
  EXPECT_EQ(PeerOf("sdpa", Words{"-h"}), std::nullopt);
  EXPECT_EQ(PeerOf("not-csdp", Words{"--theta=g"}), std::nullopt);
}

TEST(CommandLines, ReadsBothFormsOfSdpa) {
  const auto with_options =
      ParseCall(Peer::kSdpa, Words{"-dd", "a.txt", "-o", "a.out", "-p", "my.sdpa", "-is", "b.ini-s",
                                   "-pt", "2", "-numThreads", "4", "-dimacs"});
  ASSERT_TRUE(with_options.ok()) << with_options.status();
  EXPECT_EQ(with_options->problem, "a.txt");
  EXPECT_EQ(with_options->format, Format::kDense);
  EXPECT_EQ(with_options->solution, "a.out");
  EXPECT_EQ(with_options->parameters, "my.sdpa");
  EXPECT_FALSE(with_options->are_parameters_optional);
  EXPECT_EQ(with_options->initial, "b.ini-s");
  EXPECT_EQ(with_options->initial_format, Format::kSparse);
  EXPECT_EQ(with_options->threads, 4);
  EXPECT_TRUE(with_options->prints_dimacs);

  const auto with_files =
      ParseCall(Peer::kSdpa, Words{"a.dat", "a.out", "b.ini", "-numThreads", "1"});
  ASSERT_TRUE(with_files.ok()) << with_files.status();
  EXPECT_EQ(with_files->format, Format::kDense);
  EXPECT_EQ(with_files->initial, "b.ini");
  EXPECT_EQ(with_files->parameters, "param.sdpa");
  EXPECT_TRUE(with_files->are_parameters_optional);
}

TEST(CommandLines, RefusesSdpaLinesBySentence) {
  EXPECT_THAT(ErrorOf(Peer::kSdpa, {"a.dat-s"}),
              testing::StartsWith(
                  "a problem and a result are expected, as in sdpa -ds FILE -o RESULT; this"));
  EXPECT_EQ(ErrorOf(Peer::kSdpa, {"-ds", "a.dat-s", "-o"}), "-o: its value is missing");
  EXPECT_EQ(ErrorOf(Peer::kSdpa, {"-ds", "a.dat-s", "-o", "b", "-pt", "3"}),
            "-pt: '3' is not a number from 0 to 2");
  EXPECT_EQ(ErrorOf(Peer::kSdpa, {"-ds", "a.dat-s", "-o", "b", "-numThreads", "0x"}),
            "-numThreads: '0x' is not a number from 1 to 1048576");
  EXPECT_EQ(ErrorOf(Peer::kSdpa, {"-ds", "a.dat-s", "-x"}), "'-x' is none of sdpa's options");
  EXPECT_THAT(ErrorOf(Peer::kSdpa, {"-ds", "a.dat-s", "-o", "b", "c"}),
              testing::StartsWith("'c' is one file too many"));
  EXPECT_THAT(ErrorOf(Peer::kSdpa, {"a", "b", "c", "d"}),
              testing::StartsWith("'d' is one file too many"));
}

TEST(CommandLines, ReadsCsdpsLine) {
  const auto call = ParseCall(Peer::kCsdp, Words{"a.txt", "a.sol", "b.sol"});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->problem, "a.txt");
  EXPECT_EQ(call->format, Format::kSparse) << "whatever its name";
  EXPECT_EQ(call->solution, "a.sol");
  EXPECT_EQ(call->initial, "b.sol");
  EXPECT_EQ(call->parameters, "param.csdp");
  EXPECT_FALSE(ParseCall(Peer::kCsdp, Words{}).ok());
  EXPECT_FALSE(ParseCall(Peer::kCsdp, Words{"a", "b", "c", "d"}).ok());
}

TEST(CsdpParameters, ReadsWhatHasAnEffectAndPassesOverAllElse) {
  const CsdpParameters none = ParseCsdpParameters("");
  EXPECT_EQ(none.tolerance, 1e-7);
  EXPECT_EQ(none.most_iterations, 100);
  EXPECT_EQ(none.print_level, 1);
  // The form that HOL Light and YALMIP write.
  const CsdpParameters some = ParseCsdpParameters(
      "axtol=1.0e-8\natytol = 1e-9 remark\nOBJTOL=1e-8\npinftol=1.0e8\nmaxiter=50\n"
      "minstepfrac=0.9\nnonsense\n=\nprintlevel=0\naxtol=\n");
  EXPECT_EQ(some.tolerance, 1e-9);
  EXPECT_EQ(some.most_iterations, 50);
  EXPECT_EQ(some.print_level, 0);
  EXPECT_EQ(ParseCsdpParameters("axtol=0\nmaxiter=0\nprintlevel=-1").tolerance, 1e-28);
  EXPECT_EQ(ParseCsdpParameters("axtol=1e300").tolerance, 1);
  EXPECT_EQ(ParseCsdpParameters("maxiter=1e300").most_iterations, 1'000'000);
}

}  // namespace
}  // namespace sdpa
