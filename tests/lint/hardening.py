"""Rules about protections in binaries that make a memory error harder to exploit, read with
readelf. Each takes a path and returns complaints. meson.build explains the options that produce the
protections."""
import re
import subprocess

FEATURES = {"IBT", "SHSTK"}


def readelf(*what):
    done = subprocess.run(["readelf", "-W", *what], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def segments(path):
    """Yields (type, flags) of each program header; flags are letters of R, W and E."""
    for line in readelf("-l", path):
        match = re.match(r"\s+([A-Z_]+)(?:\s+0x[0-9a-f]+){5}\s+([R ][W ][E ])", line)
        if match:
            yield match.group(1), match.group(2).replace(" ", "")


def dynamic(path):
    """Returns all tags and values of the dynamic section as one text."""
    return "\n".join(line for line in readelf("-d", path) if line.startswith(" 0x"))


def loads_anywhere(path):
    """The binary is position-independent, so that its address is random at each start."""
    kind = next((line for line in readelf("-h", path) if "Type:" in line), "")
    if "DYN" not in kind:
        return [f"{path}: is not position-independent:{kind.split(':')[-1]}"]
    return [f"{path}: has relocations in its code"] if "TEXTREL" in dynamic(path) else []


def tables_are_read_only(path):
    """The loader binds all symbols at start and makes its tables read-only before the program
    runs."""
    kinds = {kind for kind, _ in segments(path)}
    bad = [] if "GNU_RELRO" in kinds else [f"{path}: has no segment GNU_RELRO"]
    now = re.search(r"\(BIND_NOW\)|\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic(path))
    return bad if now else bad + [f"{path}: is not bound at its start"]


def nothing_is_written_and_run(path):
    found = list(segments(path))
    bad = [f"{path}: segment {kind} can be written and run" for kind, flags in found if "W" in flags and "E" in flags]
    return bad if any(kind == "GNU_STACK" for kind, _ in found) else bad + [f"{path}: says nothing of its stack"]


def calls(path):
    return {line.split()[7].split("@")[0] for line in readelf("--dyn-syms", path) if " UND " in line and len(line.split()) > 7}


# Functions that have a checked form; a small library may call none of them.
CHECKABLE = {"fprintf", "memcpy", "memmove", "memset", "printf", "read", "recv", "snprintf", "sprintf", "strcat", "strcpy", "strncat",
             "strncpy", "vfprintf", "vsnprintf", "vsprintf"}


def buffers_are_checked(path):
    """The binary uses the stack protector and checked functions of the C library, which end the
    process when a buffer overflows."""
    names = calls(path)
    bad = [] if "__stack_chk_fail" in names else [f"{path}: has no stack protector"]
    fortified = any(re.match(r"__\w+_chk$", name) for name in names)
    return bad if fortified or not names & CHECKABLE else bad + [f"{path}: calls no checked function of the C library"]


def features(path):
    """Yields (object or linked file, control-flow features in its property note)."""
    name, found = None if path.endswith(".a") else path, set()
    for line in [*readelf("-n", path), "File: "]:
        match = re.search(r"x86 feature: (.*)", line)
        if match:
            found |= set(match.group(1).split(", ")) & FEATURES
        if line.startswith("File: "):
            if name is not None:
                yield name, found
            name, found = line[6:], set()


def jumps_are_checked(path, wanted=frozenset(FEATURES)):
    """Each object of a library, or the linked file, declares the wanted control-flow features."""
    return [f"{name}: does not state {' and '.join(sorted(wanted - found))}"
            for name, found in features(path) if wanted - found]


LINKED = (loads_anywhere, tables_are_read_only, nothing_is_written_and_run, buffers_are_checked)
