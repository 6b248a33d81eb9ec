"""usage: check_install.py SOURCE BUILD PREFIX LIBDIR CATALOGUE compat|no-compat

Tests that `meson install` installs all files that a client needs, and nothing else. Installs into a
temporary root, and builds and runs the clients there with the flags of pkg-config. Prints TAP."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "lint")]
import hardening  # noqa: E402
import symbols  # noqa: E402
import tap  # noqa: E402

HEADERS = {"ndspi.h", "nddef.h", "ndstatus.h", "ndsupport.h", "ndtypes.h",
           "rn/abi.h", "rn/client.h", "rn/daemon.h", "rn/link.h", "rn/status.h"}
COMPAT = "compat"  # the folder for the headers of compat/; compat/tests compiles these headers
SAID = "MaxInlineDataSize 256\n"  # the output of each client; 256 is ND_MAX_INLINE
COMPILERS = {".c": ["cc", "-std=gnu11"], ".cc": ["c++", "-std=gnu++17"]}
CLIENTS = {"client.c": "softrnic", "client.cc": "softrnic"}  # client: its pkg-config package
COMPAT_CLIENTS = {"windows.cpp": "softrnic-compat"}
FEWEST_BINARIES = 22  # the library, and the tools of README.md
VARIABLES = [("softrnic", "catalogdir", os.path.isdir), ("softrnic", "provider", os.path.isfile),
             ("softrnic", "libdir", os.path.isdir), ("softrnic", "bindir", os.path.isdir),
             ("softrnic", "includedir", os.path.isdir)]
COMPAT_VARIABLES = [("softrnic-compat", "libdir", os.path.isdir)]
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]


class Install:
    """The temporary root, the paths in it, and the checks."""

    def __init__(self, root, source, build, prefix, libdir, catalogue, compat):
        self.root, self.source, self.build, self.compat = root, source, build, compat
        self.prefix, self.catalogue = prefix, catalogue
        self.lib = self.at(os.path.join(prefix, libdir))
        self.include = self.at(os.path.join(prefix, "include", "softrnic"))
        self.work = os.path.join(root, "client")
        os.mkdir(self.work)

    def at(self, path):
        return os.path.join(self.root, path.lstrip("/"))

    def environment(self):
        return {"PKG_CONFIG_SYSROOT_DIR": self.root, "PKG_CONFIG_LIBDIR": os.path.join(self.lib, "pkgconfig")}

    def run(self, *command, **environment):
        """Runs a command in the folder for clients; returns (complaints, standard output)."""
        done = subprocess.run(command, cwd=self.work, env={**os.environ, **environment}, capture_output=True,
                              text=True, timeout=100, check=False)
        if done.returncode == 0:
            return [], done.stdout
        return [f"{' '.join(command)}: exit status {done.returncode}", *(done.stdout + done.stderr).splitlines()], ""

    def pkg_config(self, *what, package="softrnic", **environment):
        bad, flags = self.run("pkg-config", *what, package, **{**self.environment(), **environment})
        if bad:
            raise RuntimeError("\n".join(bad))
        return flags.split()

    def installed(self):
        return subprocess.run(["meson", "install", "-C", self.build, "--no-rebuild", "--destdir", self.root],
                              capture_output=True, text=True, check=True, timeout=100).stdout and []

    def headers_are_those_listed(self):
        found = {os.path.relpath(path, self.include) for path in glob.glob(self.include + "/**/*", recursive=True)
                 if os.path.isfile(path)}
        wanted = set(HEADERS)
        if self.compat:
            ours = os.path.join(self.source, "compat", "include")
            wanted |= {os.path.join(COMPAT, os.path.relpath(path, ours))
                       for path in glob.glob(ours + "/**/*", recursive=True)
                       if os.path.isfile(path) and not path.endswith("README.md")}
        return ([f"{name} is installed and not listed" for name in sorted(found - wanted)] +
                [f"{name} is not installed" for name in sorted(wanted - found)])

    def headers_compile_alone(self, suffix):
        bad = []
        for name in sorted(HEADERS):
            unit = os.path.join(self.work, "alone" + suffix)
            with open(unit, "w", encoding="utf-8") as f:
                f.write(f"#include <{name}>\n#include <{name}>\n")
            bad += self.run(*COMPILERS[suffix], *STRICT, "-fsyntax-only", *self.pkg_config("--cflags"), unit)[0]
        return bad

    def compiler(self, client):
        return [*COMPILERS[".c" if client.endswith(".c") else ".cc"], *self.pkg_config("--cflags", package=CLIENTS[client])]

    def reference_of_compat(self):
        """The installed page has the names of the first and the last header, and of one
        function."""
        with open(self.at(os.path.join(self.prefix, "share/doc/softrnic/compat.md")), encoding="utf-8") as f:
            page = f.read()
        return [f"the reference lacks {words}" for words in ("## `basetsd.h`", "| `CreateIoCompletionPort` |", "## `ws2tcpip.h`")
                if words not in page]

    def nothing_of_compat(self):
        """A build with -Dcompat=false installs no file and no package of compat/."""
        return [f"{path} is installed" for path in glob.glob(self.at(self.prefix) + "/**/*compat*", recursive=True)]

    def client_needs_no_private_header(self, client):
        """All headers that a client includes are installed by this project or part of the
        system."""
        bad, rule = self.run(*self.compiler(client), "-M", os.path.join(HERE, client))
        used = [word for word in re.split(r"[\s\\]+", rule) if word.endswith(".h")]
        return bad + [f"includes {path}" for path in used
                      if path.startswith((self.source + "/", self.build + "/")) or not os.path.isabs(path)]

    def client_runs(self, client):
        program = os.path.join(self.work, client.replace(".", "_"))
        bad, _ = self.run(*self.compiler(client), *STRICT, os.path.join(HERE, client), "-o", program,
                          *self.pkg_config("--libs", package=CLIENTS[client]))
        if bad:
            return bad
        bad, said = self.run(program, LD_LIBRARY_PATH=self.lib, SOFTRNIC_ND_CATALOG=self.moved_catalogue(),
                             SOFTRNIC_CONFIG="")
        return bad or ([] if said == SAID else [f"said {said!r} instead of {SAID!r}"])

    def readme_program_runs(self):
        """docs/hello.cc, built with the command in README.md, runs and prints its message."""
        program = os.path.join(self.work, "hello")
        bad, _ = self.run(*COMPILERS[".cc"], *self.moved("--cflags", package="softrnic"),
                          os.path.join(self.source, "docs", "hello.cc"), "-o", program, *self.moved("--libs", package="softrnic"))
        if bad:
            return bad
        bad, said = self.run(program, LD_LIBRARY_PATH="", SOFTRNIC_ND_CATALOG=self.moved_catalogue(), SOFTRNIC_CONFIG="")
        return bad or ([] if said == "hello over RoCEv2\n" else [f"said {said!r}"])

    def tool_runs(self):
        """A tool finds the library by its path relative to the tool, wherever the tree is
        installed."""
        bad, said = self.run(os.path.join(self.at(self.prefix), "bin", "ndadapterinfo"), "192.0.2.1",
                             SOFTRNIC_ND_CATALOG=self.moved_catalogue(), SOFTRNIC_CONFIG="", LD_LIBRARY_PATH="")
        return bad or ([] if "192.0.2.1" in said else [f"said {said!r}"])

    def verbs_programs_find_the_library(self):
        """softrnic-run leads a program to the installed libibverbs.so.1, and that to libsoftrnic, wherever the tree is; the program
        can open the device of rdma_cm."""
        code = ("import ctypes, os; n = ctypes.c_int(); l = ctypes.CDLL('libibverbs.so.1'); l.ibv_get_device_list(ctypes.byref(n));"
                "os.open('/dev/infiniband/rdma_cm', os.O_RDWR); print(n.value)")
        bad, said = self.run(os.path.join(self.at(self.prefix), "bin", "softrnic-run"), "--config",
                             os.path.join(self.source, "config", "loopback.conf"), "/usr/bin/python3", "-c", code, LD_LIBRARY_PATH="")
        return bad or ([] if said == "2\n" else [f"said {said!r}"])

    def verbs_programs_link_with_the_library(self):
        """A program that is linked with the flags of softrnic-verbs has softrnic's devices without softrnic-run."""
        program = os.path.join(self.work, "verbs")
        bad, _ = self.run(*COMPILERS[".c"], *STRICT, *self.moved("--cflags", package="softrnic-verbs"),
                          os.path.join(HERE, "verbs.c"), "-o", program, *self.moved("--libs", package="softrnic-verbs"))
        if bad:
            return bad
        bad, said = self.run(program, LD_LIBRARY_PATH="", SOFTRNIC_CONFIG=os.path.join(self.source, "config", "loopback.conf"))
        return bad or ([] if said == "softrnic0\nsoftrnic1\n" else [f"said {said!r}"])

    def manual_page_is_sound(self):
        page = os.path.join(self.at(self.prefix), "share/man/man1/softrnic-run.1")
        if shutil.which("groff") is None:
            raise tap.Skip("groff is not installed")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, timeout=30, check=False)
        return done.stderr.splitlines() + [f"the page lacks {option}" for option in ("--config", "--daemon", "--env", "-v")
                                           if option not in done.stdout.replace("\u2010", "-").replace("\x1b[1m", "")]

    def programs_tell_the_version(self):
        version = "".join(self.pkg_config("--modversion"))
        bad = []
        for path in sorted(glob.glob(os.path.join(self.at(self.prefix), "bin", "*"))):
            wrong, said = self.run(path, "--version")
            wanted = f"{os.path.basename(path)} (softrnic) {version}"
            bad += wrong or ([] if said.split("\n")[0] == wanted else [f"{path}: said {said!r} instead of {wanted!r}"])
        return bad

    def moved(self, *what, package):
        """Returns the flags of pkg-config with the prefix in the temporary root."""
        return self.pkg_config(f"--define-variable=prefix={self.at(self.prefix)}", *what, package=package, PKG_CONFIG_SYSROOT_DIR="")

    def client_runs_without_ldconfig(self, client):
        program = os.path.join(self.work, client.replace(".", "_") + "_moved")
        package = CLIENTS[client]
        bad, _ = self.run(*COMPILERS[".c" if client.endswith(".c") else ".cc"], *self.moved("--cflags", package=package),
                          os.path.join(HERE, client), "-o", program, *self.moved("--libs", package=package))
        if bad:
            return bad
        bad, said = self.run(program, LD_LIBRARY_PATH="", SOFTRNIC_ND_CATALOG=self.moved_catalogue(), SOFTRNIC_CONFIG="")
        return bad or ([] if said == SAID else [f"said {said!r} instead of {SAID!r}"])

    def variables_name_what_is_there(self):
        bad = []
        for package, name, kind in VARIABLES:
            path = "".join(self.moved(f"--variable={name}", package=package))
            if not path or not kind(path):
                bad.append(f"{package}: {name} is {path!r}, which is not there")
        return bad

    def sources_for_windows_build(self):
        """Sources for Windows build with the installed files alone."""
        folder = os.path.join(self.work, "sources")
        os.mkdir(folder)
        shutil.copy(os.path.join(HERE, "windows.cpp"), folder)
        return self.run(os.path.join(self.source, "compat/sources.sh"), "--installed", folder,
                        **self.environment())[0]

    def entries(self):
        """Yields (file, library named in the file) for each entry of the installed catalogue."""
        for path in glob.glob(self.at(self.catalogue) + "/*"):
            with open(path, encoding="utf-8") as f:
                yield path, re.search(r"^library = (.*)$", f.read(), re.M).group(1)

    def catalogue_names_the_library(self):
        named = [library for _, library in self.entries()]
        if len(named) != 1:
            return [f"{len(named)} entries in {self.catalogue}"]
        return [] if os.path.exists(self.at(named[0])) else [f"{named[0]} is not installed"]

    def moved_catalogue(self):
        """Returns a copy of the installed catalogue that names the library's path in the temporary
        root; the installed one names its final path."""
        moved = os.path.join(self.work, "nd.d")
        os.makedirs(moved, exist_ok=True)
        for path, library in self.entries():
            with open(path, encoding="utf-8") as old, \
                    open(os.path.join(moved, os.path.basename(path)), "w", encoding="utf-8") as new:
                new.write(old.read().replace(library, self.at(library)))
        return moved

    def exports(self):
        return symbols.exports(os.path.join(self.lib, "libsoftrnic.so"),
                               [os.path.join(self.include, name) for name in ("rn/client.h", "rn/link.h")])

    def binaries(self):
        """Returns every installed program and shared library."""
        return [path for path in sorted(glob.glob(self.at(self.prefix) + "/**/*", recursive=True))
                if os.path.isfile(path) and not os.path.islink(path) and hardening.is_elf(path)]

    def features_of_the_compiler(self):
        """Returns the control-flow features that a linked file can have here: only those that the
        start files of the C library declare too."""
        empty = os.path.join(self.work, "empty.so")
        bad, _ = self.run("cc", "-shared", "-fcf-protection", "-x", "c", os.devnull, "-o", empty)
        if bad:
            raise RuntimeError("\n".join(bad))
        return next(found for _, found in hardening.features(empty))

    def binaries_are_hardened(self):
        found, features = self.binaries(), self.features_of_the_compiler()
        bad = [f"only {len(found)} programs and libraries found"] if len(found) < FEWEST_BINARIES + self.compat else []
        for path in found:
            bad += [line for rule in hardening.LINKED for line in rule(path)]
            bad += hardening.jumps_are_checked(path, features)
        return bad

    def no_path_of_the_build(self):
        """Installed text files do not name the source or the build folder."""
        bad = []
        for folder, _, names in os.walk(self.at(self.prefix)):
            for path in (os.path.join(folder, name) for name in names):
                with open(path, "rb") as f:
                    data = f.read()
                if b"\0" not in data and (self.build.encode() in data or self.source.encode() in data):
                    bad.append(f"{path} names the source or build folder")
        return bad


def main():
    source, build, prefix, libdir, catalogue, with_compat = sys.argv[1:]
    compat = with_compat == "compat"
    if compat:
        CLIENTS.update(COMPAT_CLIENTS)
        VARIABLES.extend(COMPAT_VARIABLES)
    with tempfile.TemporaryDirectory() as root:
        tree = Install(root, source, build, prefix, libdir, catalogue, compat)
        checks = [("installed", tree.installed), ("headers_are_those_listed", tree.headers_are_those_listed)]
        for suffix, language in ((".c", "c"), (".cc", "cxx")):
            checks.append((f"headers_compile_alone_{language}", lambda s=suffix: tree.headers_compile_alone(s)))
        for client in CLIENTS:
            checks += [(f"{client}_needs_no_private_header", lambda c=client: tree.client_needs_no_private_header(c)),
                       (f"{client}_runs", lambda c=client: tree.client_runs(c)),
                       (f"{client}_runs_without_ldconfig", lambda c=client: tree.client_runs_without_ldconfig(c))]
        checks += [(check.__name__, check) for check in (
            tree.readme_program_runs, tree.tool_runs, tree.verbs_programs_find_the_library, tree.verbs_programs_link_with_the_library,
            tree.manual_page_is_sound, tree.programs_tell_the_version, tree.variables_name_what_is_there)]
        checks += [("sources_for_windows_build", tree.sources_for_windows_build),
                   ("reference_of_compat", tree.reference_of_compat)] if compat else [
                       ("nothing_of_compat", tree.nothing_of_compat)]
        checks += [("catalogue_names_the_library", tree.catalogue_names_the_library), ("exports", tree.exports),
                   ("binaries_are_hardened", tree.binaries_are_hardened),
                   ("no_path_of_the_build", tree.no_path_of_the_build)]
        tap.run(checks)


main()
