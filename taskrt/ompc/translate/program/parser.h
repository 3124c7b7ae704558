// The first pass: a file's text is read into pieces, its directives with their code. Variables are
// read where they are declared, and looked up later.
//
//   parser.cc        the file, its functions, blocks and words
//   declarations.cc  declarations inside of functions
//   constructs.cc    directives, and the statements, loops and sections that they take
//   metadirective.cc the directives among which one chooses by its place
//
// Pure. Threads: one.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/c/structured.h"
#include "taskrt/ompc/translate/program/code.h"

namespace taskrt {

class Parser {
 public:
  // The source outlives the parser.
  explicit Parser(const Source& source) : source_(source) {}
  explicit Parser(Source&&) = delete;

  // Errors: InvalidArgument, "file:line: expected ...".
  absl::StatusOr<Code> ParseFile();

 private:
  // parser.cc
  absl::Status AddFunction(const std::string& declaration);
  absl::StatusOr<Code> ParseCode(std::size_t end);
  absl::Status ParseBlocks(std::size_t end);
  absl::Status ParseFor();
  template <class Kind>
  void Add(std::size_t end, Kind kind) {
    AddFrom(at_, end, std::move(kind));
  }
  template <class Kind>
  void AddFrom(std::size_t begin, std::size_t end, Kind kind) {
    Piece& piece = code_->emplace_back();
    piece.begin = begin;
    piece.end = end;
    piece.is = std::move(kind);
  }
  void OpenScope(Scope scope) {
    Add(at_, OpenedScope{std::make_shared<const Scope>(std::move(scope))});
  }
  void AddDeclared(Scope scope) {
    Add(at_, Declarations{std::make_shared<const Scope>(std::move(scope))});
  }
  void AddText(std::size_t end);
  void AddLineEnds(std::size_t end);
  void AddWord(const std::string& before);

  // declarations.cc
  void Declare(std::size_t to);
  absl::Status ParseNested(std::size_t body);
  std::size_t AfterMembers() const;
  void ParseMembers(std::size_t end);

  // constructs.cc
  absl::Status ParseLine();
  absl::Status AddDirective(const Directive& directive, std::size_t begin);
  absl::Status CheckBlock(const Directive& directive) const;
  absl::Status AddConstruct(const Directive& directive, std::size_t begin);
  absl::Status ReadVariant(ParsedConstruct& construct) const;
  absl::Status ParseTaken(ParsedConstruct& construct);
  absl::Status ParseStatement(ParsedConstruct& construct);
  absl::Status ParseLoopsOf(ParsedConstruct& construct);
  absl::Status ParseSections(ParsedConstruct& construct);
  absl::Status ParseScan(ParsedConstruct& construct);
  absl::Status ParseIterations(ParsedConstruct& construct);

  // metadirective.cc
  absl::Status AddChoices(const Directive& directive, std::size_t begin);

  const Source& source_;
  std::size_t at_ = 0;
  Code* code_ = nullptr;  // that is being read
  Macros macros_;
  Block function_;                    // that the place is in; empty: none
  std::vector<std::string> nest_;     // the constructs that the place is in, the innermost last
  std::set<std::size_t> iterations_;  // where the task_iterations end that taskloops have
};

}  // namespace taskrt
