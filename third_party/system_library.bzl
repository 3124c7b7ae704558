"""A repository whose cc_library targets are libraries installed on this machine.

The rule runs pkg-config, checks a version floor, links the named headers into
the repository (so that Bazel tracks them) and writes one cc_library a module.
It is lazy like every repository rule: who does not depend on it does not need
the library. A library that is missing is told in one sentence that names the
Debian package which brings it.
"""

_LIBRARY = """
cc_library(
    name = "{name}",
    hdrs = glob(["include/**"]),
    includes = ["{root}"],
    linkopts = {linkopts},
    defines = {defines},
)
"""

_HEADER = """# Written by //third_party:system_library.bzl from what pkg-config says.
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])
"""

def _pkg_config(ctx, module, *arguments):
    tool = ctx.which("pkg-config")
    if not tool:
        fail("vicinity: pkg-config is missing; install the Debian package pkg-config.")
    return ctx.execute([tool] + list(arguments) + [module])

def _find(ctx):
    """Returns (modules, problem): link options and defines a target, or what is missing."""
    found = {}
    for target, module in ctx.attr.modules.items():
        if not module:
            found[target] = struct(linkopts = ctx.attr.linkopts, defines = [])
            continue
        version = _pkg_config(ctx, module, "--modversion")
        if version.return_code != 0:
            return None, "{} is missing; install the Debian package {}.".format(module, ctx.attr.debian)
        if ctx.attr.at_least and _pkg_config(ctx, module, "--atleast-version=" + ctx.attr.at_least).return_code != 0:
            return None, "{} {} is older than {}; install a newer {}.".format(
                module,
                version.stdout.strip(),
                ctx.attr.at_least,
                ctx.attr.debian,
            )
        libs = _pkg_config(ctx, module, "--libs").stdout.strip().split(" ")
        cflags = _pkg_config(ctx, module, "--cflags-only-other").stdout.strip().split(" ")
        found[target] = struct(
            linkopts = [flag for flag in libs if flag] + ctx.attr.linkopts,
            defines = [flag[2:] for flag in cflags if flag.startswith("-D")],
        )
    return found, None

def _link_headers(ctx):
    """Links each header or folder under include/; returns what is missing or None."""
    roots = ["/usr/include", "/usr/local/include"]
    first = ctx.attr.modules.values()[0]
    if first:
        given = _pkg_config(ctx, first, "--variable=includedir").stdout.strip()
        if given:
            roots = [given] + roots
    for header in ctx.attr.headers:
        found = False
        for root in roots:
            path = ctx.path(root + "/" + header)
            if path.exists:
                ctx.symlink(path, "include/" + header)
                found = True
                break
        if not found:
            return "the header {} is missing; install the Debian package {}.".format(header, ctx.attr.debian)
    return None

def _system_library_impl(ctx):
    found, problem = _find(ctx)
    problem = problem or _link_headers(ctx)
    if problem:
        fail("vicinity: " + problem)

    build = _HEADER
    for name, module in found.items():
        build += _LIBRARY.format(
            name = name,
            root = "include/" + ctx.attr.root if ctx.attr.root else "include",
            linkopts = module.linkopts,
            defines = module.defines,
        )
    ctx.file("BUILD", build)
    ctx.file("WORKSPACE", "")

system_library = repository_rule(
    implementation = _system_library_impl,
    doc = "cc_library targets for a library that the machine's package manager installed.",
    attrs = {
        "modules": attr.string_dict(doc = "Target name -> pkg-config module, or \"\" for a library that has none."),
        "at_least": attr.string(doc = "Lowest version that works."),
        "headers": attr.string_list(doc = "Files or folders under the include directory.", mandatory = True),
        "root": attr.string(doc = "The folder among the headers from which they are included; empty: from the include directory."),
        "linkopts": attr.string_list(doc = "Further link options."),
        "debian": attr.string(doc = "The Debian package that brings it.", mandatory = True),
    },
    environ = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PATH"],
    local = True,
)
