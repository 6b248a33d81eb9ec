/* test_rows FILE...: the checklist rows of those files (rows.h says how to read them), each with ordinary PSNs and
 * across the wrap. --print writes the files anew with what really happened, for a look at what a change does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rows.h"
#include "verdict.h"

#define MAX_ROWS 256

static char *names[MAX_ROWS], *scripts[MAX_ROWS];
static unsigned nrows;
static uint32_t verdicts[RN_V_COUNT];

static char *whole_file(const char *path)
{
	static const size_t limit = 1 << 20;
	char *text = calloc(1, limit);
	FILE *f = fopen(path, "r");
	if (text == NULL || f == NULL || fread(text, 1, limit - 1, f) == 0) {
		perror(path);
		exit(2);
	}
	fclose(f);
	return text;
}

/* A file opens with a comment; rows begin with "== name" and are not empty. Returns the comment. */
static char *split(char *text)
{
	char *at = strstr(text, "\n== ");
	while (at != NULL) {
		char *name = at + 4, *body = strchr(name, '\n');
		if (body == NULL || nrows == MAX_ROWS)
			exit(2);
		at[1] = '\0'; /* what was before keeps its newline */
		*body++ = '\0';
		at = strstr(body, "\n== ");
		names[nrows] = name;
		scripts[nrows++] = body;
	}
	return text;
}

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

static int print_rows(unsigned files, char **paths)
{
	for (unsigned i = 0; i < files; i++) {
		nrows = 0;
		printf("%s", split(whole_file(paths[i])));
		for (unsigned k = 0; k < nrows; k++)
			printf("== %s\n%s", names[k], rows_run(scripts[k], 1000, verdicts));
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--print") == 0)
		return print_rows((unsigned)argc - 2, argv + 2);
	for (int i = 1; i < argc; i++)
		split(whole_file(argv[i]));
	struct CMUnitTest tests[MAX_ROWS];
	for (unsigned i = 0; i < nrows; i++)
		tests[i] = (struct CMUnitTest){names[i], run_row, NULL, NULL, scripts[i]};
	return _cmocka_run_group_tests("rows", tests, nrows, NULL, NULL);
}
