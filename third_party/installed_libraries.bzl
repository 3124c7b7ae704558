"""A repository that says which optional libraries this machine has, so that tests skip what needs the others.

Writes installed.bzl with INSTALLED: name -> whether pkg-config knows the module.
"""

def _installed_libraries_impl(ctx):
    tool = ctx.which("pkg-config")
    found = {
        name: tool != None and ctx.execute([tool, "--exists", module]).return_code == 0
        for name, module in ctx.attr.modules.items()
    }
    ctx.file("installed.bzl", "INSTALLED = {}\n".format(repr(found)))
    ctx.file("BUILD", "")
    ctx.file("WORKSPACE", "")

installed_libraries = repository_rule(
    implementation = _installed_libraries_impl,
    attrs = {"modules": attr.string_dict(doc = "Name -> pkg-config module.", mandatory = True)},
    environ = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PATH"],
    local = True,
)
