// The first process of the NUMA guest: mounts what the tests read, runs each program that /runs
// names, reports on the console how it ended, and powers the machine off.
//
// /runs has one line a run, `<program> [<key>=<value>]...`, with the keys
//   guest    the value of TOPO_GUEST for the program (always given)
//   cpus     a cpuset's PUs, as 2-3          mems   its memory nodes, as 1
//   quota    a cgroup's cpu.max, as 150000   (microseconds of each 100,000)
//   offline  a PU that is taken offline for the run
//   filter   --gtest_filter
// It is linked statically and holds to system calls: what fails here can be reported nowhere but on
// the console.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

// The markers that `boot` looks for; kStarted is only the first output.
constexpr char kStarted[] = "GUEST-STARTED";
constexpr char kEnded[] = "GUEST-ENDED";
constexpr char kBroken[] = "GUEST-BROKEN";
constexpr char kDone[] = "GUEST-DONE";

constexpr char kGroup[] = "/sys/fs/cgroup/run";

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

void Mount(const char* type, const char* where, const char* options) {
  mkdir(where, 0755);
  if (mount(type, where, type, 0, options) != 0) Broken(std::string("mount ") + where);
}

void Write(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY);
  if (file < 0) Broken("open " + path);
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    Broken("write '" + text + "' to " + path);
  }
  close(file);
}

struct Run {
  std::string program;
  std::map<std::string, std::string> keys;

  std::string Key(const std::string& name) const {
    const auto found = keys.find(name);
    return found == keys.end() ? "" : found->second;
  }
  bool InGroup() const { return !(Key("cpus") + Key("mems") + Key("quota")).empty(); }
};

std::vector<Run> ReadRuns() {
  std::vector<Run> runs;
  std::ifstream file("/runs");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Run run;
    words >> run.program;
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos) Broken("no '=' in " + word);
      run.keys[word.substr(0, equals)] = word.substr(equals + 1);
    }
    runs.push_back(run);
  }
  return runs;
}

void SetPu(const std::string& pu, const char* online) {
  if (!pu.empty()) Write("/sys/devices/system/cpu/cpu" + pu + "/online", online);
}

void MakeGroup(const Run& run) {
  if (mkdir(kGroup, 0755) != 0) Broken(kGroup);
  const std::string group = kGroup;
  if (!run.Key("cpus").empty()) Write(group + "/cpuset.cpus", run.Key("cpus"));
  if (!run.Key("mems").empty()) Write(group + "/cpuset.mems", run.Key("mems"));
  if (!run.Key("quota").empty()) Write(group + "/cpu.max", run.Key("quota") + " 100000");
}

[[noreturn]] void Exec(const Run& run) {
  if (run.InGroup()) Write(std::string(kGroup) + "/cgroup.procs", "0");
  setenv("TOPO_GUEST", run.Key("guest").c_str(), 1);
  setenv("LD_LIBRARY_PATH", "/lib", 1);
  setenv("PATH", "/bin", 1);
  setenv("HOME", "/tmp", 1);
  setenv("TEST_TMPDIR", "/tmp", 1);
  if (chdir("/tmp") != 0) Broken("chdir /tmp");
  const std::string path = "/bin/" + run.program;
  const std::string filter =
      "--gtest_filter=" + (run.Key("filter").empty() ? "*" : run.Key("filter"));
  execl(path.c_str(), path.c_str(), filter.c_str(), "--gtest_color=no", nullptr);
  Broken("exec " + path);
}

void Start(const Run& run) {
  SetPu(run.Key("offline"), "0");
  if (run.InGroup()) MakeGroup(run);
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) Broken("fork");
  if (child == 0) Exec(run);
  int status = 0;
  // As the first process it also inherits orphans: wait until the one that was asked for ends.
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) Broken("waitpid");
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (run.InGroup() && rmdir(kGroup) != 0) Broken(std::string("rmdir ") + kGroup);
  SetPu(run.Key("offline"), "1");
  // A line of its own, even after a program that was cut short.
  printf("\n%s: %s (%s): %d\n", kEnded, run.program.c_str(), run.Key("guest").c_str(), code);
}

}  // namespace

int main() {
  Mount("devtmpfs", "/dev", "");
  const int console = open("/dev/console", O_RDWR);
  for (int file = 0; file < 3; ++file) dup2(console, file);
  printf("%s\n", kStarted);
  Mount("proc", "/proc", "");
  Mount("sysfs", "/sys", "");
  Mount("cgroup2", "/sys/fs/cgroup", "");
  Mount("tmpfs", "/tmp", "");
  Mount("tmpfs", "/dev/shm", "");
  Write("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset +cpu");
  for (const Run& run : ReadRuns()) Start(run);
  printf("%s\n", kDone);
  PowerOff();
}
