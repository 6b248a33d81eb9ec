/* The read-only table of rows of docs/spec/rocev2.md that can be tested from outside the NIC, with
 * a script for each row (play.h). Rows about connection management are tested by functions in
 * manage.c. */
#include "manage.h"
#include "play.h"
#include "base/types.h"

/* Announces 3000 bytes of this tool's memory to a server of rping's protocol. Expects the READ
 * request by which the server fetches these bytes. */
#define READS	    "> SEND_ONLY 0 n=16 adv=3000 A\n< ACK 0\nrequest 0 READ_REQUEST len=3000\n"
#define WRITE0(psn) "> WRITE_ONLY " psn " n=0 A\n"

/* clang-format off */
const struct row rows[] = {
	/* rows F of docs/spec/rocev2.md: frames */
	{.id = "F2", .side = 'b', .script = "> SEND_ONLY 0 n=16 A flip=payload\nsilent\nalive 0"},
	{.id = "F3", .side = 's', .lent = 64, .script = "> WRITE_ONLY 0 n=5 A flip=pad\nsilent\nalive 0"},
	{.id = "F4", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A ttl=3 tos=0x88\n< ACK 0\n> WRITE_ONLY 1 n=0 A fecn\n< ACK 1"},
	{.id = "F5", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A flip=id\nsilent\n> WRITE_ONLY 0 n=0 A flip=sport\nsilent\nalive 0"},
	{.id = "F6", .side = 's', .lent = 64, .script = "> WRITE_ONLY 0 n=5 A edit=pad\n< ACK 0\nalive 1"},
	{.id = "F7", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A flip=icrc\nsilent\nalive 0"},
	{.id = "F8", .side = 'b', .script = WRITE0("0") "< ACK 0"},
	{.id = "F9", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A sum\n< ACK 0"},
	{.id = "F11", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A port=0\n< ACK 0\n> WRITE_ONLY 1 n=0 A port=0x8CD1\n< ACK 1\n"
		"> WRITE_ONLY 2 n=0 A port=1024\n< ACK 2\n> WRITE_ONLY 3 n=0 A port=65535\n< ACK 3"},
	{.id = "F12", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A flip=dport\nsilent\nalive 0"},
	{.id = "F14", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A flip=fragment\nsilent\nalive 0"},
	{.id = "F18", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A edit=tver\nsilent\nalive 0"},
	{.id = "F19", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A qp=0xFABCDE\nsilent\n> WRITE_ONLY 0 n=0 A qp=0\nsilent\nalive 0"},
	{.id = "F20", .side = 'b', .script = "> 0x2A 0 n=0 A\nsilent\n> 0x64 0 n=16\nsilent\nalive 0"},
	{.id = "F22", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A pkey=0x7FFF\n< ACK 0"},
	{.id = "F23", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A pkey=0x1234\nsilent\nalive 0"},
	{.id = "F24", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A from=other\nsilent\nalive 0"},
	{.id = "F25", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A M=0\n< ACK 0\n> WRITE_ONLY 1 n=0 A M=1\n< ACK 1"},
	{.id = "F26", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A resv\n< ACK 0"},
	{.id = "F29", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A ttl=1\n< ACK 0\n> WRITE_ONLY 1 n=0 A ttl=255\n< ACK 1"},
	{.id = "F30", .side = 'b', .script = "> WRITE_ONLY 0 n=0 A to=other\nsilent\nalive 0"},
	{.id = "F10", .side = 'b', .run = manage_frames},

	/* rows R of docs/spec/rocev2.md: the responder, SEND and WRITE */
	{.id = "R1", .side = 'b', .script = "> SEND_ONLY 0 n=16 A\n< ACK 0 msn=1"},
	{.id = "R2", .side = 'b', .script = "> SEND_ONLY 0 n=16\n< ACK|none 0\nalive 1"},
	{.id = "R13", .side = 'b', .script = "short\ndead 0"},
	{.id = "R19", .side = 'b', .script = "> SEND_MIDDLE 0 n=1024\n< NAK_INV 0\ndead 0"},
	{.id = "R22", .side = 's', .lent = 2048, .script = "> WRITE_FIRST 0 n=1024 len=2048\n> SEND_LAST 1 n=16 A\n< NAK_INV 1\ndead 1"},
	{.id = "R23", .side = 's', .lent = 64, .script = "> WRITE_ONLY 0 n=8 fill=0x5A A\n< ACK 0 msn=1\n"
		"> READ_REQUEST 1 len=8 A\n< READ_RESP_ONLY 1 n=8 fill=0x5A"},
	{.id = "R24", .side = 's', .lent = 2058, .script = "> WRITE_FIRST 0 n=1024 len=2058 fill=1\n> WRITE_MIDDLE 1 n=1024 fill=2\n"
		"> WRITE_LAST 2 n=10 fill=3 A\nuntil ACK 2 msn=1\n> READ_REQUEST 3 len=2058 A\n< READ_RESP_FIRST 3 fill=1\n"
		"< READ_RESP_MIDDLE 4 fill=2\n< READ_RESP_LAST 5 n=10 fill=3"},
	{.id = "R25", .side = 's', .lent = 64, .script = "> WRITE_ONLY_IMM 0 n=8 imm=5 A\n< ACK 0 msn=1"},
	{.id = "R27", .side = 'b', .script = "> WRITE_ONLY 0 n=0 rkey=0xBAD va=99999999 A\n< ACK 0 msn=1"},
	{.id = "R28", .side = 'b', .script = "> WRITE_ONLY 0 n=8 rkey=0xBAD0BAD A\n< NAK_ACC 0\ndead 0"},
	{.id = "R31", .side = 's', .lent = 64, .script = "> WRITE_FIRST 0 n=1024 len=0x40000000\n< NAK_ACC 0\ndead 0"},
	{.id = "R32", .side = 's', .lent = 64, .script = "> WRITE_FIRST 0 n=1024 len=0x40000000 addr=0xFFFFFFFFF0000000\n< NAK_ACC 0\ndead 0"},
	{.id = "R34", .side = 's', .lent = 64, .script = "> WRITE_FIRST 0 n=1024 len=0x80000001\n< NAK_INV 0\ndead 0"},
	{.id = "R35", .side = 's', .lent = 1500, .script = "> WRITE_FIRST 0 n=1024 len=1500\n> WRITE_MIDDLE 1 n=1024\n< NAK_INV 1\ndead 1"},
	{.id = "R36", .side = 's', .lent = 64, .script = "> WRITE_ONLY 0 n=8 len=9 A\n< NAK_INV 0\ndead 0"},
	{.id = "R37", .side = 's', .lent = 4096, .script = "> WRITE_FIRST 0 n=1024 len=4096\n> WRITE_LAST 1 n=1024 A\n< NAK_INV 1\ndead 1"},
	{.id = "R39", .side = 'b', .script = "> 0x15 0 n=0 A\n< NAK_INV|none 0"},

	/* rows D of docs/spec/rocev2.md: the responder, order of packets */
	{.id = "D1", .side = 'b', .script = WRITE0("1") "< NAK_SEQ 0\nalive 0 kept=1"},
	{.id = "D2", .side = 'b', .script = WRITE0("1") "< NAK_SEQ 0\n> WRITE_ONLY 2 n=0 count=9 A\nsilent\nalive 0 kept=10"},
	{.id = "D3", .side = 'b', .script = WRITE0("1") "< NAK_SEQ 0\n" WRITE0("0") "< ACK 0 kept=1\n" WRITE0("3") "< NAK_SEQ 1 kept=2"},
	{.id = "D4", .side = 'b', .script = "> SEND_ONLY 0 n=16 A\n< ACK 0 msn=1\n> SEND_ONLY 0 n=16 A\n< ACK 0 msn=1"},
	{.id = "D5", .side = 'b', .script = "> SEND_ONLY 0 n=16 A\n< ACK 0\n> SEND_ONLY 0 n=16\n< ACK|none 0\nalive 1"},
	{.id = "D6", .side = 'b', .script = WRITE0("0") "< ACK 0\n> WRITE_ONLY 0 n=8 rkey=0xBAD0BAD A\n< ACK|none 0\nalive 1"},
	{.id = "D7", .side = 's', .lent = 2058, .script = "> WRITE_FIRST 0 n=1024 len=2058\n> WRITE_MIDDLE 1 n=1024\n"
		"> WRITE_LAST 2 n=10 A\nuntil ACK 2\n> WRITE_MIDDLE 1 n=1024 A\n< ACK 2"},
	{.id = "D8", .side = 'b', .script = WRITE0("0") "< ACK 0\n> WRITE_ONLY -8388606 n=0 A\n< ACK|none 0\n"
		WRITE0("8388608") "< NAK_SEQ 1\nalive 1"},
	{.id = "D9", .side = 'b', .script = WRITE0("0") "< ACK 0\n" WRITE0("2") "< NAK_SEQ 1\n" WRITE0("0") "< ACK 0\n"
		WRITE0("3") "silent\nalive 1 kept=3"},
	{.id = "D10", .side = 'b', .script = "> WRITE_ONLY 0 n=0 count=100\n" WRITE0("100") "until ACK 100 msn=101"},
	{.id = "D11", .side = 's', .lent = 64, .script = WRITE0("0") "> READ_REQUEST 1 len=64 A\n< ACK 0\n< READ_RESP_ONLY 1 n=64"},
	{.id = "D12", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n" WRITE0("3")
		"< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n< READ_RESP_LAST 2\n< ACK 3"},
	{.id = "D14", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n" WRITE0("4")
		"< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n< READ_RESP_LAST 2\n< NAK_SEQ 3"},
	{.id = "D15", .side = 'b', .script = "> WRITE_ONLY 0 n=8 rkey=0xBAD0BAD A\n< NAK_ACC 0\n" WRITE0("0") "silent"},
	{.id = "D16", .side = 'b', .script = "> SEND_ONLY 0 n=16 A\n< ACK 0 n=0 msn=1"},

	/* rows A of docs/spec/rocev2.md: the responder, READ and atomics */
	{.id = "A1", .side = 's', .lent = 100, .script = "> READ_REQUEST 0 len=100 A\n< READ_RESP_ONLY 0 n=100 msn=1\nalive 1"},
	{.id = "A2", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n< READ_RESP_FIRST 0 n=1024\n"
		"< READ_RESP_MIDDLE 1 n=1024\n< READ_RESP_LAST 2 n=952\nalive 3"},
	{.id = "A3", .side = 's', .lent = 2048, .script = "> READ_REQUEST 0 len=2048 A\n< READ_RESP_FIRST 0 n=1024\n< READ_RESP_LAST 1 n=1024"},
	{.id = "A4", .side = 'b', .script = "> READ_REQUEST 0 len=0 rkey=0xBAD A\n< READ_RESP_ONLY 0 n=0\nalive 1"},
	{.id = "A5", .side = 's', .lent = 64, .script = "> READ_REQUEST 0 len=3 A\n< READ_RESP_ONLY 0 n=3"},
	{.id = "A6", .side = 'b', .script = "> READ_REQUEST 0 len=8 rkey=0xBAD0BAD A\n< NAK_ACC 0\ndead 0"},
	{.id = "A10", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n"
		"< READ_RESP_LAST 2\n> SEND_ONLY 1 n=16 A\n< ACK|none 2 msn=1\nalive 3"},
	{.id = "A11", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n"
		"< READ_RESP_LAST 2\n> READ_REQUEST 0 len=3000 A\n< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n"
		"< READ_RESP_LAST 2 n=952\nalive 3"},
	{.id = "A12", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n"
		"< READ_RESP_LAST 2\n> READ_REQUEST 1 va=1024 len=1976 A\n< READ_RESP_FIRST|READ_RESP_MIDDLE 1 n=1024\n"
		"< READ_RESP_LAST 2 n=952\nalive 3"},
	{.id = "A13", .side = 's', .lent = 3000, .script = "> READ_REQUEST 0 len=3000 A\n< READ_RESP_FIRST 0\n< READ_RESP_MIDDLE 1\n"
		"< READ_RESP_LAST 2\n> READ_REQUEST 1 va=0 len=1976 A\nsilent\nalive 3"},
	{.id = "A14", .side = 's', .lent = 4096, .script = "> READ_REQUEST 0 len=2048 A\n< READ_RESP_FIRST 0\n< READ_RESP_LAST 1\n"
		"> READ_REQUEST 0 len=4096 A\nsilent\nalive 2"},
	{.id = "A15", .side = 's', .lent = 64, .script = "> READ_REQUEST 0 len=64 A\n< READ_RESP_ONLY 0\n"
		"> READ_REQUEST 0 len=64 rkey=0xBAD0BAD A\nsilent\nalive 1"},
	{.id = "A19", .side = 's', .lent = 64, .script = "atomics\n> WRITE_ONLY 1 n=8 fill=3 A\n< ACK 1\n"
		"> CMP_SWAP 2 cmp=0x0303030303030303 arg=0x0404040404040404 A\n< ATOMIC_ACK 2 orig=0x0303030303030303 msn=3\n"
		"> READ_REQUEST 3 len=8 A\n< READ_RESP_ONLY 3 fill=4"},
	{.id = "A20", .side = 's', .lent = 64, .script = "atomics\n> WRITE_ONLY 1 n=8 fill=3 A\n< ACK 1\n"
		"> CMP_SWAP 2 cmp=5 arg=6 A\n< ATOMIC_ACK 2 orig=0x0303030303030303\n> READ_REQUEST 3 len=8 A\n< READ_RESP_ONLY 3 fill=3"},
	{.id = "A21", .side = 's', .lent = 64, .script = "atomics\n> WRITE_ONLY 1 n=8 fill=0xFF A\n< ACK 1\n"
		"> FETCH_ADD 2 arg=1 A\n< ATOMIC_ACK 2 orig=0xFFFFFFFFFFFFFFFF\n> READ_REQUEST 3 len=8 A\n< READ_RESP_ONLY 3 fill=0"},
	{.id = "A22", .side = 's', .lent = 64, .script = "atomics\n> FETCH_ADD 1 va=4 arg=1 A\n< NAK_INV 1\ndead 1"},
	{.id = "A24", .side = 's', .lent = 64, .script = "atomics\n> WRITE_ONLY 1 n=8 fill=0 A\n< ACK 1\n> FETCH_ADD 2 arg=5 A\n"
		"< ATOMIC_ACK 2 orig=0\n> WRITE_ONLY 3 n=8 fill=9 A\n< ACK 3\n> FETCH_ADD 2 arg=5 A\n< ATOMIC_ACK 2 orig=0\n"
		"> READ_REQUEST 4 len=8 A\n< READ_RESP_ONLY 4 fill=9"},
	{.id = "A26", .side = 's', .lent = 64, .script = "atomics\n> READ_REQUEST 0 len=8 A\nsilent\nalive 1"},

	/* rows Q of docs/spec/rocev2.md: the requester; the peer is a client of rping's protocol
	 * and sends */
	{.id = "Q4", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0\nnorequest 3000"},
	{.id = "Q5", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 5\nrequest 0 same within=20000"},
	{.id = "Q11", .side = 's', .manual_answers = true, .script = "request 0\nrequest 0 within=20000\nrequest 0 within=20000"},
	{.id = "Q14", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x2C msn=0\nrequest 0 same after=640 within=20000"},
	{.id = "Q15", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x20 msn=0\nrequest 0 same after=655360 within=20000"},
	{.id = "Q16", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x20 msn=0\n> ACK 0 syn=0x60 msn=0\n"
		"request 0 same after=650000 within=20000"},
	{.id = "Q18", .side = 's', .manual_answers = true, .script = "for-ever\nrequest 0\n> ACK 0 syn=0x21 msn=0\nrequest 0\n> ACK 0 syn=0x21 msn=0\n"
		"request 0\n> ACK 0 syn=0x21 msn=0\nrequest 0\n> ACK 0 syn=0x21 msn=0\nrequest 0\n> ACK 0 syn=0x21 msn=0\nrequest 0\n"
		"> ACK 0 syn=0x21 msn=0\nrequest 0\n> ACK 0 syn=0x21 msn=0\nrequest 0\n> ACK 0 syn=0x21 msn=0\nrequest 0\n"
		"> ACK 0 syn=0x21 msn=0\nrequest 0\n> ACK 0\nnorequest 500"},
	{.id = "Q20", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x62 msn=0\nnorequest 3000\ndead 0"},
	{.id = "Q21", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x65 msn=0\nrequest 0 same within=20000"},
	{.id = "Q22", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x40 msn=0\nrequest 0 same within=20000"},
	{.id = "Q41", .side = 's', .manual_answers = true, .script = "request 0\n> ACK 0 syn=0x60 msn=0\nrequest 0 same within=20000"},
	/* rows Q of docs/spec/rocev2.md: the requester; the peer is a server of rping's protocol
	 * and READs */
	{.id = "Q2", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_FIRST 0 n=1024\n> READ_RESP_MIDDLE 1 n=1024\n"
		"> READ_RESP_LAST 2 n=952\nrequest 3 SEND_ONLY"},
	{.id = "Q23", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_FIRST 0 n=1024\n> READ_RESP_LAST 2 n=952\n"
		"request 1 READ_REQUEST va=1024 len=1976 part=1024 within=20000"},
	{.id = "Q24", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_FIRST 0 n=1024\n> READ_RESP_LAST 2 n=952\n"
		"request 1 READ_REQUEST within=20000\n> READ_RESP_MIDDLE 1 n=1024\n> READ_RESP_LAST 2 n=952\nrequest 3 SEND_ONLY"},
	{.id = "Q25", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_FIRST 0 n=1024\n> READ_RESP_LAST 2 n=952\n"
		"request 1 READ_REQUEST within=20000\n> READ_RESP_FIRST 1 n=1024\n> READ_RESP_LAST 2 n=952\nrequest 3 SEND_ONLY"},
	{.id = "Q27", .side = 'c', .manual_answers = true, .script = READS "> ACK 2\nrequest 0 READ_REQUEST len=3000 within=20000"},
	{.id = "Q28", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_FIRST 0 n=1024\n> READ_RESP_FIRST 0 n=1024\n"
		"> READ_RESP_MIDDLE 1 n=1024\n> READ_RESP_FIRST 0 n=1024\n> READ_RESP_LAST 2 n=952\nrequest 3 SEND_ONLY"},
	{.id = "Q29", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_ONLY 0 n=100\nnorequest 3000\ndead 1"},
	{.id = "Q30", .side = 'c', .manual_answers = true, .script = READS "> ATOMIC_ACK 0\nnorequest 3000\ndead 1"},
	{.id = "Q32", .side = 'c', .manual_answers = true, .script = READS "> READ_RESP_FIRST 0 n=1024\n> READ_RESP_MIDDLE 1 n=1024\n"
		"> ACK 0 syn=0x62\nnorequest 3000\ndead 1"},
	{.id = "Q45", .side = 'c', .manual_answers = true, .script = "set psn=0xFFFFFF\n" READS "> READ_RESP_FIRST 0 n=1024\n"
		"> READ_RESP_MIDDLE 1 n=1024\n> READ_RESP_LAST 2 n=952\nrequest 3 SEND_ONLY"},

	/* rows C of docs/spec/rocev2.md: connection management */
	{.id = "C1", .side = 'c', .run = manage_reply},
	{.id = "C2", .side = 'b', .run = manage_no_listener},
	{.id = "C3", .side = 's', .run = manage_request},
	{.id = "C5", .side = 'c', .run = manage_repeated_req},
	{.id = "C10", .side = 's', .run = manage_repeated_rep},
	{.id = "C11", .side = 'b', .run = manage_stray_reply},
	{.id = "C13", .side = 's', .run = manage_unanswered_req},
	{.id = "C15", .side = 'b', .run = manage_disconnect},
	{.id = "C16", .side = 'b', .run = manage_disconnect_wrong},
	{.id = "C17", .side = 'b', .run = manage_disconnect_unknown},
	{.id = "C18", .side = 'b', .run = manage_repeated_dreq},
	{.id = "C26", .side = 'c', .run = manage_wrong_address},
	{.id = "C28", .side = 'b', .run = manage_arp},
	{.id = "C33", .side = 'b', .run = manage_alternate_path},
	{.id = "C37", .side = 'c', .run = manage_repeated_rtu},
};
/* clang-format on */

const unsigned row_count = RN_ARRAY_SIZE(rows);
