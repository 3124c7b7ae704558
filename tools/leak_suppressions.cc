// Leaks that are others': what LeakSanitizer shall not report. Linked into every
// program and test under --config=asan.
extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_options();

// Tests compare outputs.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

extern "C" const char* __lsan_default_suppressions() {
  // hwloc 2.9 keeps 32 bytes of an XML file that it refuses.
  // oneTBB keeps 40 bytes of an observer whose arena a worker has not left yet.
  // libomp keeps what its last team was made of.
  // PoCL 3.1 keeps what its compiler, LLVM, was made of.
  // PMIx 4.2 keeps 5 bytes of two strings of its start.
  return "leak:libhwloc.so\nleak:libtbb.so\nleak:libomp.so\n"
         "leak:libpocl.so\nleak:libLLVM\nleak:libpmix.so\n";
}
