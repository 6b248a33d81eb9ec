/*
 * Overlapped files: where the completions of a set of objects go. Each adapter object with
 * requests is created on a file and keeps a reference, so the client may close the handle early.
 * Any thread; callers hold a reference.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include "os/port.h"

struct os_file;

/*
 * `owner` is the number of the adapter instance, which is never reused. ND_NO_MEMORY.
 * ND_INSUFFICIENT_RESOURCES: the delivery thread cannot be started.
 */
HRESULT os_file_create(uint64_t owner, HANDLE *handle);

/* A new reference, or NULL if the handle is not an open file (ND_INVALID_HANDLE). */
struct os_file *os_file_get(HANDLE);
void os_file_ref(struct os_file *);
void os_file_put(struct os_file *);

uint64_t os_file_owner(const struct os_file *);

/* A file is bound once, to a port or a callback; ND_INVALID_PARAMETER the second time. */
HRESULT os_file_bind_port(struct os_file *, struct os_port *, ULONG_PTR key);
HRESULT os_file_bind_callback(struct os_file *, NDS_COMPLETION_ROUTINE);

/* Copies the file's binding into the packet. It stays valid as long as the file, since a binding
 * never changes. */
void os_file_address(struct os_file *, struct os_packet *);

/* Takes the packet over and delivers it as bound; an unbound packet is freed. The caller holds the
 * packet's file. */
void os_file_deliver(struct os_packet *);

#endif
