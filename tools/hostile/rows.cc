// Runs programs on hosts that refuse, and compares the ends with a table's.
//
// usage: rows TABLE NAME=COMMAND...
//
// A row of the table: the host (host.h) | the program's name | the outcome | a text of the output.
// Outcomes: works (exit code 0), refuses (another exit code), either (works or refuses), killed
// (137, the launcher's exit code after the program has killed a rank). Every other end fails the
// row: a signal, an uncaught exception, or no end within the bound.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tools/hostile/host.h"

namespace hostile {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kMost{45};  // for a program: those that end take seconds

struct Row {
  int line = 0;
  std::string host, program, outcome, text;
};

struct End {
  std::optional<int> exit_code;  // none: killed, or ended by a signal
  std::string how;
  std::string output;
};

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "rows: %s\n", why.c_str());
  std::exit(2);
}

std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Row> ReadTable(const char* file) {
  std::ifstream table(file);
  if (!table) Fail(std::string(file) + ": no such table");
  std::vector<Row> rows;
  std::string line;
  for (int number = 1; std::getline(table, line); ++number) {
    if (Trimmed(line).empty() || line.front() == '#') continue;
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(Trimmed(cell));
    if (cells.size() == 3) cells.emplace_back();  // an empty text
    if (cells.size() != 4) Fail(std::string(file) + ":" + std::to_string(number) + ": four cells");
    rows.push_back({number, cells[0], cells[1], cells[2], cells[3]});
  }
  return rows;
}

// In the child: never returns.
[[noreturn]] void Become(const std::vector<std::string>& command, const Host& host, int output) {
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  const int nothing = open("/dev/null", O_RDONLY);
  (void)dup2(nothing, STDIN_FILENO);
  (void)dup2(output, STDOUT_FILENO);
  (void)dup2(output, STDERR_FILENO);
  for (int fd = STDERR_FILENO + 1; fd < 64; ++fd) (void)close(fd);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (!MoveTo(host)) {
    std::perror("rows: this machine has no such host");
    _exit(120);
  }
  execv(words[0], words.data());
  std::perror(words[0]);
  _exit(121);
}

End Run(const std::vector<std::string>& command, const Host& host) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) Fail(std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) Become(command, host, ends[1]);
  (void)setpgid(child, child);
  close(ends[1]);
  End end;
  const auto until = Clock::now() + kMost;
  bool is_late = false;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd ready = {ends[0], POLLIN, 0};
    is_late = left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) == 0;
    if (is_late) break;
    std::array<char, 4096> bytes;
    const ssize_t got = read(ends[0], bytes.data(), bytes.size());
    if (got <= 0) break;
    end.output.append(bytes.data(), static_cast<std::size_t>(got));
  }
  // All started processes end with this process.
  if (!is_late) (void)kill(-child, SIGCONT);
  // Its output has ended; it itself may not have.
  int status = 0;
  while (!is_late && waitpid(child, &status, WNOHANG) == 0) {
    is_late = Clock::now() >= until;
    (void)poll(nullptr, 0, 10);
  }
  if (is_late) (void)kill(-child, SIGKILL);
  if (is_late) (void)waitpid(child, &status, 0);
  (void)kill(-child, SIGKILL);
  close(ends[0]);
  if (is_late) {
    end.how = "it did not end in " + std::to_string(kMost.count()) + " s";
  } else if (WIFSIGNALED(status)) {
    end.how = std::string("it ended by a signal: ") + strsignal(WTERMSIG(status));
  } else {
    end.exit_code = WEXITSTATUS(status);
    end.how = "exit code " + std::to_string(*end.exit_code);
  }
  return end;
}

bool IsOutcome(const std::string& outcome, int exit_code) {
  // From here on: a shell's and a launcher's exit codes for a program that cannot be run, or has
  // ended by a signal.
  constexpr int kNotTheProgramsOwn = 120;
  if (outcome == "killed") return exit_code == 128 + SIGKILL;
  if (exit_code >= kNotTheProgramsOwn) return false;
  return outcome == "either" || (exit_code == 0) == (outcome == "works");
}

bool IsAsStated(const Row& row, const End& end) {
  return end.exit_code && IsOutcome(row.outcome, *end.exit_code) &&
         end.output.find("terminate called") == std::string::npos &&
         end.output.find(row.text) != std::string::npos;
}

int Main(int argc, char** argv) {
  if (argc < 3) Fail("usage: rows TABLE NAME=COMMAND...");
  std::map<std::string, std::vector<std::string>> programs;
  for (int i = 2; i < argc; ++i) {
    const std::string given = argv[i];
    const std::size_t at = given.find('=');
    if (at == std::string::npos) Fail(given + ": NAME=COMMAND");
    std::istringstream words(given.substr(at + 1));
    for (std::string word; words >> word;) programs[given.substr(0, at)].push_back(word);
  }
  const std::vector<Row> rows = ReadTable(argv[1]);
  int failed = 0;
  for (const Row& row : rows) {
    std::string fault;
    const std::optional<Host> host = HostOf(row.host, fault);
    if (!host) Fail("line " + std::to_string(row.line) + ": not understood: " + fault);
    if (!programs.contains(row.program)) Fail("no program " + row.program);
    if (row.outcome != "works" && row.outcome != "refuses" && row.outcome != "either" &&
        row.outcome != "killed") {
      Fail("line " + std::to_string(row.line) + ": no such outcome: " + row.outcome);
    }
    const auto begin = Clock::now();
    const End end = Run(programs[row.program], *host);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const bool is_right = IsAsStated(row, end);
    failed += is_right ? 0 : 1;
    std::printf("%s  %-28s %-10s %-8s %-24s %s, %.1f s\n", is_right ? "ok    " : "FAILED",
                row.host.c_str(), row.program.c_str(), row.outcome.c_str(), row.text.c_str(),
                end.how.c_str(), seconds);
    if (!is_right) std::printf("%s\n", end.output.substr(0, 2000).c_str());
    std::fflush(stdout);
  }
  std::printf("%zu rows, %d failed\n", rows.size(), failed);
  return rows.empty() || failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace hostile

int main(int argc, char** argv) { return hostile::Main(argc, argv); }
