// Where the results of a run go: files that its flags ask for, and text for people.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/program/output_file.h"
#include "apps/program/terminal.h"

namespace program {

// A resource.
//
//   auto outputs = program::Outputs::Open({{"--json", flags.json}, {"--svg", flags.svg}});
//   ...                                       // the work
//   outputs->text() << ToText(rows, outputs->color());
//   absl::Status status = outputs->Commit("--json", [&] { return record.ToText(); });
class Outputs {
 public:
  struct Asked {
    const char* flag;
    std::string path;  // empty: the flag was not given
  };
  // Opens the files; programs call it before the work. InvalidArgument: two flags ask for the same
  // file, or for standard output. Other errors: OutputFile::Open's.
  static absl::StatusOr<Outputs> Open(std::initializer_list<Asked> asked);

  // Writes `contents()` to the flag's file; does nothing if the flag was not given.
  absl::Status Commit(const std::string& flag, const std::function<std::string()>& contents);

  // Text for people goes to standard output, or to standard error if a file is standard output:
  // nothing else may be there.
  std::ostream& text() const;
  Color color() const;

 private:
  std::map<std::string, OutputFile> files_;
  Stream stream_ = Stream::kOutput;
};

}  // namespace program
