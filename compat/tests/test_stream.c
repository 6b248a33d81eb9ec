/*
 * Tests of stream functions: opening a file by a wide name, storing wide characters as UTF-8, and
 * reading single keys (conio.h).
 */
#include <conio.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include "testing.h"

static char name[] = "/tmp/compat_stream_XXXXXX";
static wchar_t wide_name[64];

static int make_file(void **state)
{
	close(mkstemp(name));
	return swprintf(wide_name, 64, L"%hs", name) < 0;
}

static int remove_file(void **state)
{
	unlink(name);
	return 0;
}

static void test_open(void **state)
{
	FILE *f = (FILE *)1;

#define CLOSED(f) ((f) && fclose(f) == 0)
	EXPECT(fopen_s, fopen_s(&f, name, "wt") == 0 && CLOSED(f));
	EXPECT(fopen_s, fopen_s(&f, "/there/is/none", "r") == ENOENT && !f &&
				fopen_s(NULL, name, "r") == EINVAL);
	EXPECT(_fsopen,
	       CLOSED(_fsopen(name, "a+, ccs=UTF-8", _SH_DENYNO)) && !_fsopen(NULL, "r", 0));
	EXPECT(_wfopen, CLOSED(_wfopen(wide_name, L"rb")) && !_wfopen(L"/there/is/none", L"r") &&
				errno == ENOENT);
	EXPECT(_wfopen_s, _wfopen_s(&f, wide_name, L"r") == 0 && CLOSED(f) &&
				  _wfopen_s(&f, NULL, L"r") == EINVAL);
	EXPECT(_wfsopen, CLOSED(_wfsopen(wide_name, L"r", _SH_DENYWR)));
	EXPECT(_fdopen, CLOSED(_fdopen(open(name, O_RDONLY), "rt")) && !_fdopen(0, NULL));
	f = fopen(name, "r");
	EXPECT(freopen_s,
	       freopen_s(&f, name, "w", f) == 0 && f && freopen_s(&f, name, "w", NULL) == EINVAL);
	EXPECT(_wfreopen,
	       (f = _wfreopen(wide_name, L"w", f)) != NULL && !_wfreopen(wide_name, L"w", NULL));
	EXPECT(_wfreopen_s, _wfreopen_s(&f, wide_name, L"w+", f) == 0 && f);
	EXPECT(_fileno, _fileno(f) == fileno(f) && _fileno(NULL) == -1);
	fputs("0123456789", f);
	EXPECT(_fseeki64, _fseeki64(f, 7, SEEK_SET) == 0 && fgetc(f) == '7');
	EXPECT(_ftelli64, _ftelli64(f) == 8);
	EXPECT(_fcloseall, _fcloseall() == 0);
	EXPECT(_flushall, fputc('x', f) == 'x' && _flushall() == 3);
	fclose(f);
	f = _popen("echo said", "rt");
	char line[16];

	EXPECT(_popen, f && fgets(line, 16, f) && !strcmp(line, "said\n") && !_popen("echo", "z"));
	EXPECT(_pclose, _pclose(f) == 0 && _pclose(NULL) == -1);
	EXPECT(_wremove, _wremove(L"/there/is/none") == -1);
}

static void test_wide_characters(void **state)
{
	FILE *f = fopen(name, "w+");
	wchar_t line[16];
	char bytes[32] = "";

	EXPECT(compat_fputws, fputws(L"\u00e9\u20ac\n", f) == 0 && fputws(NULL, f) == EOF);
	EXPECT(compat_fputwc, fputwc(L'\u00e9', f) == L'\u00e9');
	fputs("n\n\xff", f);
	rewind(f);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), f), 11);
	assert_string_equal(bytes, "\xc3\xa9\xe2\x82\xac\n\xc3\xa9n\n\xff");
	rewind(f);
	EXPECT(compat_fgetwc, fgetwc(f) == L'\u00e9');
	EXPECT(compat_fgetws, fgetws(line, 16, f) == line && !wcscmp(line, L"\u20ac\n"));
	EXPECT(compat_fgetws, fgetws(line, 2, f) && !wcscmp(line, L"\u00e9") &&
				      fgets(bytes, 8, f) && !strcmp(bytes, "n\n"));
	EXPECT(compat_fgetwc, fgetwc(f) == 0xFFFD && fgetwc(f) == WEOF);
	EXPECT(compat_fgetws, !fgetws(line, 16, f) && !fgetws(NULL, 1, f));
	fclose(f);
}

/* Tests the functions for the standard streams, which the test redirects to a file. */
static void test_standard_streams(void **state)
{
	FILE *f = fopen(name, "w+");
	int in = dup(0), out = dup(1), err = dup(2), rows[3];
	char text[8] = "", small[3] = "x";
	wint_t c;

	fflush(NULL);
	dup2(fileno(f), 1);
	dup2(fileno(f), 2);
	rows[0] = _putws(L"\u20ac");
	rows[1] = (int)putwchar(L'z');
	fflush(stdout);
	errno = ENOENT;
	_wperror(L"w");
	dup2(out, 1);
	dup2(err, 2);
	rewind(f);
	dup2(fileno(f), 0);
	c = getwchar();
	EXPECT(_putws, rows[0] == 0);
	EXPECT(compat_putwchar, rows[1] == 'z');
	EXPECT(compat_getwchar, c == L'\u20ac' && getwchar() == '\n');
	EXPECT(gets_s, !gets_s(small, sizeof(small)) && small[0] == 0 && errno == ERANGE);
	EXPECT(gets_s, !gets_s(text, 8) && !gets_s(NULL, 8));
	EXPECT(_wperror,
	       lseek(0, 5, SEEK_SET) == 5 && read(0, text, 2) == 2 && !strncmp(text, "w:", 2));
	EXPECT(_getch, lseek(0, 4, SEEK_SET) == 4 && _getch() == 'z');
	EXPECT(_kbhit, _kbhit());
	dup2(in, 0);
	clearerr(stdin);
	close(in);
	close(out);
	close(err);
	fclose(f);
}

static void test_descriptors(void **state)
{
	int d = open(name, O_RDWR | O_TRUNC), copy;
	char byte = 'b';

	EXPECT(_isatty, !_isatty(d));
	EXPECT(_setmode, _setmode(d, _O_U16TEXT) == _O_BINARY && _setmode(d, 5) == -1 &&
				 _setmode(-1, _O_TEXT) == -1);
	EXPECT(_write, _write(d, &byte, 1) == 1 && _write(-1, &byte, 1) == -1);
	EXPECT(_dup, (copy = _dup(d)) > d);
	EXPECT(_read, lseek(d, 0, SEEK_SET) == 0 && _read(copy, &byte, 5) == 1 && byte == 'b');
	EXPECT(_dup2, _dup2(d, copy) == 0 && _dup2(-1, copy) == -1);
	EXPECT(_close, _close(copy) == 0 && _close(copy) == -1 && _close(d) == 0);
	EXPECT(_access, _access(name, 0) == 0 && _access("/there/is/none", 0) == -1);
	EXPECT(_unlink, _unlink(name) == 0 && _unlink(name) == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_wide_characters),
		cmocka_unit_test(test_standard_streams),
		cmocka_unit_test(test_descriptors),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
