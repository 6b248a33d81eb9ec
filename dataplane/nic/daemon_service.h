/* An adapter as a client of softrnicd: its number, and what it has registered with the daemon.
 *
 * The daemon must know the services to which the client listens, the multicast groups with members,
 * and, if it is strict, the queue pairs that are connected without the connection manager. The
 * module remembers all that, and tells it again when the daemon has restarted. While the daemon is
 * away, registrations succeed, and are made when it is back.
 *
 * Any thread may call the functions, unless a comment says otherwise; a mutex serialises them. */
#ifndef RN_DAEMON_SERVICE_H
#define RN_DAEMON_SERVICE_H

#include "nic/daemon_binds.h"
#include "nic/daemon_link.h"
#include "nic/daemon_pairs.h"
#include "nic/daemon_port.h"
#include "qp/mcast.h"

struct rn_config_adapter;
struct rn_nic;
struct rn_nic_groups;

struct rn_daemon_service {
	struct rn_daemon_link link;
	struct rn_daemon_port port; /* attributes since the first attachment */
	struct rn_daemon_port_path path;
	char name[32];
	unsigned queues;

	pthread_mutex_t lock; /* guards the members below; taken after the adapter's `control` */
	bool attached;	      /* the daemon knows everything that is registered */
	unsigned refusals;    /* how often in a row the daemon did not take the client back */
	/* When connections are announced again, and until when; times in ms. */
	uint64_t claim_next, claim_until;
	struct rn_daemon_binds binds;
	struct rn_daemon_pairs pairs;
	unsigned ngroups;
	struct rn_gid group[RN_GROUPS];
};

/* Attaches to the daemon of the adapter. A daemon that has just started takes no new clients for
 * some seconds, so this may take as long; one that is away is waited for (daemon_wait_ms). Returns
 * 0, or -errno with a sentence in err. Called in a control thread. */
int rn_daemon_service_open(struct rn_daemon_service **s, const struct rn_config_adapter *a,
			   char *err, size_t errlen);
/* Detaches. The port must be closed. Accepts NULL. */
void rn_daemon_service_close(struct rn_daemon_service *s);
/* To be called before the port is closed: frames that the daemon has not taken by then are lost.
 * Accepts NULL. */
void rn_daemon_service_flush(struct rn_daemon_service *s);
/* For a forked child (rn_daemon_link_forget()). Accepts NULL. */
void rn_daemon_service_forget(struct rn_daemon_service *s);

/* Executes a command of the connection manager with exec(), and registers or unregisters what the
 * command begins or ends. Returns rsp->err. Besides the errors of the command: those of
 * rn_daemon_link_listen(), if the port is in use by another client. */
int rn_daemon_service_cm(struct rn_daemon_service *s, struct rn_nic *nic, const struct rn_cmd *cmd,
			 struct rn_rsp *rsp, rn_daemon_exec *exec);

/* Creates a queue pair with exec(). Returns rsp->err, or -ENOMEM. */
int rn_daemon_service_create_qp(struct rn_daemon_service *s, struct rn_nic *nic,
				const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_daemon_exec *exec);

/* Executes MODIFY_QP with exec(). If the command connects the queue pair, the pair is announced
 * first, unless the connection manager connects it; a refused command leaves no trace. Returns
 * rsp->err. */
int rn_daemon_service_modify_qp(struct rn_daemon_service *s, struct rn_nic *nic,
				const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_daemon_exec *exec);
/* The queue pair is destroyed. */
void rn_daemon_service_forget_qp(struct rn_daemon_service *s, uint32_t qpn);

/* rn_daemon_service_join() registers a group before its first member joins; returns 0 or -errno.
 * rn_daemon_service_leave() ends the registration of all groups that are not among `groups`. */
int rn_daemon_service_join(struct rn_daemon_service *s, const struct rn_gid *group);
void rn_daemon_service_leave(struct rn_daemon_service *s, const struct rn_nic_groups *groups);

/* Looks after the daemon: if it has ended, attaches again as soon as it is back, and tells it
 * everything. Returns false if it does not take the client back: the adapter has no port then.
 * Called by the watcher thread every 100 ms. */
bool rn_daemon_service_watch(struct rn_daemon_service *s, struct rn_nic *nic);

#endif
