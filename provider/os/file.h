/*
 * Overlapped files. A file is bound to the completion port or callback that gets the completions of
 * the objects on this file.
 *
 * Each object with OVERLAPPED requests is created on a file and keeps a reference on the file. So
 * the client may close the file's handle while objects use the file. Any thread that holds a
 * reference may call.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include "os/port.h"

struct os_file;

/*
 * Creates a file of the adapter instance with the number `owner`. Adapter instance numbers are
 * never reused. Returns ND_NO_MEMORY if there is no memory or no handle. Returns
 * ND_INSUFFICIENT_RESOURCES if the delivery thread cannot be started.
 */
HRESULT os_file_create(uint64_t owner, HANDLE *handle);

/* Returns a new reference on the file. Returns NULL if the handle is not an open file; callers then
 * return ND_INVALID_HANDLE. */
struct os_file *os_file_get(HANDLE);
void os_file_ref(struct os_file *);
void os_file_put(struct os_file *);

uint64_t os_file_owner(const struct os_file *);

/* os_file_bind_port() binds the file to a completion port, os_file_bind_callback() to a callback.
 * ND_INVALID_PARAMETER means that the file is bound already. */
HRESULT os_file_bind_port(struct os_file *, struct os_port *, ULONG_PTR key);
HRESULT os_file_bind_callback(struct os_file *, NDS_COMPLETION_ROUTINE);

/* Copies the file's binding into the completion packet. A binding never changes, so the copy stays
 * valid as long as the file lives. */
void os_file_address(struct os_file *, struct os_packet *);

/* Takes ownership of the packet and queues it to the completion port or callback that
 * os_file_address() stored in the packet. Frees a packet that has neither. The caller holds a
 * reference on the packet's file. */
void os_file_deliver(struct os_packet *);

#endif
