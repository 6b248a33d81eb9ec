/* One running adapter of this process. All contexts of its device share it. It starts with the
 * first context, and runs until the process ends: programs open and close devices again and again
 * to look at them, and starting takes a tenth of a second. Its event thread passes each event of
 * the NIC to the object that the event is about. */
#ifndef VERBS_NIC_H
#define VERBS_NIC_H

#include "rn/client.h"
#include "verbs/device.h"

#include <pthread.h>
#include <stdbool.h>

#define VB_TARGET_BUCKETS 1024u
/* The bits of `user` from this one on are not part of the target's number: a target that stands for
 * several objects may say there which of them an event is for. */
#define VB_TARGET_TAG_SHIFT 40

struct vb_context;

/* What gets events: part of a CQ, SRQ, QP or context, or of a thread that waits for an address. */
struct vb_target {
	struct vb_target *next;
	/* `user` of the commands that create the object, with a tag of 0. No two targets ever have
	 * the same number, so that an event that comes after its object was destroyed finds
	 * none. */
	uint64_t number;
	const struct vb_context *owner; /* when this context ends, the target is removed; or NULL */
	bool every_port_event;		/* gets the events of the port, which name no object */
	/* Runs on the event thread, with the lock of the NIC; must not block. */
	void (*deliver)(struct vb_target *target, const struct rn_event *ev);
};

struct vb_nic {
	struct rn_client *client;
	struct rn_link_info info; /* with sorted GIDs */
	_Atomic bool link_up;
	_Atomic bool talked; /* a QP was able to send */
	unsigned contexts;   /* number of open contexts; guarded by the lock of nic.c */
	bool closed;	     /* the process ends, and nothing may use `client`; lock of nic.c */
	pthread_t thread;
	_Atomic bool stop;
	pthread_mutex_t lock; /* guards the fields below */
	uint64_t last_number;
	struct vb_target *bucket[VB_TARGET_BUCKETS];
};

/* Starts the adapter of a device if it does not run. Returns 0 or an errno, and then has written
 * the reason to stderr. Every get needs a put. */
int vb_nic_get(struct vb_device *device, struct vb_nic **nic);
void vb_nic_put(struct vb_nic *nic);

/* Has the adapter of this device been started in this process? A started adapter runs until the
 * process ends. */
bool vb_nic_runs(const struct vb_device *device);

/* Gives the target a number and passes it events from now on. */
void vb_nic_add_target(struct vb_nic *nic, struct vb_target *target);
/* When these return, deliver() does not run, and will not run again, for the target or for all
 * targets of the owner. A target may be removed twice. */
void vb_nic_remove_target(struct vb_nic *nic, struct vb_target *target);
void vb_nic_remove_owned(struct vb_nic *nic, const struct vb_context *owner);

/* Makes the address vector for packets from the address with index sgid_index to `dgid`; waits for
 * the neighbour's reply. Returns 0 or an errno: EINVAL, EHOSTUNREACH, ETIMEDOUT. */
int vb_nic_resolve(struct vb_nic *nic, unsigned sgid_index, const struct rn_gid *dgid,
		   struct rn_av *av);

#endif
