// The program's checkpoints, and runs that go on from them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/tests/run_program.h"
#include "apps/sdpa/tests/run_sdpa.h"

namespace sdpa {
namespace {

using nlohmann::json;
using program::Outcome;
using testing::HasSubstr;

TEST(Checkpoint, ACheckpointThatCannotBeWrittenIsAnErrorBeforeTheWork) {
  const Outcome run = Sdpa({kRandom, "--checkpoint=" + PathOf("no/such/folder")});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.output, "");
  EXPECT_THAT(run.error, HasSubstr("no/such/folder"));
}

TEST(Checkpoint, TheLastIterationThatIsAllowedIsACheckpoint) {
  const std::string checkpoint = PathOf("limited");
  EXPECT_EQ(Sdpa({kRandom, "--checkpoint=" + checkpoint, "--iterations=4"}).code, 4);
  const json rest = RowOf({kRandom, "--checkpoint=" + checkpoint, "--resume"});
  EXPECT_LT(rest["iterations"], RowOf({kRandom})["iterations"]);
}

TEST(Checkpoint, AStoppedRunGoesOnFromItsCheckpoint) {
  const std::string checkpoint = PathOf("stopped");
  const int whole = RowOf({kRandom})["iterations"];
  EXPECT_EQ(
      Sdpa({kRandom, "--checkpoint=" + checkpoint, "--checkpoint-seconds=0", "--iterations=5"})
          .code,
      4);
  const json rest = RowOf({kRandom, "--checkpoint=" + checkpoint, "--resume"});
  EXPECT_LE(rest["iterations"], whole - 4);
  EXPECT_NEAR(rest["primal"].get<double>(), rest["known"].get<double>(), 1e-5);

  const Outcome other = Sdpa({kPentagon, "--checkpoint=" + checkpoint, "--resume"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.error, HasSubstr(checkpoint));
  const Outcome absent = Sdpa({kPentagon, "--checkpoint=" + PathOf("absent"), "--resume"});
  EXPECT_EQ(absent.code, 2);
  EXPECT_THAT(absent.error, HasSubstr(PathOf("absent")));
  // Of the same sizes and names, but for a number.
  const Outcome similar =
      Sdpa({"--generate=random:blocks=8+d4,m=20,seed=2", "--checkpoint=" + checkpoint, "--resume"});
  EXPECT_EQ(similar.code, 2);
  FileOf("stopped", TextOf(checkpoint).substr(0, 200));
  EXPECT_EQ(Sdpa({kRandom, "--checkpoint=" + checkpoint, "--resume"}).code, 2) << "a part of it";
}

TEST(Checkpoint, ACheckpointHoldsPairsOfDoubles) {
  const std::string checkpoint = PathOf("pairs"), precision = "--precision=dd",
                    tolerance = "--tolerance=1e-24";
  // The second one is solved on a face.
  for (const std::string& problem : {kRandom, std::string("--generate=bisection:petersen")}) {
    const int whole = RowOf({problem, precision, tolerance})["iterations"];
    const int before = whole - 2;  // no double holds the point any more
    EXPECT_EQ(Sdpa({problem, precision, tolerance, "--checkpoint=" + checkpoint,
                    "--iterations=" + std::to_string(before)})
                  .code,
              3);
    const json rest =
        RowOf({problem, precision, tolerance, "--checkpoint=" + checkpoint, "--resume"});
    EXPECT_LE(rest["iterations"], 3) << problem;
    EXPECT_EQ(rest["phase"], "optimal");
  }
}

// Killed at the fifth checkpoint: each is a file of its own.
TEST(Checkpoint, AKilledRunGoesOnFromItsCheckpoint) {
  const std::string checkpoint = PathOf("killed"), problem = "--generate=theta:n=80,m=1000",
                    flag = "--checkpoint=" + checkpoint;
  std::vector<std::string> arguments = {kProgram, problem, flag, "--checkpoint-seconds=0"};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  const std::string log = PathOf("killed.log");
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&quiet, stream, log.c_str(), O_WRONLY | O_CREAT, 0600);
  }
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, kProgram.c_str(), &quiet, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0, seen = 0;
  for (ino_t last = 0; seen < 5;) {
    if (waitpid(child, &status, WNOHANG) == child) break;
    struct stat facts = {};
    if (stat(checkpoint.c_str(), &facts) == 0 && facts.st_ino != last) {
      last = facts.st_ino;
      ++seen;
    }
    usleep(1000);
  }
  ASSERT_EQ(seen, 5) << "it ended by itself: " << TextOf(log);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const json whole = RowOf({problem});
  const json rest = RowOf({problem, flag, "--resume"});
  EXPECT_LT(rest["iterations"], whole["iterations"]);
  EXPECT_NEAR(rest["primal"].get<double>(), whole["primal"].get<double>(), 1e-5);
}

}  // namespace
}  // namespace sdpa
