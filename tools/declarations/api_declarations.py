"""Reads with clang what a library's public headers declare, one line a declaration (api_changes.py has the form)."""

import glob
import os
import re
import sys
import tempfile

import api_headers
import api_tokens

PACKAGES = "python3-clang-14"  # Debian's; it brings libclang and clang's own headers.
FOLDERS_WITHOUT_API = ("benches", "cli", "examples", "tests", "workloads")
VERSION_H = """#pragma once
#include <string_view>
namespace {0} {{
inline constexpr std::string_view kVersion = "0.0.0";
inline constexpr int kVersionMajor = 0, kVersionMinor = 0, kVersionPatch = 0;
}}
"""
# For llcl/mpi.h: the program brings its own MPI, of any kind, so the list is the same on machines with each and with none.
MPI_H = """#pragma once
using MPI_Comm = struct OfEachMpi*;
#define MPI_COMM_NULL nullptr
"""


class CannotRead(Exception):
    """One sentence for the user."""


def load_clang():
    """Debian's binding and its library, whichever Python this is."""
    debian = "/usr/lib/python3/dist-packages"
    sys.path.insert(0, debian)
    try:
        from clang import cindex
    except ImportError as error:
        raise CannotRead(f"there is no clang to read headers with; install the Debian package {PACKAGES}") from error
    finally:
        sys.path.remove(debian)  # All other packages are this Python's own.
    libraries = sorted(glob.glob("/usr/lib/llvm-14/lib/libclang*.so.1") + glob.glob("/usr/lib/*/libclang-14.so.1"))
    if not libraries:
        raise CannotRead(f"there is no libclang 14; install the Debian package {PACKAGES}")
    try:
        if not cindex.Config.loaded:
            cindex.Config.set_library_file(libraries[0])
        cindex.conf.get_cindex_library()
    except cindex.LibclangError as error:
        raise CannotRead(f"cannot load {libraries[0]}; install the Debian package {PACKAGES}") from error
    return cindex


def headers_of(root, library):
    """The public headers of a library, relative to the workspace's root."""
    headers = []
    for folder, folders, files in os.walk(os.path.join(root, library)):
        folders[:] = [name for name in folders if name not in FOLDERS_WITHOUT_API]
        if "BUILD" in files:
            with open(os.path.join(folder, "BUILD"), encoding="utf-8") as file:
                found = api_headers.public_headers(file.read())
            headers += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    return sorted(headers)


def parse(cindex, root, headers, libraries):
    """One translation unit that includes all the headers."""
    with tempfile.TemporaryDirectory(prefix="vicinity-api.") as generated:
        # What the build writes; here only so that including it works.
        for library in libraries:
            os.makedirs(f"{generated}/{library}")
            with open(f"{generated}/{library}/version.h", "w", encoding="utf-8") as file:
                file.write(VERSION_H.format(library))
        with open(f"{generated}/mpi.h", "w", encoding="utf-8") as file:
            file.write(MPI_H)
        text = "".join(f'#include "{header}"\n' for header in headers)
        flags = ["-x", "c++", "-std=c++20", f"-I{root}", f"-I{generated}"]
        resources = glob.glob("/usr/lib/llvm-14/lib/clang/14*")
        if resources:
            flags.append(f"-resource-dir={resources[0]}")
        options = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | \
            cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        try:
            unit = cindex.Index.create().parse(f"{root}/api.cc", flags, [(f"{root}/api.cc", text)], options)
        except cindex.TranslationUnitLoadError as error:
            raise CannotRead(f"clang cannot read the headers: {error}") from error
    for problem in unit.diagnostics:
        if problem.severity >= cindex.Diagnostic.Error:
            where = f"{os.path.relpath(problem.location.file.name, root)}:{problem.location.line}: " \
                if problem.location.file else ""
            raise CannotRead(f"clang cannot read the headers: {where}{problem.spelling}")
    return unit


class Reader:
    """Turns the cursors of some headers into lines."""

    def __init__(self, cindex, folder, headers):
        self.cindex = cindex
        self.kinds = kinds = cindex.CursorKind
        self.access = cindex.AccessSpecifier
        self.folder = folder  # The library's, with a slash.
        self.files = headers  # Paths.
        self.lines = set()
        self.followed = set()  # Types of other headers of the library, once each.
        special = kinds.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION
        self.classes = (kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.UNION_DECL, kinds.CLASS_TEMPLATE, special)
        self.functions = (kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.CONSTRUCTOR, kinds.DESTRUCTOR,
                          kinds.CONVERSION_FUNCTION, kinds.FUNCTION_TEMPLATE)
        self.readers = {kinds.ENUM_DECL: self.read_enum, kinds.FRIEND_DECL: self.read_friend,
                        kinds.FIELD_DECL: self.read_field, kinds.VAR_DECL: self.read_variable,
                        kinds.NAMESPACE: self.read_namespace, kinds.LINKAGE_SPEC: self.read_children,
                        kinds.UNEXPOSED_DECL: self.read_unexposed, kinds.TYPEDEF_DECL: self.read_alias,
                        kinds.TYPE_ALIAS_DECL: self.read_alias, kinds.TYPE_ALIAS_TEMPLATE_DECL: self.read_as_written,
                        kinds.USING_DECLARATION: self.read_as_written, kinds.NAMESPACE_ALIAS: self.read_as_written,
                        kinds.MACRO_DEFINITION: self.read_macro}
        self.readers |= {kind: self.read_class for kind in self.classes}
        self.readers |= {kind: self.read_function for kind in self.functions}

    def read_children(self, cursor):
        for child in cursor.get_children():
            if self.is_public_file(child):
                self.read(child)

    def read(self, cursor):
        """One declaration, and those inside it."""
        if cursor.kind in self.readers:
            self.readers[cursor.kind](cursor)

    def follow(self, type_):
        """Lists a type that is declared in a header that users do not include, where users have it all the same.

        They have what they get or give by value or as const &, as llcl::Region. What they only pass on, by * or &, is
        nothing to them but a name.
        """
        kinds = self.cindex.TypeKind
        if type_.kind in (kinds.LVALUEREFERENCE, kinds.RVALUEREFERENCE):
            target = type_.get_pointee()
            if type_.kind == kinds.RVALUEREFERENCE or target.is_const_qualified():
                self.follow(target)
        elif type_.kind == kinds.FUNCTIONPROTO:
            for part in [type_.get_result(), *type_.argument_types()]:
                self.follow(part)
        elif type_.kind not in (kinds.POINTER, kinds.MEMBERPOINTER):
            declaration = type_.get_declaration()
            # What a template of the library is made of is its own matter; std::vector and absl::StatusOr hold values.
            if not self.is_of_library(declaration):
                for index in range(max(0, type_.get_num_template_arguments())):
                    self.follow(type_.get_template_argument_type(index))
            self.follow_declaration(declaration)

    def is_public_file(self, cursor):
        return cursor.location.file is not None and os.path.normpath(cursor.location.file.name) in self.files

    def is_of_library(self, cursor):
        return cursor.location.file is not None and os.path.normpath(cursor.location.file.name).startswith(self.folder)

    def follow_declaration(self, cursor):
        kinds = self.kinds
        template = self.cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
        cursor = template if template is not None else cursor
        cursor = cursor.get_definition() or cursor
        is_type = cursor.kind in self.classes + (kinds.ENUM_DECL, kinds.TYPEDEF_DECL, kinds.TYPE_ALIAS_DECL)
        if is_type and self.is_of_library(cursor) and not self.is_public_file(cursor) and \
                cursor.get_usr() not in self.followed:
            self.followed.add(cursor.get_usr())
            self.read(cursor)

    def add(self, cursor, text):
        if cursor.access_specifier == self.access.PROTECTED:
            text = f"protected {text}"
        self.lines.add(f"{self.name(cursor)}: {tidy(text)}")

    def own_name(self, cursor):
        if is_constructor(cursor):
            return self.own_name(cursor.semantic_parent).split("<")[0]
        if cursor.kind == self.kinds.DESTRUCTOR:
            return cursor.spelling.split("<")[0]
        # The displayed name of a specialization has its arguments, that of a template its parameters.
        is_class = cursor.kind in self.classes and cursor.kind != self.kinds.CLASS_TEMPLATE
        return cursor.displayname if is_class else cursor.spelling

    def name(self, cursor):
        """The qualified name; an enumeration without a name, or extern "C", is no part of it."""
        parts = [self.own_name(cursor)]
        scope = cursor.semantic_parent
        while scope is not None and scope.kind != self.kinds.TRANSLATION_UNIT:
            if scope.kind in self.classes + (self.kinds.NAMESPACE, ) or is_named_enum(scope, self.kinds):
                parts.append(self.own_name(scope))
            scope = scope.semantic_parent
        return "::".join(reversed(parts))

    def tokens(self, cursor):
        return [token.spelling for token in cursor.get_tokens() if token.kind.name != "COMMENT"]

    def read_namespace(self, cursor):
        if cursor.spelling and cursor.spelling != "std":
            self.read_children(cursor)

    def read_unexposed(self, cursor):
        """What libclang 14 has no kind for: extern "C", and concepts."""
        tokens = self.tokens(cursor)
        head, rest = api_tokens.template_head(tokens)
        if head and rest[:1] == ["concept"]:
            text = api_tokens.join(rest[2:]).removesuffix(";")
            scope = self.name(cursor).rsplit("::", 1)[0]
            self.lines.add(tidy(f"{scope}::{rest[1]}: {head} concept {text}"))
        else:
            self.read_children(cursor)

    def read_class(self, cursor):
        if not cursor.is_definition():
            return
        kinds, members = self.kinds, list(cursor.get_children())
        head, rest = api_tokens.template_head(self.tokens(cursor))
        word = next((token for token in rest if token in ("class", "struct", "union")), "class")
        final = " final" if any(member.kind == kinds.CXX_FINAL_ATTR for member in members) else ""
        self.add(cursor, f"{head} {word}{final}")
        fields = [member for member in members if member.kind == kinds.FIELD_DECL]
        is_aggregate = all(map(self.is_public, fields)) and not any(
            is_constructor(member) or member.kind == kinds.CXX_METHOD and member.is_virtual_method()
            for member in members)
        for member in members:
            if member.access_specifier == self.access.PRIVATE and member.kind != kinds.FRIEND_DECL:
                continue
            if member.kind == kinds.CXX_BASE_SPECIFIER:
                self.follow(member.type)
                self.add(cursor, f"base {member.access_specifier.name.lower()} {member.type.spelling}")
            elif member.kind == kinds.FIELD_DECL and is_aggregate:
                # The order of an aggregate's fields is that of its initializers.
                self.follow(member.type)
                self.add(member, f"field {fields.index(member) + 1} {member.type.spelling}")
            else:
                self.read(member)

    def is_public(self, member):
        return member.access_specifier not in (self.access.PRIVATE, self.access.PROTECTED)

    def read_field(self, cursor):
        self.follow(cursor.type)
        self.add(cursor, f"field {cursor.type.spelling}")

    def read_variable(self, cursor):
        constexpr = "constexpr " if "constexpr" in api_tokens.specifiers(self.tokens(cursor)) else ""
        self.follow(cursor.type)
        self.add(cursor, f"{constexpr}variable {cursor.type.spelling}")

    def read_alias(self, cursor):
        self.follow(cursor.underlying_typedef_type)
        self.add(cursor, f"type = {cursor.underlying_typedef_type.spelling}")

    def read_as_written(self, cursor):
        self.add(cursor, api_tokens.join(self.tokens(cursor)).removesuffix(";"))

    def read_enum(self, cursor):
        if is_named_enum(cursor, self.kinds):
            is_class = cursor.is_scoped_enum()
            # An unscoped enumeration without a type of its own has the one that fits its values.
            underlying = f" : {cursor.enum_type.spelling}" if is_class or ":" in self.tokens(cursor)[:4] else ""
            self.add(cursor, f"enum{' class' if is_class else ''}{underlying}")
        for child in cursor.get_children():
            if child.kind == self.kinds.ENUM_CONSTANT_DECL:
                self.add(child, f"enumerator = {child.enum_value}")

    def read_friend(self, cursor):
        for child in cursor.get_children():
            if child.kind in (self.kinds.FUNCTION_DECL, self.kinds.FUNCTION_TEMPLATE):
                self.read_function(child)

    def read_function(self, cursor):
        kinds = self.kinds
        if cursor.lexical_parent != cursor.semantic_parent and cursor.semantic_parent.kind in self.classes:
            return  # A member that is defined outside of its class is declared inside, too.
        head, tokens = api_tokens.template_head(self.tokens(cursor))
        words = api_tokens.specifiers(tokens)
        tail = api_tokens.tail(tokens[api_tokens.parameters_end(tokens, cursor.spelling):])
        if cursor.kind == kinds.CXX_METHOD and cursor.is_virtual_method() and "virtual" not in words:
            words.insert(0, "virtual")  # An override.
        if "= 0" in tail:
            tail.remove("= 0")
            words.insert(0, "pure")
        if "static" in words and cursor.semantic_parent.kind not in self.classes:
            words.remove("static")
        children = [child for child in cursor.get_children() if child.kind == kinds.PARM_DECL]
        for type_ in [cursor.result_type, *(child.type for child in children)]:
            self.follow(type_)
        parameters = [child.type.spelling + (" = ..." if "=" in self.tokens(child) else "") for child in children]
        if cursor.kind != kinds.FUNCTION_TEMPLATE and cursor.type.is_function_variadic():
            parameters.append("...")
        text = " ".join(words + [f"function ({', '.join(parameters)})"] + tail)
        if cursor.kind != kinds.DESTRUCTOR and not is_constructor(cursor):
            text += f" -> {cursor.result_type.spelling}"
        self.add(cursor, f"{text}, {head}" if head else text)

    def read_macro(self, cursor):
        tokens = list(cursor.get_tokens())
        if len(tokens) == 1:
            return  # An include guard.
        # Parameters follow the name without a blank.
        has_parameters = tokens[1].spelling == "(" and tokens[0].extent.end.offset == tokens[1].extent.start.offset
        words = self.tokens(cursor)
        parameters = f" {api_tokens.join(words[1:words.index(')') + 1])}" if has_parameters else ""
        self.lines.add(f"{cursor.spelling}: macro{parameters}")

    def drop_undefined_macros(self):
        """A macro that its header undefines is none for users."""
        undefined = set()
        for path in self.files:
            with open(path, encoding="utf-8") as file:
                undefined.update(re.findall(r"^\s*#\s*undef\s+(\w+)", file.read(), re.MULTILINE))
        self.lines = {line for line in self.lines if line.split(": macro")[0] not in undefined}


def is_constructor(cursor):
    """Also a template of one, which libclang calls a function's."""
    parent = cursor.semantic_parent
    is_member = parent is not None and cursor.kind.name in ("CONSTRUCTOR", "FUNCTION_TEMPLATE")
    return is_member and cursor.spelling.split("<")[0] == parent.spelling


def is_named_enum(cursor, kinds):
    return cursor.kind == kinds.ENUM_DECL and cursor.spelling.isidentifier()


def tidy(text):
    return re.sub(r"\s+", " ", re.sub(r"\bauto:\d+", "auto", text)).strip()


def declarations(root, library, libraries):
    """The lines of <lib>/api.txt, as the headers under `root` have it."""
    cindex = load_clang()
    headers = headers_of(root, library)
    if not headers:
        raise CannotRead(f"{library}/BUILD exports no header")
    reader = Reader(cindex, f"{root}/{library}/", {f"{root}/{header}" for header in headers})
    reader.read_children(parse(cindex, root, headers, libraries).cursor)
    reader.drop_undefined_macros()
    return sorted(reader.lines)
