// How a program of this workspace starts and ends.
//
// Exit code 0: the answer was verified (or --help was asked for). Exit code 2:
// anything else, after one sentence on standard error that begins with the
// program's name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace program {

inline constexpr int kExitVerified = 0;
inline constexpr int kExitError = 2;

// For programs whose flags are declared in a file of their own: main() can do without CLI11's
// headers, which take longer to compile than all else in it.
// `commit`: Commit(), for --version.
std::shared_ptr<CLI::App> MakeApp(const std::string& description, const std::string& name,
                                  std::string_view commit);

// Of all programs: they are one release.
inline constexpr char kVersion[] = "0.1.0";

// --version, which prints "NAME 0.1.0 (commit COMMIT)" and ends the program with 0.
void AddVersion(CLI::App& app, std::string_view commit);

// Under `bazel run`, file names mean what they mean in the caller's folder, not
// in the one that Bazel starts programs in.
void GoToCallersFolder();

// Goes to the caller's folder.
//
// Reads the flags into what `app` has been given, calls `body`, and returns the
// exit code for main(). `app` must have a name. A status that is not OK and an
// exception are errors alike; `body` returns OK only for a verified answer.
int Run(CLI::App& app, int argc, const char* const* argv,
        const std::function<absl::Status()>& body);

// What to type at the workspace's root to run `target` with these flags again:
// "bazel run -c opt //apps/stream -- --threads=2", quoted for a shell where need
// be. Without the flags that only say where results go (--json, --svg, --trace, --output).
std::string CommandOf(std::string_view target, int argc, const char* const* argv);

// "stream: cannot ...", on one line, whatever the message was.
std::string ErrorSentence(std::string_view program, std::string_view message);

}  // namespace program
