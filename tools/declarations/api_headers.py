"""Which headers the users of a library may include, as its BUILD files say. Pure: text in, names out."""

import ast

# The macros of //tools:library.bzl that declare what users can depend on.
LIBRARY, PARTS = "vicinity_library", ("part", "code")
PUBLIC = "//visibility:public"


def arguments_of(call):
    """The arguments of a call whose values are written out."""
    values = {}
    for keyword in call.keywords:
        try:
            values[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError:
            pass  # NAME, VERSION, a select(): none of them names a header.
    return values


def public_headers(build):
    """The headers of the public targets of one BUILD file, in its folder's own names, sorted.

    A BUILD file is Starlark, whose calls and lists are Python's as well.
    """
    headers = set()
    for node in ast.walk(ast.parse(build)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        given = arguments_of(node)
        if node.func.id == LIBRARY:
            # Without `exports` all of a library's headers are public.
            pure = [name for name in given.get("pure", []) if name.endswith(".h")]
            headers.update(given.get("exports", given.get("hdrs", []) + pure))
        elif node.func.id in PARTS:
            # A part is public unless it says otherwise, other code is not.
            visibility = given.get("visibility", [PUBLIC] if node.func.id == "part" else [])
            if PUBLIC in visibility:
                headers.update(given.get("hdrs", []))
    return sorted(headers)
