/* Parses every frame of the listed capture files and rebuilds it byte for byte. The files are in
 * tests/vectors. rocev2-vectors.pcap was constructed; all other files were captured from Linux
 * soft-RoCE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/frame.h"
#include "pcap.h"
#include "base/types.h"

/* clang-format off */
static const struct {
	const char *name;
	unsigned frames;
} capture[] = {
	{"cm-rej-no-listener.pcap",                    2},
	{"cm-rping-ipv4.pcap",                        29},
	{"cm-rping-ipv6.pcap",                        29},
	{"cm-sidr-udaddy-ipv4.pcap",                   6},
	{"cm-ucmatose-ipv4.pcap",                     13},
	{"rc-atomic-cmp-swap-ipv4.pcap",              10},
	{"rc-atomic-fetch-add-ipv4.pcap",             10},
	{"rc-atomic-lost-ack-requester.pcap",         11},
	{"rc-atomic-lost-ack-responder.pcap",         12},
	{"rc-pingpong-ipv6.pcap",                     18},
	{"rc-read-ipv4.pcap",                         20},
	{"rc-read-lost-last-request-requester.pcap",  21},
	{"rc-read-lost-last-request-responder.pcap",  20},
	{"rc-read-lost-request-requester.pcap",       24},
	{"rc-read-lost-request-responder.pcap",       23},
	{"rc-read-lost-response-requester.pcap",      30},
	{"rc-read-lost-response-responder.pcap",      31},
	{"rc-rnr-nak.pcap",                          365},
	{"rc-send-ipv4.pcap",                         20},
	{"rc-send-lost-ack-requester.pcap",           24},
	{"rc-send-lost-ack-responder.pcap",           26},
	{"rc-send-lost-last-requester.pcap",          25},
	{"rc-send-lost-last-responder.pcap",          24},
	{"rc-send-lost-middle-requester.pcap",        29},
	{"rc-send-lost-middle-responder.pcap",        28},
	{"rc-srq-pingpong-ipv4.pcap",                 16},
	{"rc-write-ipv4.pcap",                        20},
	{"rc-write-imm-lost-requester.pcap",          42},
	{"rc-write-imm-lost-responder.pcap",          41},
	{"rc-write-ipv6.pcap",                        20},
	{"rc-write-lost-ack-requester.pcap",          25},
	{"rc-write-lost-ack-responder.pcap",          26},
	{"rc-write-lost-first-requester.pcap",        24},
	{"rc-write-lost-first-responder.pcap",        23},
	{"rocev2-vectors.pcap",                       16},
	{"uc-write-ipv4.pcap",                        15},
	{"ud-pingpong-ipv4.pcap",                      6},
};
/* clang-format on */

static void rebuild(const char *name, unsigned number, const uint8_t *frame, uint32_t len)
{
	static uint8_t out[PCAP_FRAME_BYTES];
	struct rn_pkt pkt;
	enum rn_verdict v = rn_frame_parse(frame, len, &pkt);

	if (v != RN_V_OK)
		fail_msg("%s frame %u: %s", name, number, rn_verdicts[v].text);
	assert_int_equal(pkt.kind, RN_PKT_IB);
	assert_true(pkt.op->known);
	assert_int_equal(rn_frame_build(&pkt, out, sizeof(out)), len);
	assert_memory_equal(out, frame, len);
}

static void test_captures(void **state)
{
	static struct pcap p;
	for (size_t i = 0; i < RN_ARRAY_SIZE(capture); i++) {
		unsigned frames = 0;
		if (!pcap_open(&p, RN_VECTORS, capture[i].name))
			fail_msg("cannot read %s", capture[i].name);
		while (pcap_next(&p))
			rebuild(capture[i].name, ++frames, p.frame, p.len);
		fclose(p.file);
		assert_int_equal(frames, capture[i].frames);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
