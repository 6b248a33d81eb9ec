/* test_rows FILE...: runs the test scripts in the given files (rows.h describes their language).
 * The scripts test rows of docs/spec/rocev2.md. Each script runs three times: with ordinary PSNs,
 * with node 0's PSNs across the wrap, and with node 1's PSNs across the wrap. --print writes the
 * files again with the actual outcomes, to show the effect of a change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rowfile.h"
#include "rows.h"
#include "wire/verdict.h"

static uint32_t verdicts[RN_V_COUNT];

static void run_row(void **state)
{
	static const uint32_t firsts[] = {1000, 0xFFFFFE, 0xFFFFFF - 1000};
	const char *script = *state;
	for (unsigned i = 0; i < 3; i++) {
		char *text = rows_run(script, firsts[i], verdicts);
		assert_string_equal(text, script);
		free(text);
	}
}

static int print_rows(int files, char **paths)
{
	for (int i = 0; i < files; i++) {
		struct rowfile f = {0};
		printf("%s", rowfile_read(&f, paths[i]));
		for (unsigned k = 0; k < f.nrows; k++)
			printf("== %s\n%s", f.name[k], rows_run(f.script[k], 1000, verdicts));
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct rowfile f; /* static: tests[] points into the text that `f` holds */
	struct CMUnitTest tests[ROWFILE_MAX];
	if (argc > 2 && strcmp(argv[1], "--print") == 0)
		return print_rows(argc - 2, argv + 2);
	for (int i = 1; i < argc; i++)
		rowfile_read(&f, argv[i]);
	for (unsigned i = 0; i < f.nrows; i++)
		tests[i] = (struct CMUnitTest){f.name[i], run_row, NULL, NULL, f.script[i]};
	return _cmocka_run_group_tests("rows", tests, f.nrows, NULL, NULL);
}
