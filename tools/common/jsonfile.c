/* Writes results to a JSON file. Keeps no state: the caller owns the FILE and the values. */
#include "jsonfile.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define DIGITS 15 /* significant digits: 0.1 is printed as 0.1, integers up to 2^49 are exact */

FILE *jsonfile_open(const char *program, const char *path)
{
	FILE *f = fopen(path, "w");
	if (f == NULL)
		fprintf(stderr, "%s: cannot write %s: %s\n", program, path, strerror(errno));
	return f;
}

bool jsonfile_finish(FILE *f, json_t *value)
{
	bool well = value &&
		    json_dumpf(value, f, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) == 0 &&
		    fputc('\n', f) != EOF;
	json_decref(value);
	return (fclose(f) == 0) & well;
}

json_t *jsonfile_number(double value, int decimals)
{
	double scale = pow(10, decimals);
	if (!isfinite(value))
		return json_null();
	return decimals ? json_real(round(value * scale) / scale)
			: json_integer((json_int_t)llround(value));
}

json_t *jsonfile_text(const char *text)
{
	char utf8[512];
	size_t n = 0;
	json_t *value = json_string(text);
	for (; value == NULL && *text && n + 3 < sizeof(utf8); text++) {
		unsigned char c = (unsigned char)*text;
		if (c >= 0x80)
			utf8[n++] = (char)(0xc0 | c >> 6);
		utf8[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	}
	return value ? value : json_stringn(utf8, n);
}
