/* One end of an ND2 connection: adapter, memory, completion queue, queue pair. The library of the ND tools.
 *
 * Used by one thread. Nothing here fails to its caller: what is wrong is said in one sentence on stderr, the connection is
 * taken down, and the program ends with status 1. So every status is looked at, and a tool reads as what it does. */
#ifndef TOOLS_ENDPOINT_H
#define TOOLS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ndspi.h"
#include "ndsupport.h"
#include "options.h"
#include "status.h"

#define ENDPOINT_SGES  64   /* most pieces a request is cut into */
#define TALK_BYTES     48   /* an order of talk.h on the wire */
#define ENDPOINT_EXTRA 2048 /* bytes behind the tool's own memory, where orders live */

/* ND2's methods are called through the object's table: CALL(qp, Flush). */
#define CALL(object, method, ...) ((object)->lpVtbl->method((object), ##__VA_ARGS__))

struct endpoint {
	const struct options *o;
	IND2Adapter *adapter;
	ND2_ADAPTER_INFO info;
	struct sockaddr_storage local; /* the adapter's address */
	HANDLE file;              /* where overlapped requests end */
	OVERLAPPED ov, notify;    /* one request at a time; the completion queue's */
	bool notify_pending;
	IND2MemoryRegion *mr;
	IND2MemoryWindow *window; /* what the peer may use of it, or NULL */
	uint8_t *mem;
	size_t mem_bytes;
	uint32_t local_token, remote_token;
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;
	ULONG pieces;             /* SGEs of a request */
	IND2Connector *connector;
	IND2Listener *listener;
	bool connected;
	uint16_t port;            /* customary one of the tool: tells tools apart */
	unsigned said, heard;     /* orders */
	uint64_t messages, bytes; /* server: of the client's, so far */
};

/* ---- failing ---- */

/* Ends the program with status 1 after this sentence (printf). Takes the open endpoint's connection down first. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends it unless the status is a success; `what` is the method's name or a phrase. ND_PENDING is a success. */
void must(const char *what, HRESULT hr);

/* ---- starting ---- */

/* Reads the command line, takes the tool's name for all sentences, and starts the framework. */
void endpoint_program(const struct tool *tool, struct options *o, int argc, char **argv);
/* Opens the adapter: for a server the one with the address, for a client the one from which it is reached. */
void endpoint_open(struct endpoint *e, const struct options *o);
/* Registers `bytes` of zeroed memory, of all rights that `flags` (ND_MR_FLAG_...) name: e->mem. */
void endpoint_memory(struct endpoint *e, size_t bytes, ULONG flags);
/* A completion queue for both and a queue pair of so many receives and requests, of o->pieces SGEs each, as far as the
 * adapter has them: the numbers that it has come back. A number of SGEs that it has not is a usage error. */
void endpoint_queues(struct endpoint *e, ULONG *receives, ULONG *requests);

/* Prints what the open endpoint's measurement runs on. */
void endpoint_surroundings(void);

/* ---- connecting; private data of at most 56 bytes travels both ways ---- */

/* Client. Sends `data`, waits for the server's answer, whose first `room` bytes are stored (zeroed behind its end), and
 * completes the connection. Post the receives before. */
void endpoint_connect(struct endpoint *e, const void *data, ULONG bytes, void *answer, ULONG room);
/* Server: prints "listening on ADDRESS", waits for a client, and stores its private data likewise. */
void endpoint_await(struct endpoint *e, void *data, ULONG room);
/* Server: lets the client in. Post the receives before. */
void endpoint_accept(struct endpoint *e, const void *data, ULONG bytes);
/* Disconnects. The client goes first, the server waits for it; prints counters if asked to, releases
 * all. What remains is NdCleanup. The program's exit status: 0, or that of an interrupted one. */
int endpoint_close(struct endpoint *e);

/* For loops that wait: ends the program, with a goodbye to the peer, if the user has asked for it. A client is given a moment
 * (stop_overdue) to finish what it is at, so that it can print its table: plan_next and sizes_next answer 0 meanwhile. */
void endpoint_interrupted(const struct endpoint *e);

/* ---- requests and completions ---- */

/* Cuts a range of e->mem into at most `pieces` parts of nearly equal length. Returns how many; 0 for no bytes. */
ULONG endpoint_cut(const struct endpoint *e, ND2_SGE sge[ENDPOINT_SGES], const uint8_t *at, uint32_t bytes, ULONG pieces);
/* Each posts one request over e->pieces SGEs; short Sends and Writes go inline. `flags`: ND_OP_FLAG_... */
void endpoint_receive(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes);
void endpoint_send(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes, ULONG flags);
void endpoint_write(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes, uint64_t addr, uint32_t token, ULONG flags);
void endpoint_read(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes, uint64_t addr, uint32_t token, ULONG flags);

/* Lends the first `bytes` of e->mem to the peer of this connection, through a memory window: the token for it. The
 * region needs no remote rights for that. flags: ND_OP_FLAG_ALLOW_READ, _WRITE. It takes effect in the order of the send queue,
 * so a token that is sent now is good when it arrives. */
uint32_t endpoint_lend(struct endpoint *e, size_t bytes, ULONG flags);

/* The next completion: waits as the options say, at most o->timeout_s. All that come back are successes: any other status
 * ends the program. */
void endpoint_next(struct endpoint *e, ND2_RESULT *r);
/* The same, without waiting. */
bool endpoint_poll(struct endpoint *e, ND2_RESULT *r);
/* Waits for an overlapped request on `object` that answered `started`. */
void endpoint_finish(struct endpoint *e, const char *what, void *object, HRESULT started);

#endif
