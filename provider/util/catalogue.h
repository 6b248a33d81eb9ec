/* The catalogue of NetworkDirect providers: a folder of small text files, one per provider.
 *
 * # comment
 * guid = {01234567-89ab-cdef-0123-456789abcdef}
 * library = /usr/lib/libsomething.so
 *
 * Files are read in the order of their names. These files are skipped:
 * - silently: a file whose name begins with a dot
 * - silently: a file with the same GUID as an earlier file
 * - with a message on stderr: a file that does not have this format
 *
 * Any thread may call the functions. */
#ifndef UTIL_CATALOGUE_H
#define UTIL_CATALOGUE_H

#include "ndtypes.h"

#include <stdbool.h>
#include <stdint.h>

struct util_entry {
	GUID guid;
	char library[512];
};

/* Returns $SOFTRNIC_ND_CATALOG. If this variable is not set, returns the folder configured at build
 * time. */
const char *util_catalogue_folder(void);

/* Reads up to n entries of the catalogue and returns their number. Returns 0 if the folder does not
 * exist. Returns -EMFILE, -ENFILE or -ENOMEM if descriptors or memory ran out. */
int util_catalogue_read(const char *folder, struct util_entry *entries, unsigned n);
/* Computes a checksum of the files' names, sizes and times. The checksum changes whenever
 * util_catalogue_read() may give another result. Returns 0, or the errors of
 * util_catalogue_read(). */
int util_catalogue_mark(const char *folder, uint64_t *mark);
/* True if this errno means a shortage of descriptors or memory. The errno may be positive or
 * negative. */
bool util_is_shortage(int error);

/* Parses a GUID with or without braces. Returns false if the text is not a GUID. */
bool util_guid_parse(const char *text, GUID *guid);

#endif
