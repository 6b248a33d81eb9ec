/* Splits a file into its test scripts (rows); see rowfile.h. */
#include "rowfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const char *rowfile_read(struct rowfile *f, const char *path)
{
	char *text = whole_file(path), *at = strstr(text, "\n== ");
	while (at != NULL) {
		char *name = at + 4, *body = strchr(name, '\n');
		if (body == NULL || f->nrows == ROWFILE_MAX) {
			fprintf(stderr, "%s: an empty row, or too many\n", path);
			exit(2);
		}
		at[1] = '\0'; /* ends the previous test script after its last newline */
		*body++ = '\0';
		at = strstr(body, "\n== ");
		f->name[f->nrows] = name;
		f->script[f->nrows++] = body;
	}
	return text;
}
