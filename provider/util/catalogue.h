/* The catalogue of NetworkDirect providers: a folder of small text files, one per provider.
 *
 *	# comment
 *	guid = {01234567-89ab-cdef-0123-456789abcdef}
 *	library = /usr/lib/libsomething.so
 *
 * Read in the order of the files' names; a GUID that came before is passed over, so are files whose
 * names begin with a dot. What else is not as above is passed over too, and said on stderr. Any thread.
 */
#ifndef UTIL_CATALOGUE_H
#define UTIL_CATALOGUE_H

#include "ndtypes.h"

#include <stdbool.h>
#include <stdint.h>

struct util_entry {
	GUID guid;
	char library[512];
};

/* $SOFTRNIC_ND_CATALOG, else the folder given when this was built. */
const char *util_catalogue_folder(void);

/* Up to n entries. A folder that does not exist has none. Returns their number, or -EMFILE, -ENFILE or -ENOMEM when it
 * cannot be read for want of these. */
int util_catalogue_read(const char *folder, struct util_entry *entries, unsigned n);
/* A number that changes when reading may have another result. 0, or as above. */
int util_catalogue_look(const char *folder, uint64_t *look);
/* Is this errno, positive or negative, a shortage: descriptors or memory? */
bool util_is_shortage(int error);

/* With or without braces, and nothing else. */
bool util_guid_parse(const char *text, GUID *guid);

#endif
