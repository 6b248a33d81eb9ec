/* JSON output of the tools, in addition to their tables. A tool opens the file before its test and
 * writes the file afterwards. Any thread may call these functions. */
#ifndef TOOLS_JSONFILE_H
#define TOOLS_JSONFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Opens the file for writing and truncates it. On failure prints a message on stderr that begins
 * with `program`, and returns NULL. */
FILE *jsonfile_open(const char *program, const char *path);
/* Writes `value` and a line break and closes the file. Releases the reference to `value`. Returns
 * false if the file could not be written. */
bool jsonfile_finish(FILE *f, json_t *value);
/* Makes a JSON string of any text. Text that is not valid UTF-8 is taken as Latin-1. */
json_t *jsonfile_text(const char *text);
/* Makes a JSON number with as many decimals as the table prints. With 0 decimals the JSON number is
 * a whole number. A `value` that is not finite becomes null. */
json_t *jsonfile_number(double value, int decimals);

#endif
