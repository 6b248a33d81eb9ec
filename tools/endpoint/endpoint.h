/* The common code of the ND tools. An endpoint is one end of an ND2 connection, with its adapter,
 * memory, completion queue and queue pair. One thread uses an endpoint.
 *
 * These functions do not return errors. On a failure they print one message on stderr, disconnect,
 * and end the program with status 1. So the tools need no code for errors. */
#ifndef TOOLS_ENDPOINT_H
#define TOOLS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ndspi.h"
#include "ndsupport.h"
#include "options.h"
#include "common/status.h"

#define ENDPOINT_SGES 64 /* greatest number of SGEs per request */
#define TALK_BYTES    48 /* bytes of a control message ("order", talk.h) on the wire */
/* Bytes that endpoint_memory() adds behind the memory that the tool asks for. The added bytes hold
 * the buffers of control messages. */
#define ENDPOINT_EXTRA 2048

/* Calls a method of an ND2 object through its vtable: CALL(qp, Flush). */
#define CALL(object, method, ...) ((object)->lpVtbl->method((object), ##__VA_ARGS__))

struct endpoint {
	const struct options *o;
	IND2Adapter *adapter;
	ND2_ADAPTER_INFO info;
	struct sockaddr_storage local; /* the adapter's address */
	HANDLE file;		       /* the overlapped file of all ND2 objects of this endpoint */
	/* `ov` is used for one request at a time. `notify` is used for Notify of the completion
	 * queue. */
	OVERLAPPED ov, notify;
	bool notify_pending;
	IND2MemoryRegion *mr;
	IND2MemoryWindow *window; /* the memory window that the peer may access, or NULL */
	uint8_t *mem;
	size_t mem_bytes;
	uint32_t local_token, remote_token;
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;
	ULONG pieces; /* SGEs of each request */
	IND2Connector *connector;
	IND2Listener *listener;
	bool connected;
	/* the tool's default port, which identifies the tool to the peer */
	uint16_t port;
	/* said: number of control messages sent. heard: number of receives posted for control
	 * messages. */
	unsigned said, heard;
	uint64_t messages, bytes; /* server: number of messages so far, and their bytes */
	/* client: endpoint_interrupted() calls on_interrupt(interrupt_arg), if not NULL, before
	 * the end of the program, to print results */
	void (*on_interrupt)(void *arg);
	void *interrupt_arg;
};

/* ---- ending on a failure ---- */

/* Prints a message (printf format), disconnects the open endpoint and ends the program with status
 * 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Calls die() if the status `hr` is a failure; ND_PENDING is not a failure. `what` becomes part of
 * the message: the name of the method, or a phrase. */
void must(const char *what, HRESULT hr);

/* ---- starting a tool ---- */

/* Reads the command line, sets the program name for all messages, and calls NdStartup(). */
void endpoint_program(const struct tool *tool, struct options *o, int argc, char **argv);
/* Opens an adapter. A server opens the adapter with the given address. A client opens the adapter
 * from which the given address is reached. */
void endpoint_open(struct endpoint *e, const struct options *o);
/* Registers `bytes` of zeroed memory as e->mem, with the access of `flags` (ND_MR_FLAG_...). */
void endpoint_memory(struct endpoint *e, size_t bytes, ULONG flags);
/* Creates the completion queue and a queue pair for the given numbers of receives and requests.
 * Both numbers are reduced to the adapter's limits. Each request has o->pieces SGEs; more SGEs than
 * the adapter supports are a usage error. */
void endpoint_queues(struct endpoint *e, ULONG *receives, ULONG *requests);

/* Prints facts about the machine and the open endpoint's adapter (surroundings.h). */
void endpoint_surroundings(void);

/* ---- connecting (each side may send up to 56 bytes of private data) and closing ---- */

/* Client: connects, sends `data` as private data, and completes the connection. Stores the first
 * `room` bytes of the server's private data in `answer`, with zeroes behind shorter private data.
 * The caller must have posted its receives. */
void endpoint_connect(struct endpoint *e, const void *data, ULONG bytes, void *answer, ULONG room);
/* Server: prints "listening on ADDRESS" and waits for a client. Stores the first `room` bytes of
 * the client's private data in `data`, with zeroes behind shorter private data. */
void endpoint_await(struct endpoint *e, void *data, ULONG room);
/* Server: accepts the client and sends `data` as private data. The caller must have posted its
 * receives. */
void endpoint_accept(struct endpoint *e, const void *data, ULONG bytes);
/* Disconnects, prints the counters if the user asked for counters, and releases everything. The
 * client disconnects first; the server waits for the client. Returns the exit status of the
 * program: 128 + the signal's number after a signal, otherwise 0. The caller must still call
 * NdCleanup(). */
int endpoint_close(struct endpoint *e);

/* Must be called in every loop that waits. If the user has asked to stop, disconnects and ends the
 * program. A server prints its results and ends at once. A client ends after STOP_PATIENCE_MS, so
 * that it can finish its batch and print its table. Meanwhile plan_next() and sizes_next() return
 * 0. A client whose batch is not finished then calls e->on_interrupt and ends. */
void endpoint_interrupted(const struct endpoint *e);

/* ---- requests and completions ---- */

/* Divides the `bytes` bytes at address `at` in e->mem into at most `pieces` SGEs of nearly equal
 * length. Returns the number of SGEs; 0 if `bytes` is 0. */
ULONG endpoint_split(const struct endpoint *e, ND2_SGE sge[ENDPOINT_SGES], const uint8_t *at,
		     uint32_t bytes, ULONG pieces);
/* Each of these four functions posts one request with e->pieces SGEs. Short Sends and Writes are
 * posted inline. `flags` is a combination of ND_OP_FLAG_... */
void endpoint_receive(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes);
void endpoint_send(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes,
		   ULONG flags);
void endpoint_write(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes,
		    uint64_t addr, uint32_t token, ULONG flags);
void endpoint_read(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes, uint64_t addr,
		   uint32_t token, ULONG flags);

/* Gives the peer access to the first `bytes` of e->mem through a memory window. `flags`:
 * ND_OP_FLAG_ALLOW_READ, _WRITE. Returns the window's token. The memory region itself needs no
 * remote access rights. The Bind is executed before later requests, so a token sent afterwards is
 * valid when it arrives. */
uint32_t endpoint_bind_window(struct endpoint *e, size_t bytes, ULONG flags);

/* Waits for the next completion, up to o->timeout_s, by polling or sleeping as the options ask.
 * Returns only if the request succeeded. Any other status, or a timeout, ends the program. */
void endpoint_next(struct endpoint *e, ND2_RESULT *r);
/* Takes a completion without waiting. Returns false if there is no completion. A failed request
 * ends the program. */
bool endpoint_poll(struct endpoint *e, ND2_RESULT *r);
/* Waits for the overlapped request on `object` whose starting call returned `started`. A failure
 * ends the program with a message that contains `what`. */
void endpoint_finish(struct endpoint *e, const char *what, void *object, HRESULT started);

#endif
