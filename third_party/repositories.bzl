"""Every dependency of vicinity, one line each: the one list that WORKSPACE and MODULE.bazel share."""

load("//third_party:cuda_toolkit.bzl", "cuda_toolkit")
load("//third_party:debian_bazel.bzl", "debian_bazel_repositories")
load("//third_party:installed_libraries.bzl", "installed_libraries")
load("//third_party:required.bzl", "REQUIRED")
load("//third_party:system_library.bzl", _system_library = "system_library")
load("//third_party:system_program.bzl", _system_program = "system_program")

def system_library(name, **kwargs):
    """Declares a library once: in a WORKSPACE each library of vicinity asks for its dependencies."""
    if not native.existing_rule(name):
        _system_library(name = name, **kwargs)

def system_program(name, **kwargs):
    """Declares a program once, as a library."""
    if not native.existing_rule(name):
        _system_program(name = name, **kwargs)

def libraries():
    """Declares the repositories of the libraries. All are found on the machine; none is downloaded."""

    # What the public targets need.
    system_library(
        name = "hwloc",
        modules = {"hwloc": "hwloc"},
        at_least = "2.8",
        headers = ["hwloc.h", "hwloc"],
        debian = "libhwloc-dev",
    )
    system_library(
        name = "numa",
        modules = {"numa": "numa"},
        at_least = "2.0.14",
        headers = ["numa.h", "numaif.h"],
        debian = "libnuma-dev",
    )
    system_library(
        name = "libfabric",
        modules = {"libfabric": "libfabric"},
        at_least = "1.17",
        # Not the folder: rdma-core's headers lie in it too.
        headers = ["rdma/" + header for header in [
            "fabric.h",
            "fi_atomic.h",
            "fi_cm.h",
            "fi_domain.h",
            "fi_endpoint.h",
            "fi_eq.h",
            "fi_errno.h",
            "fi_rma.h",
        ]],
        debian = "libfabric-dev",
    )
    system_library(
        name = "absl",
        modules = {
            "base": "absl_core_headers",
            "status": "absl_status",
            "statusor": "absl_statusor",
            "strings": "absl_strings",
            "str_format": "absl_str_format",
            "symbolize": "absl_symbolize",
        },
        headers = ["absl"],
        debian = "libabsl-dev",
    )

    # Headers only: taskrt loads the library when a program runs.
    system_library(
        name = "opencl_headers",
        modules = {"headers": ""},
        headers = ["CL"],
        debian = "opencl-c-headers",
    )
    system_library(
        name = "onetbb",
        modules = {"onetbb": "tbb"},
        at_least = "2021.5",
        headers = ["oneapi", "tbb"],
        debian = "libtbb-dev",
    )

    # What tests, benches and programs need.
    system_library(
        name = "googletest",
        modules = {
            "gtest": "gtest",
            "gtest_main": "gtest_main",
            "gmock": "gmock",
        },
        headers = ["gtest", "gmock"],
        debian = "libgtest-dev libgmock-dev",
    )
    system_library(
        name = "google_benchmark",
        modules = {"benchmark": "benchmark"},
        headers = ["benchmark"],
        debian = "libbenchmark-dev",
    )
    system_library(
        name = "rapidcheck",
        modules = {"rapidcheck": ""},
        headers = ["rapidcheck", "rapidcheck.h"],
        linkopts = ["-lrapidcheck"],
        debian = "librapidcheck-dev",
    )
    system_library(
        name = "nlohmann_json",
        modules = {"json": "nlohmann_json"},
        at_least = "3.10",
        headers = ["nlohmann"],
        debian = "nlohmann-json3-dev",
    )
    system_library(
        name = "cli11",
        modules = {"cli11": "CLI11"},
        at_least = "2.1",
        headers = ["CLI"],
        debian = "libcli11-dev",
    )
    system_library(
        name = "openblas",
        modules = {"openblas": "openblas"},
        at_least = "0.3.13",
        headers = ["cblas.h", "openblas_config.h"],
        debian = "libopenblas-dev",
    )
    system_library(
        name = "amd",
        modules = {"amd": ""},
        # Not the folder: packages of other licenses lie in it too.
        headers = ["suitesparse/amd.h", "suitesparse/SuiteSparse_config.h"],
        linkopts = ["-lamd", "-lsuitesparseconfig"],
        debian = "libsuitesparse-dev",
    )

    if not native.existing_rule("cuda_toolkit"):
        cuda_toolkit(name = "cuda_toolkit")

    # What only peers in benches and some tests need; their targets are tagged manual.
    system_library(
        name = "boost_fiber",
        modules = {"boost_fiber": ""},
        headers = ["boost/fiber"],
        linkopts = ["-lboost_fiber", "-lboost_context"],
        debian = "libboost-fiber-dev libboost-context-dev",
    )
    system_library(
        name = "clblast",
        modules = {"clblast": "clblast"},
        headers = ["clblast_c.h"],
        debian = "libclblast-dev",
    )
    system_library(
        name = "starpu",
        modules = {"starpu": "starpu-1.3"},
        headers = ["starpu/1.3"],
        root = "starpu/1.3",
        debian = "libstarpu-dev",
    )
    system_library(
        name = "mpich",
        modules = {"mpi": "mpich"},
        headers = ["mpi.h", "mpi_proto.h", "mpio.h"],
        debian = "libmpich-dev libucx-dev",
    )
    system_library(
        name = "openmpi",
        modules = {"mpi": "ompi-c"},
        headers = ["mpi.h", "mpi_portable_platform.h"],
        debian = "libopenmpi-dev",
    )
    if not native.existing_rule("installed"):
        installed_libraries(name = "installed", modules = {"mpich": "mpich", "openmpi": "ompi-c"})
    system_library(
        name = "opencl",
        modules = {"opencl": "OpenCL"},
        headers = ["CL"],
        debian = "ocl-icd-opencl-dev",
    )
    system_library(
        name = "ucx",
        modules = {"ucx": "ucx"},
        at_least = "1.13",
        headers = ["ucp", "ucs"],
        debian = "libucx-dev",
    )
    for program, package in {"csdp": "coinor-csdp", "dsdp5": "dsdp", "sdpa": "sdpa"}.items():
        system_program(name = program + "_program", program = program, debian = package)

def vicinity_repositories():
    """For a WORKSPACE: the dependencies and, on Debian's Bazel, the rules that it lacks."""
    for library, versions in REQUIRED.items():
        if not native.existing_rule("vicinity_" + library):
            fail("vicinity: this WORKSPACE needs the release of {} {} as the repository vicinity_{}, before vicinity_repositories().".format(
                library,
                versions,
                library,
            ))
    debian_bazel_repositories()
    libraries()
