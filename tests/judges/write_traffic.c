/* Which frames does the transport send? Two simulated NICs exchange Sends, Writes and Reads over IPv4, IPv6 and VLAN at
 * every path MTU; some frames are dropped and some receives come late, so that NAKs, RNR NAKs, resends and partial
 * READ responses are among them. All that is sent is written to a capture, for the judges.
 * usage: write_traffic FILE.pcap */
#include <stdio.h>

#include "sim.h"
#include "types.h"

static const uint32_t lengths[] = {0, 1, 255, 4096, 20000};

struct tap {
	FILE *out;
	unsigned frames;
};

static void put_file_header(FILE *out)
{
	static const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snaplen, link;
	} head = {0xa1b2c3d4, 2, 4, 0, 0, 65535, 1};

	fwrite(&head, sizeof(head), 1, out);
}

/* Writes each frame down as it leaves; drops every 13th. */
static bool see_frame(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct tap *tap = arg;
	const uint32_t record[4] = {(uint32_t)(sim->now / RN_S(1)), (uint32_t)(sim->now % RN_S(1) / 1000),
				    pkt->frame_len, pkt->frame_len};

	fwrite(record, sizeof(record), 1, tap->out);
	fwrite(pkt->frame, 1, pkt->frame_len, tap->out);
	return ++tap->frames % 13 != 0;
}

static void post_all(struct sim *sim)
{
	for (uint64_t i = 0; i < RN_ARRAY_SIZE(lengths); i++) {
		const struct sim_op send = {.kind = RN_WQE_SEND, .flags = RN_WQE_SIGNALED, .wr_id = i, .length = lengths[i]};
		struct sim_op write = send, read = send;

		write.kind = RN_WQE_WRITE;
		write.remote = 2 << 20;
		read.kind = RN_WQE_READ;
		read.local = 3 << 20;
		read.remote = 4 << 20;
		sim_post(sim, 0, 0, &send);
		sim_post(sim, 0, 0, &write);
		sim_post(sim, 0, 0, &read);
	}
}

/* Receives are posted only now: the first Send has met RNR. */
static void post_receives(struct sim *sim)
{
	for (uint64_t i = 0; i < RN_ARRAY_SIZE(lengths); i++) {
		const struct sim_op recv = {.kind = RN_WQE_RECV, .wr_id = i, .local = 1 << 20, .length = 20000};

		sim_post(sim, 1, 0, &recv);
	}
}

/* One connection from first post to last completion; false when something did not end well. */
static bool converse(struct tap *tap, bool ipv6, bool vlan, uint8_t path_mtu)
{
	static struct sim sim;
	struct sim_spec spec;
	struct rn_cqe cqe;
	unsigned done = 0;

	sim_spec_default(&spec);
	spec.ipv6 = ipv6;
	spec.vlan = vlan;
	spec.path_mtu = path_mtu;
	sim_init(&sim, &spec);
	sim.filter = see_frame;
	sim.filter_arg = tap;
	sim_connect(&sim, 0);
	post_all(&sim);
	sim_run(&sim, sim.now + RN_MS(1));
	post_receives(&sim);
	sim_run(&sim, sim.now + RN_S(30));
	while (sim_poll(&sim, 0, &cqe) || sim_poll(&sim, 1, &cqe))
		done += cqe.status == RN_STATUS_SUCCESS;
	sim_destroy_qp(&sim, 0, 0);
	sim_destroy_qp(&sim, 1, 0);
	sim_fini(&sim);
	if (done == 4 * RN_ARRAY_SIZE(lengths))
		return true;
	fprintf(stderr, "ipv6=%d vlan=%d path mtu %u: %u completions\n", ipv6, vlan, path_mtu, done);
	return false;
}

int main(int argc, char **argv)
{
	struct tap tap = {.out = argc == 2 ? fopen(argv[1], "wb") : NULL};
	bool good = true;

	if (!tap.out) {
		fprintf(stderr, "usage: write_traffic FILE.pcap\n");
		return 2;
	}
	put_file_header(tap.out);
	for (unsigned way = 0; way < 3; way++) {
		for (uint8_t path_mtu = 1; path_mtu <= 5; path_mtu++)
			good &= converse(&tap, way == 1, way == 2, path_mtu);
	}
	good &= !ferror(tap.out);
	return fclose(tap.out) || !good;
}
