"""The dependencies for MODULE.bazel; the list is the one that WORKSPACE uses."""

load("//third_party:repositories.bzl", "libraries")

dependencies = module_extension(implementation = lambda _: libraries())
