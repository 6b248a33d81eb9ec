/* Starts and ends softrnic's provider again and again in one process. In each life the adapter at
 * LOCAL is opened, connects to a server of rping at PEER ("nd_rping -s -P"), plays one round of
 * rping's protocol, and compares the data.
 *
 *	restart LOCAL PEER LIVES */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "common/session.h"
#include "common/stop.h"

#define RPING_PORT 7174
#define WAIT_MS	   20000
#define BYTES	   5001 /* several packets, the last one of odd length */

/* rping's message: where the server reads the data from, then where it writes them to. */
struct place {
	uint64_t address;
	uint32_t token, size;
};

/* Tells the server a slot, and waits until the server has answered. */
static int offer(struct session *s, uint32_t slot)
{
	struct place place = {htobe64((uint64_t)(uintptr_t)session_slot(s, slot)), s->remote_token,
			      htobe32(BYTES)};
	struct done done;
	int got;

	if (session_send_msg(s, &place, sizeof(place)))
		return -1;
	do {
		got = session_next(s, &done, WAIT_MS);
	} while (got == 1 && done.kind != DONE_RECV);
	return got == 1 ? session_repost(s, done.index) : -1;
}

static int play_round(struct session *s, unsigned life)
{
	uint8_t *source = session_slot(s, 0), *sink = session_slot(s, 1);

	for (unsigned i = 0; i < BYTES; i++)
		source[i] = (uint8_t)(i * 7 + life);
	source[BYTES - 1] = 0; /* the server takes the data for text, and ends them like this */
	memset(sink, 0, BYTES);
	if (offer(s, 0) || offer(s, 1))
		return -1;
	if (memcmp(source, sink, BYTES) == 0)
		return 0;
	fprintf(stderr, "restart: other data came back\n");
	return -1;
}

static int live(const struct sockaddr_storage *local, const struct sockaddr_storage *peer,
		unsigned life)
{
	struct session s;
	HRESULT hr = NdStartup();
	int err;

	if (FAILED(hr)) {
		fprintf(stderr, "restart: the provider does not start: %s\n", nd_text(hr));
		return -1;
	}
	err = session_open(&s, (const struct sockaddr *)local, sizeof(*local));
	if (err == 0) {
		err = session_prepare(&s, BYTES, 2);
		if (err == 0)
			err = session_connect(&s, local, peer);
		if (err == 0) {
			err = play_round(&s, life);
			session_disconnect(&s, err == 0);
		}
		session_close(&s);
	}
	NdCleanup();
	return err;
}

int main(int argc, char **argv)
{
	struct sockaddr_storage local, peer;
	unsigned lives;

	session_program = "restart";
	if (argc != 4 || session_parse_address(argv[1], 0, &local) ||
	    session_parse_address(argv[2], RPING_PORT, &peer)) {
		fprintf(stderr, "usage: restart LOCAL PEER LIVES\n");
		return 1;
	}
	lives = session_number(argv[3], 1, 1000);
	stop_catch();
	for (unsigned life = 0; life < lives && !stop_came(); life++) {
		if (live(&local, &peer, life)) {
			fprintf(stderr, "restart: life %u failed\n", life);
			return stop_status(1);
		}
		printf("restart: life %u\n", life);
		fflush(stdout);
	}
	printf("restart: %u lives\n", lives);
	return stop_status(0);
}
