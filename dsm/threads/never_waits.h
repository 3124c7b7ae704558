// Threads that must not wait for another rank: a thread in a handler of a message, and a thread
// that communicates. Another rank's answer may need such a thread, so its wait might never end. A
// wait is refused whether or not it would end this time, so a mistake does not depend on the
// conduit.
//
// Threads: any; IsHere in signal handlers too.
#pragma once

#include <sys/types.h>

namespace dsm::never_waits {

// This thread, from now on: it communicates.
void FromHereOn();

// This thread, as long as it lives: it is in a handler. A resource.
class Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  bool has_added_ = false;  // the thread's number
};

// This thread handles a fault of another one, which sleeps until that is done. A resource.
class Serving {
 public:
  explicit Serving(pid_t thread);
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
};

// Whether there are threads that construct Serving: only then other threads are looked up by
// number. A resource.
class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
};

// Of this thread, or of the thread that it serves.
bool IsHere();
// Is this a thread that serves another?
bool IsServing();

// Ends the program where IsHere(). `call`: "Space::Barrier".
void RequireNot(const char* call);
// Ends the program: such a thread of `rank` touches a byte whose home is `home`; below 0: none yet.
[[noreturn]] void EndAt(const void* byte, int rank, int home);

}  // namespace dsm::never_waits
