"""Tests that run on real NUMA nodes, in a machine that QEMU emulates."""

# Labels of topo's repository, also where a release of another library calls the macro.
_BOOT = str(Label("//topo/tests/numa_guest:boot"))
_INIT = str(Label("//topo/tests/numa_guest:init"))
_GUEST = str(Label("//topo/tests/numa_guest:guest.sh"))
_INITRAMFS = str(Label("//topo/tests/numa_guest:initramfs.py"))

def numa_guest_test(name, runs, shape = [], **kwargs):
    """Boots a guest and runs GoogleTest programs in it; by hand or by `tools/test --guest`.

    Where there is no QEMU or no kernel image it says SKIPPED and passes. In the guest nothing may be skipped.

    Args:
      name: of the test.
      runs: labels of test programs, each with keys after an @ where the run is restricted, as
        ":placement_real_test@cpus=2-3,mems=1". The keys and what TOPO_GUEST says: `boot --help`.
      shape: options of `boot` that describe the machine, as ["--nodes=2", "--memory-only=1"].
      **kwargs: handed to the sh_test.
    """
    data = {_INIT: None, _INITRAMFS: None, _GUEST: None}
    arguments = ["--init=$(rootpath {})".format(_INIT), "--initramfs=$(rootpath {})".format(_INITRAMFS)]
    for run in runs:
        label, _, keys = run.partition("@")
        data[label] = None
        arguments.append("$(rootpath {}){}".format(label, "@" + keys if keys else ""))
    native.sh_test(
        name = name,
        size = "medium",
        srcs = [_BOOT],
        args = arguments + shape,
        data = data.keys(),
        # external: whether there is QEMU is not an input that Bazel sees.
        tags = ["cpu:2", "external", "manual"],
        **kwargs
    )
