"""Unchanged pthread programs in C, on lightweight threads: see pthread.h."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def pthread_program(name, copts = [], deps = [], **kwargs):
    """A cc_binary whose pthread functions are lwt's.

    Args:
      name: the program's.
      copts: the program's.
      deps: the program's.
      **kwargs: handed to cc_binary.
    """
    cc_binary(
        name = name,
        copts = copts + [
            "-include",
            "lwt/pthread.h",
            "-fexceptions",
        ],
        deps = deps + [Label("//lwt:pthread")],
        **kwargs
    )
