"""Unchanged pthread programs in C, on lightweight threads: see pthread.h."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def pthread_program(name, copts = [], deps = [], process_shared_is_private = False, **kwargs):
    """A cc_binary whose pthread functions are lwt's.

    Args:
      name: the program's.
      copts: the program's.
      deps: the program's.
      process_shared_is_private: the program is one process, so objects that it makes process-shared
        are ordinary ones; otherwise they are refused.
      **kwargs: handed to cc_binary.
    """
    cc_binary(
        name = name,
        copts = copts + (["-DLWT_PROCESS_SHARED_IS_PRIVATE"] if process_shared_is_private else []) + [
            "-include",
            "lwt/pthread.h",
            "-fexceptions",
        ],
        deps = deps + [Label("//lwt:pthread")],
        **kwargs
    )
