/* The messages between softrnicd, which owns a port, and the processes that share the port, its
 * clients. Each message is one packet of a SOCK_SEQPACKET Unix socket, in the byte order of the
 * machine. The client sends a request and waits for its reply; the daemon never sends first.
 *
 * A client attaches (ATTACH), passes the socket of its virtio_user port (PORT), and registers the
 * services to which it listens and the multicast groups of which it is a member. When its socket is
 * closed the daemon counts the client as dead. After a restart of the daemon the client attaches
 * with its former number, and announces its connections (CLAIM).
 *
 * Permissions of the socket decide who may connect. Nothing in a message is trusted: the daemon
 * checks lengths, numbers and addresses. */
#ifndef RN_DAEMON_H
#define RN_DAEMON_H

#include <stddef.h>

#include "rn/abi.h"

/* Changes with every change of a message. A daemon refuses other versions with -EPROTO. */
#define RN_DAEMON_VERSION 1u
/* A process without a configuration uses the daemon that answers here. */
#define RN_DAEMON_SOCKET "/run/softrnic/softrnicd.sock"
#define RN_DAEMON_GIDS	 16
/* maximum number of connections in one CLAIM, and of bytes in the text of one SHOW */
#define RN_DAEMON_CLAIMS 64
#define RN_DAEMON_TEXT	 32768

enum rn_daemon_op {
	/* The attributes of the port, without attaching. Reply: `port`. */
	RN_DAEMON_INFO = 1,
	/* Becomes a client. `attach.number` is 0, or with `attach.token` the number that the client
	 * had before the daemon restarted. Reply: `port`, with number and token. -EAGAIN: no number
	 * is free, or the daemon has just started and waits for its former clients first. -EPERM:
	 * wrong token. -EBUSY: the number is in use, or it is too late to come back. -EALREADY:
	 * this socket is attached already. */
	RN_DAEMON_ATTACH,
	/* Passes one descriptor (SCM_RIGHTS, opened with O_PATH): the Unix socket on which the
	 * client's virtio_user port listens. It must belong to the user of the client. -EINVAL,
	 * -EPERM, -ENOTCONN: not attached. -EALREADY: the client has a port. */
	RN_DAEMON_PORT,
	/* rn_switch_listen(), rn_switch_unlisten() */
	RN_DAEMON_LISTEN,
	RN_DAEMON_UNLISTEN,
	/* rn_switch_join(), rn_switch_leave() */
	RN_DAEMON_JOIN,
	RN_DAEMON_LEAVE,
	/* rn_switch_claim() for each of `claims.n` connections, which are independent of each
	 * other. Reply: `claimed`; err is the error of the first that was refused. */
	RN_DAEMON_CLAIM,
	/* Takes a burst of the frames that the client has sent, which may still be of this queue
	 * pair, and then calls rn_switch_unclaim(). */
	RN_DAEMON_UNCLAIM,
	/* A report for people or programs, without attaching. Reply: `text`, JSON. */
	RN_DAEMON_SHOW,
	/* Takes a burst of the frames that the client has sent. -EAGAIN: there may be more. A
	 * client that closes its port without this request loses the frames not taken yet. */
	RN_DAEMON_FLUSH,
};

/* A connection that the client has. See struct rn_track_claim for which members are set. */
struct rn_daemon_claim {
	uint32_t state; /* enum rn_track_state */
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	uint8_t dmac[6];
	uint8_t tclass, pad;
	uint64_t service_id;
	struct rn_gid src, dst;
};

struct rn_daemon_request {
	uint32_t version; /* RN_DAEMON_VERSION */
	uint32_t op;	  /* enum rn_daemon_op */
	union {
		struct {
			uint32_t number;
			uint32_t queues; /* pairs of rings of the client's port, one per shard */
			uint64_t token;
			char name[32]; /* for reports; ends with a zero byte */
		} attach;
		struct {
			uint64_t id;
			struct rn_gid addr;
		} service;
		struct rn_gid group;
		struct {
			uint32_t n, pad;
			struct rn_daemon_claim of[RN_DAEMON_CLAIMS];
		} claims;
		struct {
			struct rn_gid peer;
			uint32_t qpn;
		} pair;
		struct {
			/* first client number of the report: a long report is given in parts */
			uint32_t from;
		} show;
	};
};

/* The attributes of the port, as the client must use them. */
struct rn_daemon_port {
	uint32_t number; /* of the client; 0 in the reply to INFO */
	uint32_t max_qp; /* how many queue pairs the client may have; 0: no limit */
	uint64_t token;
	uint8_t mac[6];
	uint8_t has_vlan, ngids;
	uint16_t vlan_tci, mtu;
	uint8_t max_path_mtu; /* code 1..5 */
	uint8_t tclass, hop_limit, link_up;
	uint32_t speed; /* of the daemon's port, in Mb/s */
	struct rn_gid gids[RN_DAEMON_GIDS];
	uint8_t prefix_len[RN_DAEMON_GIDS];
	struct rn_gid gateway4, gateway6; /* all zero: none */
};

struct rn_daemon_reply {
	uint32_t version;
	int32_t err; /* 0 or a negative errno */
	union {
		struct rn_daemon_port port;
		uint32_t claimed; /* how many connections were accepted */
		struct {
			/* SHOW again from this number; 0: the report is complete */
			uint32_t next;
			char text[RN_DAEMON_TEXT]; /* ends with a zero byte */
		} show;
	};
};

/* bytes of a packet whose member m of the union is used */
#define RN_DAEMON_BYTES(type, m) (offsetof(type, m) + sizeof(((type *)0)->m))

#endif
