"""The shape that all five libraries share: one call in <lib>/BUILD.

`vicinity_library` refuses at load time a dependency on another library that
<lib>/version.bzl does not name in REQUIRES or whose version is out of range,
generates <lib>/version.h, and adds the checks every library has: each public
header compiles alone, files that are pure include nothing that acts, the
resolved dependency graph has no edge that REQUIRES does not name, the exported
headers give their users no warnings, and the sources are formatted, include what they
may and are commented in plain sentences.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools/layering:edges.bzl", "edge_error", "edges_test", "library_of", "range_error")

# Given to each target, because who depends on us does not read our .bazelrc. Libraries are linked statically: as shared
# ones, each file would be compiled once more.
_COPTS = ["-std=c++20"]

_VERSION_H = """// Written by //tools:library.bzl from {name}/version.bzl.
#pragma once

#include <string_view>

namespace {name} {{
inline constexpr std::string_view kVersion = "{version}";
inline constexpr int kVersionMajor = {major};
inline constexpr int kVersionMinor = {minor};
inline constexpr int kVersionPatch = {patch};
}}  // namespace {name}
"""

# Two copies of a library in one program, as `@vicinity` and `@vicinity_topo` would bring, are an error of the linker.
_ONE_COPY_CC = """// Written by //tools:library.bzl. This object is always linked.
extern "C" {{
extern const char two_copies_of_vicinity_{name}_are_linked;
const char two_copies_of_vicinity_{name}_are_linked = 0;
}}
"""

def _write_impl(ctx):
    ctx.actions.write(ctx.outputs.out, ctx.attr.text)

_write = rule(
    implementation = _write_impl,
    attrs = {"out": attr.output(), "text": attr.string()},
)

def check_versions(name, requires, found):
    """Fails the load when a required library is not in the range that REQUIRES names.

    Args:
      name: the library that requires.
      requires: library -> range, as in <lib>/version.bzl.
      found: library -> its VERSION.
    """
    for library, versions in requires.items():
        error = range_error(name, library, versions, found.get(library))
        if error:
            fail(error)

def vicinity_library(
        name,
        version,
        requires,
        pure,
        hdrs,
        srcs,
        deps,
        exports = None,
        pure_deps = [],
        found = {},
        folders = ["benches", "cli", "examples", "tests"],
        rooms = [],
        circles = [],
        **kwargs):
    """Declares //<name>, //<name>:parts, //<name>:pure, <name>/version.h and the checks of every library.

    Users depend on //<name>, which shows them the exported headers; the library's own tests, benches
    and further targets on //<name>:parts, which shows all.

    Args:
      name: folder, target and namespace.
      version: of version.bzl.
      requires: of version.bzl.
      pure: the files that decide: no threads, no system calls, no foreign library.
      hdrs: headers of the files that act and that users do not include.
      srcs: their sources.
      deps: what they depend on.
      exports: the headers that users may include, pure ones among them; None: all.
      pure_deps: what the pure files depend on (Abseil's Status only).
      found: library -> VERSION of each required library.
      folders: its packages below, for the checks that read every source.
      rooms: its folders from the ground to the roof: a file includes its own room and those before it. "." is the root
        folder; an entry may instead name headers of the root folder, separated by spaces.
      circles: the rooms whose files may include each other in circles.
      **kwargs: handed to the public cc_library.
    """
    check_versions(name, requires, found)
    error = edge_error(name, requires, deps + pure_deps)
    if error:
        fail(error)

    major, minor, patch = version.split(".")
    _write(
        name = "version_h",
        out = "version.h",
        text = _VERSION_H.format(name = name, version = version, major = major, minor = minor, patch = patch),
        visibility = ["//visibility:public"],
    )
    _write(name = "one_copy_cc", out = "one_copy.cc", text = _ONE_COPY_CC.format(name = name))
    cc_library(name = "one_copy", srcs = ["one_copy.cc"], linkstatic = True, alwayslink = True)
    pure_hdrs = [f for f in pure if f.endswith(".h")]
    hdrs = hdrs + [header for header in exports or [] if header not in pure_hdrs]
    cc_library(
        name = "pure",
        hdrs = pure_hdrs + ["version.h"],
        srcs = [f for f in pure if not f.endswith(".h")],
        copts = _COPTS,
        linkstatic = True,
        visibility = ["//visibility:private"],
        deps = pure_deps,
    )
    cc_library(
        name = "parts",
        # The pure headers too: clang's layering_check asks for a module that exports them.
        hdrs = hdrs + pure_hdrs + ["version.h"],
        srcs = srcs,
        copts = _COPTS,
        linkstatic = True,
        visibility = ["//{}:__subpackages__".format(name)],
        deps = [
            ":one_copy",
            ":pure",
        ] + deps,
        **kwargs
    )
    exported = hdrs + pure_hdrs if exports == None else exports
    cc_library(
        name = name,
        hdrs = exported + ["version.h"],
        copts = _COPTS,
        linkstatic = True,
        visibility = ["//visibility:public"],
        deps = [":parts"],
    )
    _write(
        name = "hidden",
        out = "hidden.txt",
        text = "".join(["{}/{}\n".format(name, header) for header in hdrs + pure_hdrs if header not in exported]),
        visibility = ["//visibility:public"],
    )
    sources(["//{}/{}".format(name, folder) for folder in folders])
    _write(
        name = "pure_txt",
        out = "pure.txt",
        text = "".join(["{}/{}\n".format(name, file) for file in pure]),
        visibility = ["//visibility:public"],
    )
    below = [dep.split(":")[0] for dep in deps if library_of(dep) in requires]
    source_checks(
        circles = circles,
        documents = native.glob(["README.md", "CLUSTER.md"]),
        hidden = ["hidden.txt"] + [library + ":hidden.txt" for library in below],
        pure = ["pure.txt"] + [library + ":pure.txt" for library in below],
        rooms = rooms,
    )

    # With the headers of the libraries that it requires.
    native.sh_test(
        name = "headers_test",
        size = "medium",
        srcs = ["//tools/layering:check_headers.py"],
        args = ["{}/{}".format(name, header) for header in exported if header.endswith(".h")],
        data = [":sources", "version.h", "//tools:check_command.py"] + [package + suffix for package in below for suffix in [":sources", ":version.h"]],
    )

    # A header with a source is the first that this source includes (//tools/layering:include_test).
    lone = [header for header in pure_hdrs + hdrs if header[:-2] + ".cc" not in pure + srcs]
    for header in lone:
        stem = header.replace("/", "_").replace(".h", "")
        _write(name = "alone_" + stem + "_cc", out = "alone/" + stem + ".cc", text = "#include \"{}/{}\"\n".format(name, header))
    cc_library(
        name = "each_header_compiles_alone",
        srcs = ["alone/" + header.replace("/", "_").replace(".h", "") + ".cc" for header in lone],
        copts = _COPTS,
        linkstatic = True,
        tags = ["alone"],
        deps = [":parts"],
    )
    edges_test(name = "edges_test", size = "small", library = name, requires = requires.keys(), target = ":" + name)

def sources(packages = []):
    """The C++ sources of this package and of those below, for the checks that read them."""
    native.filegroup(
        name = "sources",
        srcs = native.glob([depth + end for depth in ["*", "*/*", "*/*/*", "*/*/*/*"] for end in [".h", ".cc"]], allow_empty = True) + [package + ":sources" for package in packages],
        visibility = ["//visibility:public"],
    )

def floors(rooms, circles = []):
    """Declares the order of this package's rooms, as `rooms` and `circles` of vicinity_library, for include_test."""
    declared = struct(circles = circles, rooms = [room.split(" ") for room in rooms])
    _write(name = "rooms", out = "rooms.json", text = json.encode(declared) + "\n", visibility = ["//visibility:public"])

def source_checks(sources = [":sources"], hidden = [], pure = [], documents = [], rooms = [], circles = [], all_floors = []):
    """Tests that read sources: their form, what they include, and the prose of their comments.

    Args:
      sources: what `sources` declares.
      hidden: hidden.txt of this library and of those that it requires, or of all.
      pure: pure.txt of this library and of those that it requires, or of all; none: no file is checked for purity.
      documents: read for their prose alone.
      rooms: as in vicinity_library.
      circles: as in vicinity_library.
      all_floors: rooms.json of the packages below that call `floors`.
    """
    if rooms:
        floors(rooms, circles)
        all_floors = all_floors + ["rooms.json"]
    native.sh_test(
        name = "format_test",
        size = "medium",
        srcs = ["//tools:format"],
        args = ["--style=$(rootpath //:.clang-format)"] + ["$(rootpaths {})".format(label) for label in sources],
        data = ["//:.clang-format"] + sources,
    )
    native.sh_test(
        name = "include_test",
        size = "small",
        srcs = ["//tools/layering:check_includes.py"],
        args = ["$(rootpaths {})".format(label) for label in sources + hidden + all_floors],
        data = sources + hidden + all_floors + ["//tools:check_command.py", "//tools/layering:floors.py"],
    )
    if pure:
        native.sh_test(
            name = "purity_test",
            size = "small",
            srcs = ["//tools/layering:check_purity.py"],
            args = ["$(rootpaths {})".format(label) for label in sources + pure],
            data = sources + pure + ["//tools:check_command.py", "//tools/layering:floors.py"],
        )
    native.sh_test(
        name = "prose_test",
        size = "small",
        srcs = ["//tools/prose:check_prose.py"],
        args = ["$(rootpaths {})".format(label) for label in sources + documents],
        data = sources + documents + ["//tools:check_command.py"],
    )

def part(name, library, requires = {}, deps = [], visibility = ["//visibility:public"], **kwargs):
    """A further public target of a library (as //topo:tbb), held to the same edges."""
    error = edge_error(library, requires, deps)
    if error:
        fail(error)
    cc_library(name = name, copts = _COPTS, linkstatic = True, deps = deps, visibility = visibility, **kwargs)

# LeakSanitizer does not report the leaks of foreign libraries.
_SANITIZER_DEPS = select({
    "//tools:asan": ["//tools:leak_suppressions"],
    "//conditions:default": [],
})

def program(name, copts = [], deps = [], **kwargs):
    """A cc_binary in this workspace's C++."""
    cc_binary(name = name, copts = _COPTS + copts, deps = deps + _SANITIZER_DEPS, **kwargs)

def code(name, copts = [], **kwargs):
    """A cc_library in this workspace's C++ that is not part of a library's public face."""
    cc_library(name = name, copts = _COPTS + copts, linkstatic = True, **kwargs)

def room(name, without = [], **kwargs):
    """The code of a program's folder <name>/: a target of that name with all headers and sources in it.

    Args:
      name: of the folder.
      without: files in it that other targets have, as main.cc.
      **kwargs: handed to the cc_library.
    """
    hdrs = native.glob([name + "/*.h"], exclude = without, allow_empty = True)
    srcs = native.glob([name + "/*.cc"], exclude = without, allow_empty = True)
    if not hdrs + srcs:
        fail("room {}: the folder {}/ has no headers and no sources.".format(name, name))
    code(name = name, hdrs = hdrs, srcs = srcs, **kwargs)

def test(name, srcs = None, size = "small", deps = [], copts = [], tags = [], **kwargs):
    """A GoogleTest program; its source is <name>.cc. Those named *_model_test can be left out by the tag `model`."""
    cc_test(
        name = name,
        srcs = [name + ".cc"] if srcs == None else srcs,
        copts = _COPTS + copts,
        size = size,
        tags = tags + (["model"] if name.endswith("_model_test") else []),
        deps = deps + ["@googletest//:gmock", "@googletest//:gtest", "@googletest//:gtest_main"] + _SANITIZER_DEPS,
        **kwargs
    )
