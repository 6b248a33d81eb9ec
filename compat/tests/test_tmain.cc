// Test of _tmain and of the headers for C++, written like a program for Windows. The main function
// takes wide text. The program mixes narrow and wide output, and passes arrays to functions without
// the size.
#include <algorithm>
#include <string>
#include <tchar.h>
#include <windows.h>
#include <cstdio>
#include <iostream>
#include <strsafe.h>
#include <ws2tcpip.h>

static int check(bool good, const wchar_t *what)
{
	wprintf(L"%s %d - %s\n", good ? L"ok" : L"not ok", 1, what);
	return good ? 0 : 1;
}

static int own_printf(const char *format, ...)
{
	char text[64];
	va_list arguments;

	va_start(arguments, format);
	vsprintf_s(text, format, arguments);
	va_end(arguments);
	return static_cast<int>(strlen(text));
}

int __cdecl _tmain(int argc, TCHAR *argv[])
{
	TCHAR name[16];
	char small[4];
	struct sockaddr_in v4 = {};
	int bad = 0, size = sizeof(v4);

	printf("1..1\n");
	bad += check(argc == 3 && _tcscmp(argv[1], _T("caf\u00e9")) == 0 && !argv[3], L"arguments");
	bad += check(wcscpy_s(name, L"short") == 0 && wcscpy_s(name, L"longer than that all") != 0,
		     L"wcscpy_s");
	bad += check(sprintf_s(small, "%lu", 123u) == 3 && strcpy_s(small, "abcd") != 0,
		     L"sprintf_s");
	bad += check(_snprintf_s(small, _TRUNCATE, "%s", "abcd") == -1 && !strcmp(small, "abc"),
		     L"_snprintf_s");
	bad += check(own_printf("%I64u", ~0ull) == 20, L"vsprintf_s");
	bad += check(std::to_wstring(1L << 40) == L"1099511627776", L"to_wstring");
	bad += check(std::snprintf(small, 4, "%S", L"xy") == 2, L"std::snprintf");
	bad += check(WSAStringToAddress(argv[2], AF_INET, nullptr,
					reinterpret_cast<struct sockaddr *>(&v4), &size) == 0,
		     L"address");
	bad += check(v4.sin_addr.S_un.S_un_b.s_b1 == 192 && v4.sin_port == htons(80), L"address");
	SOCKET s = socket(AF_INET, SOCK_DGRAM, 0);
	size = sizeof(v4);
	bad += check(getsockname(s, reinterpret_cast<SOCKADDR *>(&v4), &size) == 0 && size == 16,
		     L"getsockname");
	u_long yes = 1;
	ULONG also = 1;
	bad += check(ioctlsocket(s, FIONBIO, &yes) == 0 && ::ioctlsocket(s, FIONBIO, &also) == 0,
		     L"ioctlsocket");
	closesocket(s);
	std::cout << "# from a stream" << std::endl;
	bad += check(min(3u, 5ul) == 3 && std::max(1, 2) == 2, L"min");
	std::printf("%s %d - all\n", bad ? "not ok" : "ok", 1);
	return bad;
}
