"""A repository whose target `path` says where a program of this machine lies.

What depends on it is compiled with the macro VICINITY_PROGRAM, a string. It is lazy like
system_library; where the program is missing, loading fails with one sentence that names the
Debian package which brings it.
"""

_BUILD = """# Written by //third_party:system_program.bzl.
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "path",
    defines = ['VICINITY_PROGRAM=\\\\"{path}\\\\"'],
    visibility = ["//visibility:public"],
)
"""

def _system_program_impl(ctx):
    path = ctx.which(ctx.attr.program)
    if not path:
        fail("vicinity: {} is missing; install the Debian package {}.".format(ctx.attr.program, ctx.attr.debian))
    ctx.file("BUILD", _BUILD.format(path = path))
    ctx.file("WORKSPACE", "")

system_program = repository_rule(
    implementation = _system_program_impl,
    doc = "Where a program lies that the machine's package manager installed.",
    attrs = {
        "program": attr.string(doc = "Its name, looked up in PATH.", mandatory = True),
        "debian": attr.string(doc = "The Debian package that brings it.", mandatory = True),
    },
    environ = ["PATH"],
    local = True,
)
