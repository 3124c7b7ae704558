"""CUDA's toolkit, if this machine has one. Nothing needs it: with it more is compiled and compared.

Writes cuda.bzl with HAS_TOOLKIT and NVCC, and the target `headers` where there are any.
"""

_BUILD = """# Written by //third_party:cuda_toolkit.bzl.
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "headers",
    hdrs = glob(["include/**"], allow_empty = True),
    includes = ["include"],
    visibility = ["//visibility:public"],
)
"""

def _cuda_toolkit_impl(ctx):
    home = ctx.path(ctx.os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    nvcc = home.get_child("bin").get_child("nvcc")
    header = home.get_child("include").get_child("cuda.h")
    has_toolkit = nvcc.exists and header.exists
    if has_toolkit:
        ctx.symlink(header, "include/cuda.h")
    ctx.file("cuda.bzl", "HAS_TOOLKIT = {}\nNVCC = \"{}\"\n".format(has_toolkit, nvcc if has_toolkit else ""))
    ctx.file("BUILD", _BUILD)
    ctx.file("WORKSPACE", "")

cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit_impl,
    environ = ["CUDA_HOME"],
    local = True,
)
