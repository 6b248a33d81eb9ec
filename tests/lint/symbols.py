"""Rules about the symbols of compiled libraries. Each takes paths of libraries and returns
complaints."""
import re
import subprocess

# The functions outside the project that folders below the purity line may call. Add a function only
# if it neither blocks, nor reads a clock, nor keeps state of its own.
PURE_CALLS = {
    "memchr", "memcmp", "memcpy", "memmove", "memset",
    "strchr", "strcmp", "strlen", "strncmp", "strnlen", "strrchr", "strstr",
    "snprintf", "vsnprintf",
    "bsearch", "qsort",
    "aligned_alloc", "calloc", "free", "malloc", "posix_memalign",  # only while objects are created
    "sqrt", "exp2", "pow",
    "crc32_gzip_refl",                                              # ISA-L: the ICRC
    "crypto_shorthash",                                             # libsodium: SipHash-2-4
}
# Symbols that the compiler itself refers to; __cpu_model and __cpu_features2 are written once, before main().
COMPILER = re.compile(r"^(__assert_fail|__stack_chk_fail|__cpu_model|__cpu_features2|__cpu_indicator_init|_GLOBAL_OFFSET_TABLE_|__\w+_chk)$")
CHECKED = re.compile(r"^__(\w+)_chk$")
EXPORTED = re.compile(r"^(Dll|Nd|Nds|IID_)\w*$")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")


def undefined(library):
    """Yields (object, name) of every undefined symbol."""
    for line in run("nm", "-A", "-u", library):
        match = re.match(r"(.*?):?\s+[Uwv]\s+(\S+)$", line)
        if match:
            yield match.group(1), match.group(2)


def defined(libraries):
    return {line.split()[-1] for library in libraries
            for line in run("nm", "-g", "--defined-only", library) if len(line.split()) >= 3}


def pure_calls(libraries):
    """The libraries below the purity line call only each other and PURE_CALLS."""
    ours = defined(libraries)
    bad = []
    for library in libraries:
        for where, name in undefined(library):
            checked = CHECKED.match(name)
            plain = checked.group(1) if checked else name
            if name not in ours and plain not in PURE_CALLS and (checked or not COMPILER.match(name)):
                bad.append(f"{where}: calls {name}")
    return bad


def no_globals(libraries):
    """There are no global or static variables, because all state belongs to a shard. Constant
    tables are allowed: the loader relocates them, and nothing writes them."""
    bad = []
    for library in libraries:
        where = library
        for line in run("objdump", "-t", library):
            header = re.match(r"(\S+):\s+file format", line)
            if header:
                where = header.group(1)
            match = re.match(r"[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+\s+(?:\.hidden )?(\S+)$", line)
            if not match:
                continue
            section, name = match.groups()
            writable = re.match(r"\.(data|bss|tdata|tbss)\b", section) and not section.startswith(".data.rel.ro")
            if (writable or section == "*COM*") and not name.startswith("."):
                bad.append(f"{where}: variable {name} in {section}")
    return bad


def declared(headers):
    """Returns the names of the rn_ functions that public headers declare."""
    names = set()
    for header in headers:
        with open(header, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        text = re.sub(r"static inline.*?\n}", "", text, flags=re.S)
        names |= set(re.findall(r"^[a-z][\w\s\*]*?\b(rn_\w+)\(", text, flags=re.M))
    return names


def exports(library, headers):
    """The shared library exports Dll*, Nd*, Nds*, IID_* and the functions of rn/client.h and
    rn/link.h, nothing else."""
    wanted = declared(headers)
    found = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library)
             if len(line.split()) >= 3 and line.split()[-2] != "A"}
    return ([f"{library}: exports {name}" for name in sorted(found) if name not in wanted and not EXPORTED.match(name)] +
            [f"{library}: does not export {name} of the public headers" for name in sorted(wanted - found)])
