"""CUDA's toolkit, if this machine has one. Nothing needs it: with it more is compiled and compared.

Writes cuda.bzl with HAS_TOOLKIT, NVCC and HAS_LIBRARIES (the headers of cuBLAS and cuSOLVER), and the
target `headers`, which has what there is.
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
    include = home.get_child("include")
    has_toolkit = nvcc.exists and include.get_child("cuda.h").exists
    has_libraries = has_toolkit and include.get_child("cublas_v2.h").exists and include.get_child("cusolverDn.h").exists
    if has_toolkit:
        # Not the folders of C++ libraries: thousands of files.
        for header in include.readdir():
            if header.basename.endswith(".h") or header.basename.endswith(".hpp") or header.basename in ["crt", "nv"]:
                ctx.symlink(header, "include/" + header.basename)
    ctx.file("cuda.bzl", "HAS_TOOLKIT = {}\nNVCC = \"{}\"\nHAS_LIBRARIES = {}\n".format(
        has_toolkit,
        nvcc if has_toolkit else "",
        has_libraries,
    ))
    ctx.file("BUILD", _BUILD)
    ctx.file("WORKSPACE", "")

cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit_impl,
    environ = ["CUDA_HOME"],
    local = True,
)
