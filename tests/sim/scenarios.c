/* The scripted runs of test_scenarios. SENDs and WRITEs take their data from offset 0 of the arena.
 * Receives are posted at offset 1 MiB. The link delay is 5 us and the path MTU is 1024 unless a run
 * changes them. A line of a transcript has the time, direction, packet, PSN (counted from the
 * first), MSN, payload bytes, and A for AckReq. */
#include "scenarios.h"

/* clang-format off */
#define SEND(id, n)        {RN_WQE_SEND, RN_WQE_SIGNALED, id, 0, 0, n, 0, 0}
#define SEND_SILENT(id, n) {RN_WQE_SEND, 0, id, 0, 0, n, 0, 0}
#define SEND_SE(id, n)     {RN_WQE_SEND, RN_WQE_SIGNALED | RN_WQE_SOLICITED, id, 0, 0, n, 0, 0}
#define SEND_FENCED(id, n) {RN_WQE_SEND, RN_WQE_SIGNALED | RN_WQE_FENCE, id, 0, 0, n, 0, 0}
#define WRITE(id, n)       {RN_WQE_WRITE, RN_WQE_SIGNALED, id, 0, 2 << 20, n, 0, 0}
#define WRITE_BAD(id, n)   {RN_WQE_WRITE, RN_WQE_SIGNALED, id, 0, 2 << 20, n, 0xDEADBEEF, 0}
#define READ(id, n)        {RN_WQE_READ, RN_WQE_SIGNALED, id, 3 << 20, 4 << 20, n, 0, 0}
#define RECV(id, n)        {RN_WQE_RECV, 0, id, 1 << 20, 0, n, 0, 0}
/* clang-format on */

static void rnr_once(struct sim_spec *s)
{
	s->rnr_retry = 1;
	s->min_rnr_timer = 12;
}

static void drop(struct sim_spec *s)
{
	s->keep = 0;
}

static void rnr_for_ever(struct sim_spec *s)
{
	s->rnr_retry = 7;
	s->min_rnr_timer = 12;
}

static void one_read(struct sim_spec *s)
{
	s->rd_atomic = 1;
}

/* clang-format off */
const struct scenario scenarios[] = {
	{"send_one_packet", NULL, {{0, 1, RECV(1, 64)}, {0, 0, SEND(2, 5)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=5 A\n"
	 "5us b>a ACK psn=0 msn=1\n",
	 "a sent 2 status=0 bytes=5\n"
	 "b recv 1 status=0 bytes=5\n"},

	{"send_zero_length", NULL, {{0, 1, RECV(1, 0)}, {0, 0, SEND_SE(2, 0)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=0 A SE\n"
	 "5us b>a ACK psn=0 msn=1\n",
	 "a sent 2 status=0 bytes=0\n"
	 "b recv 1 status=0 bytes=0\n"},

	{"send_three_packets_q1", NULL, {{0, 1, RECV(1, 3000)}, {0, 0, SEND(2, 3000)}}, {{0}}, 0,
	 "0us a>b SEND_FIRST psn=0 n=1024\n"
	 "0us a>b SEND_MIDDLE psn=1 n=1024\n"
	 "0us a>b SEND_LAST psn=2 n=952 A\n"
	 "5us b>a ACK psn=2 msn=1\n",
	 "a sent 2 status=0 bytes=3000\n"
	 "b recv 1 status=0 bytes=3000\n"},

	{"write_three_packets_r24", NULL, {{0, 0, WRITE(2, 2049)}}, {{0}}, 0,
	 "0us a>b WRITE_FIRST psn=0 n=1024\n"
	 "0us a>b WRITE_MIDDLE psn=1 n=1024\n"
	 "0us a>b WRITE_LAST psn=2 n=1 A\n"
	 "5us b>a ACK psn=2 msn=1\n",
	 "a sent 2 status=0 bytes=2049\n"},

	{"read_3000_a2", NULL, {{0, 0, READ(2, 3000)}}, {{0}}, 0,
	 "0us a>b READ_REQUEST psn=0 len=3000 A\n"
	 "5us b>a READ_RESP_FIRST psn=0 msn=1 n=1024\n"
	 "5us b>a READ_RESP_MIDDLE psn=1 n=1024\n"
	 "5us b>a READ_RESP_LAST psn=2 msn=1 n=952\n",
	 "a sent 2 status=0 bytes=3000\n"},

	{"acks_are_coalesced_d10", NULL,
	 {{0, 1, RECV(1, 8)}, {0, 1, RECV(2, 8)}, {0, 1, RECV(3, 8)}, {0, 0, SEND_SILENT(4, 8)}, {0, 0, SEND_SILENT(5, 8)},
	  {0, 0, SEND(6, 8)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=8 A\n"
	 "0us a>b SEND_ONLY psn=1 n=8 A\n"
	 "0us a>b SEND_ONLY psn=2 n=8 A\n"
	 "5us b>a ACK psn=2 msn=3\n",
	 "a sent 6 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"
	 "b recv 2 status=0 bytes=8\n"
	 "b recv 3 status=0 bytes=8\n"},

	{"ack_before_read_response_d11", NULL, {{0, 1, RECV(1, 8)}, {0, 0, SEND(2, 8)}, {0, 0, READ(3, 8)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=8 A\n"
	 "0us a>b READ_REQUEST psn=1 len=8 A\n"
	 "5us b>a ACK psn=0 msn=1\n"
	 "5us b>a READ_RESP_ONLY psn=1 msn=2 n=8\n",
	 "a sent 2 status=0 bytes=8\n"
	 "a sent 3 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},

	{"ack_after_read_responses_d12", NULL, {{0, 1, RECV(1, 8)}, {0, 0, READ(2, 2048)}, {0, 0, SEND(3, 8)}}, {{0}}, 0,
	 "0us a>b READ_REQUEST psn=0 len=2048 A\n"
	 "0us a>b SEND_ONLY psn=2 n=8 A\n"
	 "5us b>a READ_RESP_FIRST psn=0 msn=1 n=1024\n"
	 "5us b>a READ_RESP_LAST psn=1 msn=1 n=1024\n"
	 "5us b>a ACK psn=2 msn=2\n",
	 "a sent 2 status=0 bytes=2048\n"
	 "a sent 3 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},

	{"middle_lost_one_nak_d1_q8", drop, {{0, 1, RECV(1, 5000)}, {0, 0, SEND(2, 5000)}}, {{0, 2}}, 0,
	 "0us a>b SEND_FIRST psn=0 n=1024\n"
	 "0us a>b SEND_MIDDLE psn=1 n=1024 LOST\n"
	 "0us a>b SEND_MIDDLE psn=2 n=1024\n"
	 "0us a>b SEND_MIDDLE psn=3 n=1024\n"
	 "0us a>b SEND_LAST psn=4 n=904 A\n"
	 "5us b>a NAK_SEQ psn=1 msn=0\n"
	 "10us a>b SEND_MIDDLE psn=1 n=1024\n"
	 "10us a>b SEND_MIDDLE psn=2 n=1024\n"
	 "10us a>b SEND_MIDDLE psn=3 n=1024\n"
	 "10us a>b SEND_LAST psn=4 n=904 A\n"
	 "15us b>a ACK psn=4 msn=1\n",
	 "a sent 2 status=0 bytes=5000\n"
	 "b recv 1 status=0 bytes=5000\n"},

	{"middle_lost_one_patch_d3_q8", NULL, {{0, 1, RECV(1, 5000)}, {0, 0, SEND(2, 5000)}}, {{0, 2}}, 0,
	 "0us a>b SEND_FIRST psn=0 n=1024\n"
	 "0us a>b SEND_MIDDLE psn=1 n=1024 LOST\n"
	 "0us a>b SEND_MIDDLE psn=2 n=1024\n"
	 "0us a>b SEND_MIDDLE psn=3 n=1024\n"
	 "0us a>b SEND_LAST psn=4 n=904 A\n"
	 "5us b>a NAK_SEQ psn=1 msn=0\n"
	 "10us a>b SEND_MIDDLE psn=1 n=1024 A\n"
	 "15us b>a ACK psn=4 msn=1\n",
	 "a sent 2 status=0 bytes=5000\n"
	 "b recv 1 status=0 bytes=5000\n"},

	{"fence_q34", NULL, {{0, 1, RECV(1, 8)}, {0, 0, READ(2, 8)}, {0, 0, SEND_FENCED(3, 8)}}, {{0}}, 0,
	 "0us a>b READ_REQUEST psn=0 len=8 A\n"
	 "5us b>a READ_RESP_ONLY psn=0 msn=1 n=8\n"
	 "10us a>b SEND_ONLY psn=1 n=8 A\n"
	 "15us b>a ACK psn=1 msn=2\n",
	 "a sent 2 status=0 bytes=8\n"
	 "a sent 3 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},

	{"read_limit_q35_q36", one_read,
	 {{0, 1, RECV(1, 8)}, {0, 0, READ(2, 8)}, {0, 0, SEND(3, 8)}, {0, 0, READ(4, 8)}}, {{0}}, 0,
	 "0us a>b READ_REQUEST psn=0 len=8 A\n"
	 "0us a>b SEND_ONLY psn=1 n=8 A\n"
	 "5us b>a READ_RESP_ONLY psn=0 msn=1 n=8\n"
	 "5us b>a ACK psn=1 msn=2\n"
	 "10us a>b READ_REQUEST psn=2 len=8 A\n"
	 "15us b>a READ_RESP_ONLY psn=2 msn=3 n=8\n",
	 "a sent 2 status=0 bytes=8\n"
	 "a sent 3 status=0 bytes=8\n"
	 "a sent 4 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},

	{"read_middle_lost_q23", NULL, {{0, 0, READ(2, 3000)}}, {{1, 2}}, 0,
	 "0us a>b READ_REQUEST psn=0 len=3000 A\n"
	 "5us b>a READ_RESP_FIRST psn=0 msn=1 n=1024\n"
	 "5us b>a READ_RESP_MIDDLE psn=1 n=1024 LOST\n"
	 "5us b>a READ_RESP_LAST psn=2 msn=1 n=952\n"
	 "10us a>b READ_REQUEST psn=1 len=1024 A\n"
	 "15us b>a READ_RESP_ONLY psn=1 msn=1 n=1024\n",
	 "a sent 2 status=0 bytes=3000\n"},

	{"read_response_lost_then_ack_q26", NULL, {{0, 1, RECV(1, 8)}, {0, 0, READ(2, 8)}, {0, 0, SEND(3, 8)}}, {{1, 1}}, 0,
	 "0us a>b READ_REQUEST psn=0 len=8 A\n"
	 "0us a>b SEND_ONLY psn=1 n=8 A\n"
	 "5us b>a READ_RESP_ONLY psn=0 msn=1 n=8 LOST\n"
	 "5us b>a ACK psn=1 msn=2\n"
	 "10us a>b READ_REQUEST psn=0 len=8 A\n"
	 "15us b>a READ_RESP_ONLY psn=0 msn=2 n=8\n",
	 "a sent 2 status=0 bytes=8\n"
	 "a sent 3 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},

	{"rnr_then_receive_q14_r9_r11", rnr_for_ever,
	 {{0, 0, SEND(2, 8)}, {RN_US(300), 1, RECV(1, 8)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=8 A\n"
	 "5us b>a RNR12 psn=0 msn=0\n"
	 "650us a>b SEND_ONLY psn=0 n=8 A\n"
	 "655us b>a ACK psn=0 msn=1\n",
	 "a sent 2 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},

	{"rnr_exhausted_q17", rnr_once, {{0, 0, SEND(2, 8)}, {0, 0, SEND_SILENT(3, 8)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=8 A\n"
	 "0us a>b SEND_ONLY psn=1 n=8 A\n"
	 "5us b>a RNR12 psn=0 msn=0\n"
	 "650us a>b SEND_ONLY psn=0 n=8 A\n"
	 "650us a>b SEND_ONLY psn=1 n=8 A\n"
	 "655us b>a RNR12 psn=0 msn=0\n",
	 "a sent 2 status=13 bytes=0\n"
	 "a sent 3 status=5 bytes=0\n"},

	{"bad_rkey_r28_q20", NULL, {{0, 1, RECV(1, 8)}, {0, 0, WRITE_BAD(2, 8)}, {0, 0, SEND_SILENT(3, 8)}}, {{0}}, 0,
	 "0us a>b WRITE_ONLY psn=0 n=8 A\n"
	 "0us a>b SEND_ONLY psn=1 n=8 A\n"
	 "5us b>a NAK_ACC psn=0 msn=0\n",
	 "a sent 2 status=10 bytes=0\n"
	 "a sent 3 status=5 bytes=0\n"
	 "b recv 1 status=5 bytes=0\n"},

	{"send_too_long_r13", NULL, {{0, 1, RECV(1, 8)}, {0, 0, SEND(2, 9)}}, {{0}}, 0,
	 "0us a>b SEND_ONLY psn=0 n=9 A\n"
	 "5us b>a NAK_INV psn=0 msn=0\n",
	 "a sent 2 status=9 bytes=0\n"
	 "b recv 1 status=1 bytes=0\n"},

	{"duplicate_send_d4", NULL, {{0, 1, RECV(1, 8)}, {0, 1, RECV(2, 8)}, {0, 0, SEND(3, 8)}}, {{1, 1}}, RN_MS(30),
	 NULL,
	 "a sent 3 status=0 bytes=8\n"
	 "b recv 1 status=0 bytes=8\n"},
};
/* clang-format on */

const unsigned scenario_count = RN_ARRAY_SIZE(scenarios);
