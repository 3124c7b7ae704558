"""What Debian's Bazel 4.2.3 expects from the network and cannot have there.

Debian builds Bazel without its bundled download list. Three repositories that
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

def debian_bazel_repositories():
    if native.bazel_version:
        return
    _files(
        name = "rules_cc",
        files = {
            "cc/BUILD": "exports_files([\"defs.bzl\"])\n",
            "cc/defs.bzl": _CC_DEFS,
        },
    )
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    _files(
        name = "remote_coverage_tools",
        files = {
            "BUILD": "filegroup(name = \"coverage_report_generator\", visibility = [\"//visibility:public\"])\n",
        },
    )
