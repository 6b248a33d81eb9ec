/* One end of an ND2 connection: adapter, memory, completion queue, queue pair. The library of the
 * ND tools.
 *
 * Used by one thread. These functions do not return errors: on a failure they print one message on
 * stderr, disconnect, and end the program with status 1. So every status is checked, and a tool's
 * code shows only its steps. */
#ifndef TOOLS_ENDPOINT_H
#define TOOLS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ndspi.h"
#include "ndsupport.h"
#include "options.h"
#include "common/status.h"

#define ENDPOINT_SGES  64   /* greatest number of SGEs of a request */
#define TALK_BYTES     48   /* bytes of a talk.h order on the wire */
#define ENDPOINT_EXTRA 2048 /* bytes after the tool's own memory, for orders */

/* Calls a method of an ND2 object through its vtable: CALL(qp, Flush). */
#define CALL(object, method, ...) ((object)->lpVtbl->method((object), ##__VA_ARGS__))

struct endpoint {
	const struct options *o;
	IND2Adapter *adapter;
	ND2_ADAPTER_INFO info;
	struct sockaddr_storage local; /* the adapter's address */
	HANDLE file;		       /* the file that requests complete to */
	OVERLAPPED ov, notify; /* for one request at a time; for the completion queue's Notify */
	bool notify_pending;
	IND2MemoryRegion *mr;
	IND2MemoryWindow *window; /* the window that the peer may access, or NULL */
	uint8_t *mem;
	size_t mem_bytes;
	uint32_t local_token, remote_token;
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;
	ULONG pieces; /* SGEs of a request */
	IND2Connector *connector;
	IND2Listener *listener;
	bool connected;
	/* the tool's default port, which identifies the tool to the peer */
	uint16_t port;
	unsigned said, heard;	  /* orders sent and received */
	uint64_t messages, bytes; /* server: what the client has moved so far */
};

/* ---- failing ---- */

/* Prints this message (printf), disconnects the open endpoint and ends the program with status
 * 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Calls die() unless the status is a success; ND_PENDING is one. `what` is the method's name or a
 * phrase. */
void must(const char *what, HRESULT hr);

/* ---- starting ---- */

/* Reads the command line, sets the program name for all messages, and starts the framework. */
void endpoint_program(const struct tool *tool, struct options *o, int argc, char **argv);
/* Opens the adapter: for a server the one with the given address, for a client the one from which
 * that address is reached. */
void endpoint_open(struct endpoint *e, const struct options *o);
/* Registers `bytes` of zeroed memory as e->mem, with the access of `flags` (ND_MR_FLAG_...). */
void endpoint_memory(struct endpoint *e, size_t bytes, ULONG flags);
/* Creates the completion queue and a queue pair of so many receives and requests, of o->pieces
 * SGEs each; both numbers are reduced to the adapter's limits. More SGEs than the adapter has are
 * a usage error. */
void endpoint_queues(struct endpoint *e, ULONG *receives, ULONG *requests);

/* Prints what the open endpoint's measurement runs on. */
void endpoint_surroundings(void);

/* ---- connecting; private data of at most 56 bytes travels both ways ---- */

/* Client: sends `data`, waits for the server's answer, stores its first `room` bytes (the rest
 * zeroed), and completes the connection. Post the receives before. */
void endpoint_connect(struct endpoint *e, const void *data, ULONG bytes, void *answer, ULONG room);
/* Server: prints "listening on ADDRESS", waits for a client, and stores its private data in the
 * same way. */
void endpoint_await(struct endpoint *e, void *data, ULONG room);
/* Server: accepts the client. Post the receives before. */
void endpoint_accept(struct endpoint *e, const void *data, ULONG bytes);
/* Disconnects: the client first, the server waits for it. Prints counters if asked to and releases
 * everything; only NdCleanup is left to do. Returns the program's exit status: 0, or that of an
 * interrupted program. */
int endpoint_close(struct endpoint *e);

/* For loops that wait: ends the program, with an orderly disconnect, if the user has asked to
 * stop. A client gets a moment (stop_overdue) to finish its batch and print its table: plan_next
 * and sizes_next return 0 meanwhile. */
void endpoint_interrupted(const struct endpoint *e);

/* ---- requests and completions ---- */

/* Divides a range of e->mem into at most `pieces` parts of nearly equal length. Returns their
 * number; 0 for no bytes. */
ULONG endpoint_cut(const struct endpoint *e, ND2_SGE sge[ENDPOINT_SGES], const uint8_t *at,
		   uint32_t bytes, ULONG pieces);
/* Each call posts one request with e->pieces SGEs; short Sends and Writes are posted inline.
 * `flags`: ND_OP_FLAG_... */
void endpoint_receive(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes);
void endpoint_send(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes,
		   ULONG flags);
void endpoint_write(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes,
		    uint64_t addr, uint32_t token, ULONG flags);
void endpoint_read(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes, uint64_t addr,
		   uint32_t token, ULONG flags);

/* Binds a memory window to the first `bytes` of e->mem for the peer of this connection and returns
 * its token. The region needs no remote access rights. flags: ND_OP_FLAG_ALLOW_READ, _WRITE. The
 * Bind takes effect in send queue order, so a token sent after it is valid when it arrives. */
uint32_t endpoint_lend(struct endpoint *e, size_t bytes, ULONG flags);

/* Waits for the next completion, as the options say, o->timeout_s at most. It returns successes
 * only: any other status ends the program. */
void endpoint_next(struct endpoint *e, ND2_RESULT *r);
/* The same without waiting; false: there is no completion. */
bool endpoint_poll(struct endpoint *e, ND2_RESULT *r);
/* Waits for the overlapped request on `object` whose call returned `started`. */
void endpoint_finish(struct endpoint *e, const char *what, void *object, HRESULT started);

#endif
