#include "apps/program/tests/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

extern char** environ;

namespace program {
namespace {

// A file that is gone once it is read. A pipe would need two readers at once.
class Capture {
 public:
  Capture() : name_(Folder() + "/captured.XXXXXX") { close(mkstemp(name_.data())); }
  ~Capture() { unlink(name_.c_str()); }

  const char* name() const { return name_.c_str(); }
  std::string Read() const {
    std::stringstream text;
    text << std::ifstream(name_).rdbuf();
    return text.str();
  }

 private:
  static std::string Folder() {
    const char* folder = std::getenv("TEST_TMPDIR");
    return folder != nullptr ? folder : "/tmp";
  }
  std::string name_;
};

}  // namespace

Outcome RunProgram(const std::string& path, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), path);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const Capture output, error;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.name(), O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.name(), O_WRONLY, 0);
  Outcome outcome;
  pid_t child = 0;
  const int failed = posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    outcome.error = "cannot start " + path + ": " + std::strerror(failed);
    return outcome;
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.output = output.Read();
  outcome.error = error.Read();
  return outcome;
}

}  // namespace program
