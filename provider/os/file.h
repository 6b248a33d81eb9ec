/*
 * Overlapped files: where the completions of a set of objects go. Each adapter object with
 * requests is created on a file and keeps a reference, so that the client may close the handle
 * early. Any thread; callers hold a reference.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include "port.h"

struct os_file;

/*
 * `owner` is a number that stands for the adapter instance and is never used again for another.
 * ND_NO_MEMORY, ND_INSUFFICIENT_RESOURCES (no thread to deliver completions).
 */
HRESULT os_file_create(uint64_t owner, HANDLE *handle);

/* A new reference, or NULL if the handle is not an open file (ND_INVALID_HANDLE). */
struct os_file *os_file_get(HANDLE);
void os_file_ref(struct os_file *);
void os_file_put(struct os_file *);

uint64_t os_file_owner(const struct os_file *);

/* Once per file, one or the other; ND_INVALID_PARAMETER the second time. */
HRESULT os_file_bind_port(struct os_file *, struct os_port *, ULONG_PTR key);
HRESULT os_file_bind_callback(struct os_file *, NDS_COMPLETION_ROUTINE);

/* Writes on the packet where the file is bound now. Good for as long as the file, as a binding stays. */
void os_file_address(struct os_file *, struct os_packet *);

/* Takes the packet over and sends it there; unbound: drops it. The caller holds its file. */
void os_file_deliver(struct os_packet *);

#endif
