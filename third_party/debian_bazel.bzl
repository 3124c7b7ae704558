"""What Debian's Bazel expects from the network and cannot have there.

Debian builds Bazel without its bundled download list. The repositories that
every C++ build asks for are therefore given here, and only where
`native.bazel_version` is empty, which is how Debian's build shows.
"""

def _files_impl(ctx):
    ctx.file("WORKSPACE", "")
    for path, text in ctx.attr.files.items():
        ctx.file(path, text)

_files = repository_rule(
    implementation = _files_impl,
    attrs = {"files": attr.string_dict()},
)

def _coverage_tools_impl(ctx):
    ctx.file("WORKSPACE", "")
    ctx.symlink(Label("//third_party:lcov_merger.py"), "lcov_merger.py")
    ctx.file("BUILD", """
package(default_visibility = ["//visibility:public"])

sh_binary(
    name = "lcov_merger",
    srcs = ["lcov_merger.py"],
)

# Reports of several tests are merged by tools/coverage.
filegroup(name = "coverage_report_generator")
""")

_coverage_tools = repository_rule(implementation = _coverage_tools_impl)

_CC_DEFS = "".join([
    "{} = native.{}\n".format(rule, rule)
    for rule in [
        "cc_binary",
        "cc_import",
        "cc_library",
        "cc_proto_library",
        "cc_test",
        "cc_toolchain",
        "cc_toolchain_suite",
        "fdo_prefetch_hints",
        "fdo_profile",
        "objc_import",
        "objc_library",
    ]
])

# What the package of Bazel itself brings. Only Debian's Bazel 7 asks for all of
# them and has all the folders; a repository that nobody asks for is never opened.
_INSTALLED = {
    "rules_java": "rules/java",
    "bazel_skylib": "tools/skylib",
    "rules_license": "rules/license",
    "rules_python": "rules/python",
}

def debian_bazel_repositories():
    if native.bazel_version or native.existing_rule("remote_coverage_tools"):
        return
    _files(
        name = "rules_cc",
        files = {
            "cc/BUILD": "exports_files([\"defs.bzl\"])\n",
            "cc/defs.bzl": _CC_DEFS,
        },
    )
    for name, path in _INSTALLED.items():
        if not native.existing_rule(name):
            native.local_repository(name = name, path = "/usr/share/bazel/" + path)
    _coverage_tools(name = "remote_coverage_tools")
