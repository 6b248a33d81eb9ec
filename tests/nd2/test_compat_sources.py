"""usage: test_compat_sources.py BUILD

compat_sources.sh says yes to folders that build and names what others miss. TAP."""
import codecs
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import tap  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
HELLO = """#include <Windows.h>
#include <TCHAR.H>
#include "Sub\\Greeting.H"
#include <stdio.h>

int __cdecl _tmain(int argc, TCHAR *argv[])
{
	_tprintf(_T("%s %lu %I64u %d\\n"), GREETING, (DWORD)1, (ULONGLONG)2, argc);
	return 0;
}
"""
NARROW = """#include <ndsupport.h>
#include <stdio.h>
int main(void) { return FAILED(NdStartup()) || FAILED(NdCleanup()) || printf("plain\\n") < 0; }
"""
WIDE = """#include <windows.h>
#include <stdio.h>
int wmain(int argc, WCHAR *argv[]) { wprintf(L"%s\\n", argv[argc - 1]); return 0; }
"""
PART = """#include <windows.h>
DWORD Part(void) { return GetLastError(); }
"""
WHOLE = """#include <windows.h>
EXTERN_C DWORD Part(void);
int main() { return (int)Part(); }
"""
GOOD = {"hello.cpp": HELLO, "sub/greeting.h": '#define GREETING _T("hello")\n',
        "narrow.c": codecs.BOM_UTF8 + NARROW.replace("\n", "\r\n").encode(),
        "wide.c": codecs.BOM_UTF16_LE + WIDE.replace("\n", "\r\n").encode("utf-16-le"), "part.c": PART}
BAD = {"header.cpp": "#include <nosuch.h>\n#include <windows.h>\nint main() { return NoSuchCall(1); }\n",
       "name.c": "#include <windows.h>\nNOSUCHTYPE t;\nint main(void) { return NO_SUCH_MACRO + NoSuchCall(1); }\n",
       "symbol.cpp": "#include <windows.h>\nEXTERN_C int Nobody(void);\nint main() { return Nobody(); }\n",
       "member.cpp": "#include <windows.h>\nint main() { OVERLAPPED ov; return (int)ov.NoSuchMember; }\n",
       "fine.c": PART}
MISSING = """FILE RESULT WHAT
bad/fine.c builds
bad/header.cpp header nosuch.h
bad/header.cpp name NoSuchCall
bad/member.cpp member NoSuchMember
bad/name.c name NOSUCHTYPE
bad/name.c name NO_SUCH_MACRO
bad/name.c name NoSuchCall
bad/symbol.cpp symbol Nobody
1 of 5 build
"""


class Folder:
    def __init__(self, **folders):
        self.place = tempfile.TemporaryDirectory(prefix="compat-sources-")
        self.keep = os.path.join(self.place.name, "keep")
        for folder, files in folders.items():
            for name, content in files.items():
                path = os.path.join(self.place.name, folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as f:
                    f.write(content if isinstance(content, bytes) else content.encode())
        self.before = self.listing()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.cleanup()

    def listing(self):
        return sorted(os.path.join(at, n) for at, _, names in os.walk(self.place.name) for n in names if at != self.keep)

    def build(self, *words):
        """(status, what was said with single spaces, complaints): nothing is left beside the sources."""
        done = subprocess.run([os.path.join(HERE, "compat_sources.sh"), "--build", BUILD, "--keep", self.keep, *words],
                              cwd=self.place.name, capture_output=True, text=True, timeout=200, check=False)
        said = "".join(" ".join(line.split()) + "\n" for line in done.stdout.splitlines())
        left = [f"{path} is left" for path in self.listing() if path not in self.before]
        return done.returncode, said, left + done.stderr.splitlines()

    def run(self, program, *words):
        return subprocess.run([os.path.join(self.keep, program), *words], capture_output=True, text=True, timeout=60,
                              check=False).stdout


def expect(got, *wanted):
    return [f"{g!r} instead of {w!r}" for g, w in zip(got, wanted) if g != w]


def good():
    with Folder(good=GOOD) as f:
        status, said, bad = f.build("good")
        return bad + expect((status, said.splitlines()[-1]), 0, "4 of 4 build") + \
            expect((f.run("hello"), f.run("narrow"), f.run("wide", "é")), "hello 1 2 1\n", "plain\n", "é\n")


def bad_ones():
    with Folder(bad=BAD) as f:
        status, said, bad = f.build("bad")
        return bad + expect((status, said), 1, MISSING)


def one_program():
    with Folder(one={"a.cpp": WHOLE, "b.c": PART}, half={"a.cpp": WHOLE}, shared={"b.c": PART}) as f:
        checks = expect(f.build("--program", "one")[:2], 0, "FILE RESULT WHAT\none/a.cpp builds\none/b.c builds\n"
                                                            "one builds\n3 of 3 build\n")
        checks += expect(f.build("--with", "shared", "half")[:2], 0, "FILE RESULT WHAT\nshared/b.c builds\n"
                                                                     "half/a.cpp builds\n2 of 2 build\n")
        return checks + expect(f.build("half")[:2], 1, "FILE RESULT WHAT\nhalf/a.cpp symbol Part\n0 of 1 build\n")


def nothing_there():
    with Folder(empty={"read.me": "\n"}) as f:
        return expect(f.build("empty")[:1], 1)


tap.run([(f.__name__, f) for f in (good, bad_ones, one_program, nothing_there)])
