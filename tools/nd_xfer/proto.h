/* The messages that two nd_xfer processes exchange over one connection, in Sends. The protocol is
 * nd_xfer's own. All fields are little endian, because both ends are x86-64. Every message begins
 * with magic and version.
 *
 *   client                                   server
 *   HELLO {mode, via, chunk, slots, size}  ->
 *                                          <-  READY {status, addr, token}
 *   per chunk, at most `slots` without a CREDIT:
 *     send:  the bytes themselves          ->
 *     write: RDMA Write into slot, CHUNK   ->
 *     read:  CHUNK (server Reads the slot) ->
 *                                          <-  CREDIT
 *   DONE {sha256}                          ->
 *                                          <-  RESULT {status, sha256}
 *
 * Table mode (option --table): the server sends a PING of any length back unchanged. DONE ends
 * table mode. */
#ifndef ND_XFER_PROTO_H
#define ND_XFER_PROTO_H

#include <assert.h>
#include <stdint.h>

#define XFER_MAGIC   0x72666e78u /* "xnfr" in ASCII, little endian */
#define XFER_VERSION 1u
#define XFER_SHA     32

enum xfer_via { VIA_SEND, VIA_WRITE, VIA_READ };
enum xfer_mode { MODE_FILE, MODE_TABLE };
enum xfer_kind {
	XFER_HELLO = 1,
	XFER_READY,
	XFER_CHUNK,
	XFER_CREDIT,
	XFER_DONE,
	XFER_RESULT,
	XFER_PING
};

struct xfer_msg {
	uint32_t magic;
	uint8_t version, kind, via, mode;
	int32_t status;	 /* READY, RESULT: 0, or the errno of the server's failure */
	uint32_t slot;	 /* CHUNK, CREDIT: number of the slot */
	uint32_t length; /* CHUNK: bytes in the slot; HELLO: bytes of a chunk */
	uint32_t slots;	 /* HELLO: number of slots */
	uint64_t size;	 /* HELLO: bytes of the file */
	uint64_t addr;	 /* HELLO (read), READY (write): address of the first slot */
	uint32_t token;	 /* remote token of the memory at addr, unchanged from GetRemoteToken */
	uint32_t reserved;
	uint8_t sha256[XFER_SHA];
	uint8_t pad[48];
};
static_assert(sizeof(struct xfer_msg) == 128,
	      "one size for all messages, at most SESSION_MSG_BYTES");

#endif
