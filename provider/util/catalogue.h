/* The catalogue of NetworkDirect providers: a folder of small text files, one per provider.
 *
 *   # comment
 *   guid = {01234567-89ab-cdef-0123-456789abcdef}
 *   library = /usr/lib/libsomething.so
 *
 * Files are read in the order of their names. A file is skipped silently if its name begins with a
 * dot, or if an earlier file has the same GUID. A file that does not have this format is skipped
 * with a message on stderr. Any thread may call. */
#ifndef UTIL_CATALOGUE_H
#define UTIL_CATALOGUE_H

#include "ndtypes.h"

#include <stdbool.h>
#include <stdint.h>

struct util_entry {
	GUID guid;
	char library[512];
};

/* Returns $SOFTRNIC_ND_CATALOG, or, if that is not set, the folder configured at build time. */
const char *util_catalogue_folder(void);

/* Reads up to n entries of the catalogue and returns their number, 0 if the folder does not exist.
 * -EMFILE, -ENFILE or -ENOMEM: the folder or a file could not be read for lack of descriptors or
 * memory. */
int util_catalogue_read(const char *folder, struct util_entry *entries, unsigned n);
/* Computes a checksum of the files' names, sizes and times, which changes whenever
 * util_catalogue_read() may give another result. Returns 0, or the errors of
 * util_catalogue_read(). */
int util_catalogue_mark(const char *folder, uint64_t *mark);
/* True if this errno, positive or negative, means a shortage of descriptors or memory. */
bool util_is_shortage(int error);

/* Parses a GUID with or without braces. False: the text is anything else. */
bool util_guid_parse(const char *text, GUID *guid);

#endif
