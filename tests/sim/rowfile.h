/* Reads files with test scripts for the rows (numbered rules) of docs/spec/rocev2.md. A file has an
 * opening comment, then the scripts. Each script begins with "== name". */
#ifndef SIM_ROWFILE_H
#define SIM_ROWFILE_H

#define ROWFILE_MAX 1024

struct rowfile {
	unsigned nrows;
	char *name[ROWFILE_MAX];
	char *script[ROWFILE_MAX];
};

/* Adds the scripts of a file to *f and returns the file's opening comment. Exits the process if the
 * file is malformed. The text stays in memory until the process ends. */
const char *rowfile_read(struct rowfile *f, const char *path);

#endif
