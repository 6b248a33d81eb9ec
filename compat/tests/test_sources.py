"""usage: test_sources.py BUILD

Does sources.sh accept folders that build, and list the headers, names and symbols that others lack?
Prints TAP."""
import codecs
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMPAT = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(os.path.dirname(COMPAT), "tests")]
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


# Sources with headers of their own or with needs that the examples do not have.
OWN_SUPPORT = """#pragma once
#include "ndspi.h"
#ifdef __cplusplus
extern "C" {
#endif
HRESULT NdStartup(VOID);
HRESULT NdOpenV1Adapter(_In_bytecount_(size) const struct sockaddr *address, _In_ SIZE_T size, _Deref_out_ INDAdapter **adapter);
#ifdef __cplusplus
}
#endif
"""
CALLS_SUPPORT = """#include "ndsupport.h"
#include <stdio.h>
int main(void)
{
	INDAdapter *adapter = NULL;
	struct sockaddr address = {AF_INET};
	HRESULT opened = FAILED(NdStartup()) ? S_OK : NdOpenV1Adapter(&address, sizeof(address), &adapter);
	printf("%d\\n", FAILED(opened));
	return 0;
}
"""
OWN_INTERFACES = """#pragma once
#include <winsock2.h>
#include <unknwn.h>
DEFINE_GUID(IID_IND2Provider, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
DEFINE_GUID(IID_IND2Listener, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
#undef INTERFACE
#define INTERFACE IND2Provider
DECLARE_INTERFACE_(IND2Provider, IUnknown)
{
	IFACEMETHOD(QueryInterface)(THIS_ REFIID riid, __deref_out LPVOID *object) PURE;
	IFACEMETHOD_(ULONG, AddRef)(THIS) PURE;
	IFACEMETHOD_(ULONG, Release)(THIS) PURE;
	STDMETHOD(QueryAddressList)(THIS_ __out_bcount_part_opt(*size, *size) SOCKET_ADDRESS_LIST *list, __inout ULONG *size) PURE;
	STDMETHOD(ResolveAddress)(THIS_ __in_bcount(size) const struct sockaddr *address, __in ULONG size, __out UINT64 *id) PURE;
	STDMETHOD(OpenAdapter)(THIS_ __in REFIID iid, __in UINT64 id, __deref_out LPVOID *adapter) PURE;
};
"""
NAMES_INTERFACES = """#include "ndspi.h"
#include <stdio.h>
int main(void)
{
	printf("%08x %08x %08x\\n", (unsigned)IID_IND2Provider.Data1, (unsigned)IID_IND2Listener.Data1, (unsigned)IID_IUnknown.Data1);
	return 0;
}
"""
OLD_WORDS = """#include <windows.h>
#include <algorithm>
#include <iostream>
#include <locale>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
static DWORD Sum(__in_ecount(n) const DWORD *terms, __in DWORD n, __out DWORD *sum, __inout DWORD *calls)
{
	for (*sum = 0; n > 0; n--)
		*sum += terms[n - 1];
	return ++*calls;
}
int main()
{
	DWORD terms[] = {1, 2, 3}, sum, calls = 0;
	std::istringstream in("six 6");
	std::string word;
	std::vector<int> sorted = {3, 1, 2};
	in >> word;
	std::sort(sorted.begin(), sorted.end());
	Sum(terms, 3, &sum, &calls);
	std::cout << word << " " << sum << " " << calls << " " << std::regex_match(word, std::regex("s.x")) << "\\n";
}
"""
CONFIG_CHANGE = """#include <winsock2.h>
#include <windows.h>
#include <stdio.h>
int main(void)
{
	HANDLE change = NULL;
	OVERLAPPED request = {0};
	int first = WSAProviderConfigChange(&change, NULL, NULL);
	int second = WSAProviderConfigChange(&change, &request, NULL);
	printf("%d %d %d %d\\n", first, second, WSAGetLastError() == WSA_IO_PENDING, HasOverlappedIoCompleted(&request));
	CloseHandle(change);
	return 0;
}
"""
OFFSETS = """#include <windows.h>
#include <stdio.h>
struct List { INT count; struct { USHORT kind; UINT64 words[2]; } rows[4]; };
C_ASSERT(FIELD_OFFSET(struct List, rows) == 8);
C_ASSERT(UFIELD_OFFSET(struct List, rows[1].words[1]) == 8 + 24 + 16);
enum { AT = FIELD_OFFSET(struct List, rows[2]) };
static char header[FIELD_OFFSET(struct List, rows)];
static LONG size_of(ULONG n) { return FIELD_OFFSET(struct List, rows[n]); }
int main(void)
{
	printf("%d %d %d %d\\n", (int)AT, (int)sizeof(header), (int)size_of(3), (int)size_of(0));
	return 0;
}
"""
FOREIGN = {
    "own_ndsupport": ({"ndsupport.h": OWN_SUPPORT}, CALLS_SUPPORT, "1\n"),
    "own_ndspi": ({"ndspi.h": OWN_INTERFACES}, NAMES_INTERFACES, "49eae6c1 65d23d83 00000000\n"),
    "config_change": ({}, CONFIG_CHANGE, "0 -1 1 0\n"),
    "offsets": ({}, OFFSETS, "56 8 80 8\n"),
}


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
        """Returns (exit status, output with single spaces, complaints about files left beside the sources)."""
        done = subprocess.run([os.path.join(COMPAT, "sources.sh"), "--build", BUILD, "--keep", self.keep, *words],
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


def foreign(files, source, wanted, suffix):
    with Folder(foreign={**files, "program" + suffix: source}) as f:
        status, said, bad = f.build("foreign")
        return bad + (expect((f.run("program"),), wanted) if status == 0 else said.splitlines())


def old_words():
    return foreign({}, OLD_WORDS, "six 6 1 1\n", ".cpp")


tap.run([(f"{name}{suffix}", lambda c=case, s=suffix: foreign(*c, s)) for name, case in FOREIGN.items() for suffix in (".c", ".cpp")] +
        [(f.__name__, f) for f in (old_words, good, bad_ones, one_program, nothing_there)])
