"""OpenMP programs in C: their sources are preprocessed, translated by ompc, compiled and linked.

    load("@vicinity_taskrt//taskrt:openmp.bzl", "openmp_c_binary")

    openmp_c_binary(
        name = "jacobi",
        srcs = ["jacobi.c", "grid.c", "grid.h"],
    )

`openmp_c_library` likewise. Both take the attributes of `cc_binary` and `cc_library`. Sources of C that have no directive may
be among `srcs`, too. Refusals name the source's file and line. taskrt/ompc/constructs.md lists what runs.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "C_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")

def _preprocess(ctx, toolchain, context, source, output):
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        # A layering check takes its own target's module map, which only the rules of C have; the translation's compilation
        # checks the same includes.
        unsupported_features = ctx.disabled_features + ["layering_check", "module_maps"],
    )
    folder = [part for part in [ctx.label.workspace_root, ctx.label.package] if part]
    own_includes = ["/".join(folder + [include]) for include in ctx.attr.own_includes]
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = source.path,
        output_file = output.path,
        include_directories = depset(own_includes, transitive = [context.includes]),
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
        preprocessor_defines = depset(ctx.attr.own_defines, transitive = [context.defines]),
        # With -E the compiler only preprocesses, and with -fopenmp there is _OPENMP. The translation includes taskrt/ompc.h,
        # whose macros it needs: so it is not to come twice.
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.conlyopts + ctx.attr.copts +
                             ["-fopenmp", "-E", "-DTASKRT_OMPC_H_"],
    )
    arguments = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = C_COMPILE_ACTION_NAME,
        variables = variables,
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(feature_configuration = features, action_name = C_COMPILE_ACTION_NAME),
        arguments = arguments,
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = C_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        inputs = depset(
            [source] + ctx.files.hdrs,
            transitive = [context.headers, toolchain.all_files],
        ),
        outputs = [output],
        mnemonic = "OpenMpPreprocess",
        progress_message = "Preprocessing " + source.short_path,
    )

def _translated_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    translations = []
    for source in ctx.files.srcs:
        stem = "{}/{}".format(ctx.label.name, source.short_path[:-len(".c")].replace("../", ""))
        preprocessed = ctx.actions.declare_file(stem + ".i")
        translation = ctx.actions.declare_file(stem + ".c")
        _preprocess(ctx, toolchain, context, source, preprocessed)
        ctx.actions.run(
            executable = ctx.executable._ompc,
            arguments = [preprocessed.path, "-o", translation.path],
            inputs = [preprocessed],
            outputs = [translation],
            mnemonic = "OpenMpTranslate",
            progress_message = "Translating " + source.short_path,
        )
        translations.append(translation)
    return [DefaultInfo(files = depset(translations))]

_translated = rule(
    implementation = _translated_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "hdrs": attr.label_list(allow_files = True),
        "own_defines": attr.string_list(),
        "own_includes": attr.string_list(),
        "srcs": attr.label_list(allow_files = [".c"]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_ompc": attr.label(default = "//taskrt/cli:ompc", executable = True, cfg = "host"),
    },
    fragments = ["cpp"],
    incompatible_use_toolchain_transition = True,
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def _declare(rule, name, srcs, headers, copts, deps, local_defines, **kwargs):
    runtime = [Label("//taskrt:omp"), Label("//taskrt:ompc")]
    deps = deps + [str(label) for label in runtime]
    own_headers = [source for source in srcs if source.endswith(".h")]
    for source in srcs:
        if not source.endswith(".h") and not source.endswith(".c"):
            fail("{}: srcs has files that end in .c or .h, not {}".format(name, source))
    _translated(
        name = name + "_translated",
        srcs = [source for source in srcs if source.endswith(".c")],
        hdrs = headers + own_headers + kwargs.get("textual_hdrs", []),
        copts = copts,
        own_defines = local_defines + kwargs.get("defines", []),
        own_includes = kwargs.get("includes", []),
        testonly = kwargs.get("testonly", False),
        tags = ["manual"],
        deps = deps,
    )
    rule(
        name = name,
        srcs = [":" + name + "_translated"] + own_headers,
        # A translation has the program's variables beside its own copies of them. gcc and clang each know warnings of their own.
        copts = copts + [
            "-Wno-unknown-warning-option",
            "-Wno-unused-variable",
            "-Wno-unused-but-set-variable",
            "-Wno-maybe-uninitialized",
        ],
        local_defines = local_defines,
        deps = deps,
        **kwargs
    )

def openmp_c_binary(name, srcs, copts = [], deps = [], local_defines = [], linkopts = [], **kwargs):
    """A program. Args: as cc_binary's; `srcs`: files ending in .c and .h."""
    _declare(cc_binary, name, srcs, [], copts, deps, local_defines, linkopts = linkopts + ["-lm"], **kwargs)

def openmp_c_library(name, srcs, hdrs = [], copts = [], deps = [], local_defines = [], **kwargs):
    """A library. Args: as cc_library's; `srcs`: files ending in .c and .h."""
    _declare(cc_library, name, srcs, hdrs, copts, deps, local_defines, hdrs = hdrs, **kwargs)
