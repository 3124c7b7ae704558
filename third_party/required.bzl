"""The libraries that this repository needs as repositories of their own.

In the whole tree there are none. tools/release writes those of the library that it
packs, with the ranges of its version.bzl: {"topo": ">=0.1,<0.2"}.
"""

REQUIRED = {}
