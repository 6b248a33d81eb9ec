/* The connection manager that librdmacm finds behind /dev/infiniband/rdma_cm: the commands of
 * rdma/rdma_user_cm.h with the results of Linux, over the CM of the adapters (rn_client_cm_).
 *
 * Objects, as in the kernel: a file is what an open() of the device returns, and has a queue of
 * events; an id is a listener, a connection, or a datagram service, and belongs to a file. One
 * lock, `ucma_lock`, guards all files and ids. Commands hold the lock from beginning to end, and so
 * does the event thread of an adapter while it passes on an event. Only the wait for an event is
 * outside the lock.
 *
 * The kernel's CMA knows more states and threads; here a state changes only under the lock. */
#ifndef UCMA_UCMA_H
#define UCMA_UCMA_H

#include "verbs/private.h"

#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

/* Events of librdmacm: rdma_cma.h has the same numbers. */
/* clang-format off */
#define UCMA_EVENT_ROWS(X) \
	X(ADDR_RESOLVED,     0) \
	X(ADDR_ERROR,        1) \
	X(ROUTE_RESOLVED,    2) \
	X(CONNECT_REQUEST,   4) \
	X(CONNECT_RESPONSE,  5) \
	X(UNREACHABLE,       7) \
	X(REJECTED,          8) \
	X(ESTABLISHED,       9) \
	X(DISCONNECTED,     10) \
	X(DEVICE_REMOVAL,   11) \
	X(MULTICAST_JOIN,   12) \
	X(TIMEWAIT_EXIT,    15)
/* clang-format on */
enum ucma_event_kind {
#define X(name, number) UCMA_##name = number,
	UCMA_EVENT_ROWS(X)
#undef X
};

enum ucma_state {
	UCMA_IDLE,
	UCMA_BOUND,	     /* has a local address, perhaps the wildcard, and a port number */
	UCMA_ADDR_QUERY,     /* waits for the MAC of the peer */
	UCMA_ADDR_KNOWN,     /* has an adapter and the peer's address */
	UCMA_ROUTE_KNOWN,    /* may connect */
	UCMA_LISTEN,	     /* gets connection requests */
	UCMA_CONNECT,	     /* from the REQ on, on both sides */
	UCMA_ENDED,	     /* UCMA_DISCONNECTED was reported */
	UCMA_ADAPTER_REMOVED /* nothing but the destruction is possible */
};

union ucma_addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* An adapter as this folder uses it. All ids share one target for events; the tag of `user` in
 * commands says which id an event is for (nic.h). */
struct ucma_adapter {
	struct vb_device *device;
	struct vb_nic *nic; /* NULL: not started by this folder yet */
	bool ended;	    /* the process ends, and `nic` is closed */
	uint32_t asking;    /* resolutions whose RN_EVENT_RESOLVED has not come yet */
	struct vb_target target;
};

struct ucma_id;

/* One event on its way to the program. */
struct ucma_event {
	struct ucma_event *next;
	struct ucma_id *id;	  /* the id that counts the event: of a request, the listener */
	struct ucma_id *child;	  /* CONNECT_REQUEST: the new id; it is destroyed with the event */
	struct ucma_group *group; /* MULTICAST_JOIN */
	struct rdma_ucm_event_resp resp;
};

struct ucma_file {
	/* A duplicate of the program's descriptor, an eventfd that counts events. It stays open
	 * while a thread waits in it, also if the program closes its own meanwhile. The program may
	 * make both non-blocking. */
	int fd;
	pid_t pid;	/* a forked child cannot use the file */
	bool closed;	/* by the program */
	uint32_t users; /* one for the program's descriptor, one for each call; see file.c */
	struct ucma_event *first, *last;
	uint32_t debt; /* withdrawn events for which a thread has lowered the count; see event.c */
};

/* A multicast group that an id has joined. */
struct ucma_group {
	struct ucma_group *next;
	struct ucma_id *id;
	uint32_t handle;
	uint64_t uid;
	uint32_t events_reported;
};

struct ucma_id {
	uint32_t handle; /* the id's number for the program: 24 bits */
	uint64_t uid;	 /* librdmacm's; 0: a request that was not accepted yet gets no events */
	struct ucma_file *file;
	uint32_t events_reported; /* number of events that the program has taken */
	uint16_t port_space;	  /* enum rdma_ucm_port_space */
	uint8_t qp_type;	  /* enum ibv_qp_type */
	enum ucma_state state;

	union ucma_addr src, dst;
	bool owns_port; /* in the port space; accepted connections share that of the listener */
	bool reuse_addr, one_family, one_family_asked;
	bool has_timeout;
	uint8_t ack_timeout, tos;

	struct ucma_adapter *adapter; /* NULL: none chosen yet, as with a wildcard */
	struct rn_gid sgid, dgid;
	uint32_t cm;			   /* id of the adapter's CM, 0: none */
	uint32_t listener[VB_MAX_DEVICES]; /* UCMA_LISTEN: likewise, one per adapter */
	uint32_t room;			   /* UCMA_LISTEN: requests that may arrive now */
	uint32_t psn;			   /* first PSN that this side expects */
	bool queued;			   /* UCMA_ADDR_QUERY: the adapter is busy, ask again */
	bool patient;			   /* the peer gives up after a few RNR NAKs; see attr.c */
	bool has_peer;			   /* the fields below are valid */
	struct rn_qp_attr attr;		   /* attributes of the program's QP, as the peer asks */
	struct ucma_group *groups;
};

extern pthread_mutex_t ucma_lock;

/* ---- file.c, event.c ---- */

/* Returns the file of a descriptor, for use until the put; NULL: this process has opened none. Both
 * take a lock of their own, so that a thread which has begun a call has the file, as in Linux. */
struct ucma_file *ucma_file_get(int fd);
void ucma_file_put(struct ucma_file *file);

/* Makes an event for an id; the caller fills in the rest and sends it. Returns NULL without
 * memory. */
struct ucma_event *ucma_event_new(struct ucma_id *id, enum ucma_event_kind kind, int status);
/* Appends the event to the queue of its id's file. A request that was not accepted yet gets no
 * events: they are freed. */
void ucma_event_send(struct ucma_event *ev);
/* Makes and sends an event without parameters. */
void ucma_event_post(struct ucma_id *id, enum ucma_event_kind kind, int status);
/* Frees the events of an id (group == NULL: all), and destroys the ids of requests among them. */
void ucma_event_withdraw(struct ucma_id *id, const struct ucma_group *group);
/* Moves the events of an id to another file. */
void ucma_event_move(struct ucma_id *id, struct ucma_file *to);
/* To be called without the lock: waits for an event of the file, takes the lock, and takes the
 * event. Returns 0 with the lock held, or an errno without it. The caller frees the event, or puts
 * it back to the front of the queue. */
int ucma_event_wait(struct ucma_file *file, struct ucma_event **ev);
void ucma_event_return(struct ucma_event *ev);

/* ---- id.c ---- */

/* Creates an id, or returns NULL: too many, or no memory. */
struct ucma_id *ucma_id_new(struct ucma_file *file, uint16_t port_space, uint8_t qp_type);
/* Ends what the id does on the wire, withdraws its events, and frees the id. */
void ucma_id_destroy(struct ucma_id *id);
struct ucma_id *ucma_id_find(uint32_t handle);
/* Walks through the ids of all files: returns the next one, NULL at the end. *at is 0 at first. The
 * id may be destroyed before the next step. */
struct ucma_id *ucma_id_next(uint32_t *at);
/* What to pass as `user` to commands for the adapter. */
uint64_t ucma_id_user(const struct ucma_id *id, const struct ucma_adapter *adapter);

/* ---- adapter.c ---- */

/* The adapters of this process; *n is their number. Starts none of them. */
struct ucma_adapter *ucma_adapters(unsigned *n);
/* Starts the adapter if it does not run. Returns 0 or an errno. */
int ucma_adapter_start(struct ucma_adapter *adapter);
/* Marks the adapter that is about to be closed, at the end of the process. */
void ucma_adapter_end(const struct vb_nic *nic);
/* The index of a GID, or -1. */
int ucma_adapter_gid(const struct ucma_adapter *adapter, const struct rn_gid *gid);
/* Finds the adapter that has an address, or that reaches a peer: in a subnet of its own if there is
 * one, else through a gateway. Returns NULL if there is none. */
struct ucma_adapter *ucma_adapter_with(const struct rn_gid *own);
struct ucma_adapter *ucma_adapter_towards(const struct rn_gid *peer);
/* Runs on the event thread of an adapter (arrival.c). */
void ucma_deliver(struct vb_target *target, const struct rn_event *ev);

/* ---- addr.c ---- */

/* The length that an address of this family has; 0: neither IPv4 nor IPv6. */
socklen_t ucma_addr_size(const union ucma_addr *addr);
/* The wildcard, or an address of the loopback interface: the kernel's CMA treats both alike. */
bool ucma_addr_is_any(const union ucma_addr *addr);
uint16_t ucma_addr_port(const union ucma_addr *addr);
void ucma_addr_set_port(union ucma_addr *addr, uint16_t port);
struct rn_gid ucma_addr_gid(const union ucma_addr *addr);
union ucma_addr ucma_addr_of(const struct rn_gid *gid, uint16_t port);

/* ---- bind.c ---- */

/* Binds an id: chooses adapter and port number. Returns 0 or an errno. */
int ucma_bind(struct ucma_id *id, const union ucma_addr *addr);
/* May the id become a listener where it is bound? Returns 0 or an errno. */
int ucma_bind_alone(const struct ucma_id *id);
/* The address for the adapter's CM where the id is bound. */
struct rn_client_addr ucma_bound_address(const struct ucma_id *id);

/* ---- attr.c ---- */

/* The address vector of a peer or group in the form of the kernel's interface. */
void ucma_attr_ah(const struct ucma_adapter *adapter, const struct rn_av *av,
		  struct ib_uverbs_ah_attr *ah);

/* ---- commands: command.c calls them with the lock held ---- */

union ucma_command {
	struct rdma_ucm_create_id create_id;
	struct rdma_ucm_destroy_id destroy_id;
	struct rdma_ucm_bind_ip bind_ip;
	struct rdma_ucm_bind bind;
	struct rdma_ucm_resolve_ip resolve_ip;
	struct rdma_ucm_resolve_addr resolve_addr;
	struct rdma_ucm_resolve_route resolve_route;
	struct rdma_ucm_query query;
	struct rdma_ucm_connect connect;
	struct rdma_ucm_listen listen;
	struct rdma_ucm_accept accept;
	struct rdma_ucm_reject reject;
	struct rdma_ucm_disconnect disconnect;
	struct rdma_ucm_init_qp_attr init_qp_attr;
	struct rdma_ucm_get_event get_event;
	struct rdma_ucm_set_option set_option;
	struct rdma_ucm_notify notify;
	struct rdma_ucm_join_ip_mcast join_ip_mcast;
	struct rdma_ucm_join_mcast join_mcast;
	struct rdma_ucm_migrate_id migrate_id;
};

/* The layout of struct rdma_ucm_query_path_resp with one path. That structure ends with an array
 * without a length, behind which ISO C allows no other member. */
struct ucma_paths {
	__u32 num_paths;
	__u32 reserved;
	struct ib_path_rec_data path[1];
};

static_assert(offsetof(struct ucma_paths, path) ==
		      offsetof(struct rdma_ucm_query_path_resp, path_data),
	      "a path follows the header at once");

union ucma_answer {
	struct rdma_ucm_create_id_resp create_id;
	struct rdma_ucm_destroy_id_resp destroy_id;
	struct rdma_ucm_query_route_resp route;
	struct rdma_ucm_query_addr_resp addr;
	struct ucma_paths paths;
	struct rdma_ucm_migrate_resp migrate;
	struct ib_uverbs_qp_attr attr;
};

struct ucma_call {
	struct ucma_file *file;
	union ucma_command in; /* a copy; what the program left out is 0 */
	uint16_t room;	       /* bytes that the program has for the answer */
	uint16_t answered;     /* bytes of the answer; the table has the usual number */
	union ucma_answer out;
};

/* The commands. Each returns 0 or an errno; the errnos are those of Linux. */
int ucma_create_id(struct ucma_call *call);
int ucma_destroy_id(struct ucma_call *call);
int ucma_migrate_id(struct ucma_call *call);
int ucma_bind_ip(struct ucma_call *call);
int ucma_bind_addr(struct ucma_call *call);
int ucma_resolve_ip(struct ucma_call *call);
int ucma_resolve_addr(struct ucma_call *call);
int ucma_resolve_route(struct ucma_call *call);
int ucma_query_route(struct ucma_call *call);
int ucma_query(struct ucma_call *call);
int ucma_listen(struct ucma_call *call);
int ucma_connect(struct ucma_call *call);
int ucma_accept(struct ucma_call *call);
int ucma_reject(struct ucma_call *call);
int ucma_disconnect(struct ucma_call *call);
int ucma_notify(struct ucma_call *call);
int ucma_init_qp_attr(struct ucma_call *call);
int ucma_set_option(struct ucma_call *call);
int ucma_join_ip(struct ucma_call *call);
int ucma_join_addr(struct ucma_call *call);
int ucma_leave(struct ucma_call *call);

/* Finds the id of a command: ENOENT if there is none, EINVAL if it belongs to another file, ENXIO
 * (and *id is set) if its adapter was removed; with `needs_adapter` also EINVAL if it has no
 * adapter yet. */
int ucma_call_id(const struct ucma_call *call, uint32_t handle, bool needs_adapter,
		 struct ucma_id **id);

/* The adapter has ended a resolution, and has room for another one. id: NULL if it was destroyed
 * meanwhile. */
void ucma_resolved(struct ucma_adapter *adapter, struct ucma_id *id, int err,
		   const struct rn_av *av);

#endif
