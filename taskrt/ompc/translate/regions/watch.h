// The variables outside of a taskgraph's block on whose values its tasks' lists depend. A task's
// lists are recorded as they are: where they depend on the value of a variable outside, the record
// holds as long as the variable has it. Where they are read from memory behind a pointer, the block
// is run each time.
//
// Pure. Threads: one.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/regions/scopes.h"

namespace taskrt {

// Of the taskgraph whose block is searched; outside of one nothing is noted.
class Watch {
 public:
  // A value: variables outside of the block.
  struct Watched {
    std::set<std::string> pointers, values;  // on which lists depend
    std::set<std::string> copied;            // of the file, that tasks get as copies
    bool reads_memory = false;               // behind a pointer, whose value is not watched
  };
  // Begins a taskgraph's block: the scopes that are pushed from now on are its own. Returns the
  // watch before, which is put back at its end.
  Watch Begin(const Scopes& scopes);
  const Watched& watched() const { return watched_; }

  // A list names the variable; names variables in an expression; is of this item.
  void NotePointer(const Scopes& scopes, const std::string& name);
  void NoteValues(const Scopes& scopes, const std::string& expression);
  void NoteItem(Scopes& scopes, const Directive& directive, const ListItem& item);
  void NoteCopied(const std::string& name);

 private:
  bool is_on_ = false;
  std::size_t own_ = 0;  // where the block's scopes begin
  std::set<std::string> saved_;
  Watched watched_;
};

// Takes "saved:" from the front of a firstprivate's list; false: it is not there.
bool TakeSaved(Clause& clause);

}  // namespace taskrt
