// The first process of the RDMA guest: loads the kernel's modules that /modules lists, one path a
// line; runs each line of /runs, `[<variable>=<value>]... <program> [<argument>]...`; reports on
// the console how it ended; and powers the machine off.
//
// It is linked statically and holds to system calls: what fails here can be reported nowhere but on
// the console.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

// The markers that `boot` looks for; kStarted is only the first output.
constexpr char kStarted[] = "GUEST-STARTED";
constexpr char kEnded[] = "GUEST-ENDED";
constexpr char kBroken[] = "GUEST-BROKEN";
constexpr char kDone[] = "GUEST-DONE";

[[noreturn]] void PowerOff() {
  fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
  _exit(1);
}

[[noreturn]] void Broken(const std::string& what) {
  printf("\n%s: %s: %s\n", kBroken, what.c_str(), strerror(errno));
  PowerOff();
}

void Mount(const char* type, const char* where) {
  mkdir(where, 0755);
  if (mount(type, where, type, 0, "") != 0) Broken(std::string("mount ") + where);
}

void LoadModule(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || syscall(SYS_finit_module, file, "", 0) != 0) Broken("load " + path);
  close(file);
}

std::vector<std::string> LinesOf(const char* path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

[[noreturn]] void Exec(const std::string& line) {
  setenv("LD_LIBRARY_PATH", "/lib", 1);
  setenv("PATH", "/bin", 1);
  setenv("HOME", "/tmp", 1);
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    const size_t equals = word.find('=');
    if (words.empty() && equals != std::string::npos) {
      setenv(word.substr(0, equals).c_str(), word.c_str() + equals + 1, 1);
    } else {
      words.push_back(word);
    }
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (chdir("/tmp") != 0) Broken("chdir /tmp");
  execvp(arguments[0], arguments.data());
  Broken("exec " + line);
}

void Run(const std::string& line) {
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) Broken("fork");
  if (child == 0) Exec(line);
  int status = 0;
  // As the first process it also inherits orphans: wait until the one that was asked for ends.
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) Broken("waitpid");
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  // A line of its own, even after a program that was cut short.
  printf("\n%s: %s: %d\n", kEnded, line.c_str(), code);
}

}  // namespace

int main() {
  Mount("devtmpfs", "/dev");
  const int console = open("/dev/console", O_RDWR);
  for (int file = 0; file < 3; ++file) dup2(console, file);
  printf("%s\n", kStarted);
  Mount("proc", "/proc");
  Mount("sysfs", "/sys");
  Mount("tmpfs", "/tmp");
  Mount("tmpfs", "/dev/shm");
  for (const std::string& path : LinesOf("/modules")) LoadModule(path);
  for (const std::string& line : LinesOf("/runs")) Run(line);
  printf("%s\n", kDone);
  PowerOff();
}
