/* Contexts: what ibv_open_device() returns. A context is the owner of all other objects that a
 * program creates, and has the descriptor for asynchronous events. */
#include "verbs/private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const enum ibv_event_type port_events[VB_PORT_NOTES] = {
	[VB_NOTE_ACTIVE] = IBV_EVENT_PORT_ACTIVE,
	[VB_NOTE_ERR] = IBV_EVENT_PORT_ERR,
	[VB_NOTE_FATAL] = IBV_EVENT_DEVICE_FATAL,
};

/* The NULL members of the operations are what softrnic does not have: their callers get
 * EOPNOTSUPP. */
static void offer(struct vb_context *c)
{
	struct verbs_context *v = &c->verbs;

	v->sz = sizeof(*v);
	v->query_port = vb_query_port;
	v->query_device_ex = vb_query_device_ex;
	v->create_cq_ex = vb_create_cq_ex;
	v->create_srq_ex = vb_create_srq_ex;
	v->get_srq_num = vb_get_srq_num;
	v->create_qp_ex = vb_create_qp_ex;
	v->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	v->context.ops.poll_cq = vb_poll_cq;
	v->context.ops.req_notify_cq = vb_req_notify_cq;
	v->context.ops.post_send = vb_post_send;
	v->context.ops.post_recv = vb_post_recv;
	v->context.ops.post_srq_recv = vb_post_srq_recv;
	v->context.ops.alloc_mw = vb_alloc_mw;
	v->context.ops.bind_mw = vb_bind_mw;
	v->context.ops.dealloc_mw = vb_dealloc_mw;
}

static void port_event(struct vb_target *target, const struct rn_event *ev)
{
	struct vb_context *c =
		(struct vb_context *)((char *)target - offsetof(struct vb_context, target));
	unsigned note = ev->kind == RN_EVENT_PORT_UP	 ? VB_NOTE_ACTIVE
			: ev->kind == RN_EVENT_PORT_DOWN ? VB_NOTE_ERR
							 : VB_NOTE_FATAL;

	vb_mailbox_send(&c->async, &c->note[note]);
}

/* Behind softrnicd each process has its own part of the adapter, which its forked children cannot
 * use. Programs look at devices before they fork, so ibv_open_device() does not start the adapter
 * there: the first object of each process does (vb_context_start()). */
static bool starts_late(const struct vb_device *device)
{
	return strcmp(device->info.port, "daemon") == 0 && !vb_nic_runs(device);
}

int vb_context_start(struct ibv_context *context)
{
	struct vb_context *c = vb_context_of(context);
	struct vb_nic *nic;
	int rc = 0;

	if (c->nic != NULL)
		return 0;
	pthread_mutex_lock(&context->mutex);
	if (c->nic == NULL) {
		rc = vb_nic_get(c->device, &nic);
		if (rc == 0) {
			vb_nic_add_target(nic, &c->target);
			c->nic = nic;
		}
	}
	pthread_mutex_unlock(&context->mutex);
	return rc;
}

/* Makes the descriptors of a context. Returns 0 or an errno. */
static int open_descriptors(struct vb_context *c)
{
	int rc = vb_mailbox_init(&c->async);

	if (rc != 0)
		return rc;
	vb_public(c)->async_fd = c->async.fd;
	/* Programs only duplicate this descriptor; no command goes through it. */
	vb_public(c)->cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (vb_public(c)->cmd_fd >= 0)
		return 0;
	rc = errno;
	vb_mailbox_fini(&c->async);
	return rc;
}

static void fill(struct vb_context *c, struct ibv_device *device)
{
	offer(c);
	c->device = vb_device_of(device);
	vb_public(c)->device = device;
	vb_public(c)->num_comp_vectors = 1;
	pthread_mutex_init(&vb_public(c)->mutex, NULL);
	for (unsigned i = 0; i < VB_PORT_NOTES; i++)
		c->note[i] = (struct vb_note){.object = c, .kind = port_events[i]};
	c->target.every_port_event = true;
	c->target.deliver = port_event;
	c->target.owner = c;
}

/* The end of a context whose adapter was not started or has no reference to it any more. */
static void discard(struct vb_context *c)
{
	close(vb_public(c)->cmd_fd);
	vb_mailbox_fini(&c->async);
	pthread_mutex_destroy(&vb_public(c)->mutex);
	free(c);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct vb_context *c;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return vb_fail(ENOMEM);
	rc = open_descriptors(c);
	if (rc != 0) {
		free(c);
		return vb_fail(rc);
	}
	fill(c, device);
	rc = starts_late(c->device) ? 0 : vb_context_start(vb_public(c));
	if (rc == 0)
		return vb_public(c);
	discard(c);
	return vb_fail(rc);
}

int ibv_close_device(struct ibv_context *context)
{
	struct vb_context *c = vb_context_of(context);
	struct vb_nic *nic;

	OS_REFUSE_CHILD(EIO);
	nic = c->nic;
	if (nic != NULL) {
		/* Objects that the program has not destroyed get no events from now on. */
		vb_nic_remove_owned(nic, c);
		vb_nic_put(nic);
	}
	discard(c);
	return 0;
}

/* ---- asynchronous events ---- */

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct vb_context *c = vb_context_of(context);
	struct vb_note *note;
	int rc;

	OS_REFUSE_CHILD((errno = EIO, -1));
	rc = vb_context_start(context);
	if (rc != 0) {
		errno = rc;
		return -1;
	}
	note = vb_mailbox_take(&c->async);
	if (note == NULL)
		return -1;
	event->event_type = (enum ibv_event_type)note->kind;
	switch (event->event_type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
		event->element.port_num = VB_PORT;
		break;
	case IBV_EVENT_CQ_ERR:
		event->element.cq = note->object;
		break;
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		event->element.srq = note->object;
		break;
	case IBV_EVENT_DEVICE_FATAL:
		event->element.qp = NULL;
		break;
	default:
		event->element.qp = note->object;
		break;
	}
	return 0;
}

/* Returns the note of an event of a CQ, SRQ or QP, and its mailbox. Returns NULL for events of the
 * port: nothing waits for their acknowledgement. */
static struct vb_note *note_of(const struct ibv_async_event *event, struct vb_mailbox **box)
{
	struct vb_qp *qp;

	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		*box = &vb_context_of(event->element.cq->context)->async;
		return &((struct vb_cq *)event->element.cq)->failed;
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		*box = &vb_context_of(event->element.srq->context)->async;
		return &((struct vb_srq *)event->element.srq)->low;
#define X(ours, theirs)                                       \
	case IBV_EVENT_##theirs:                              \
		qp = (struct vb_qp *)event->element.qp;       \
		*box = &vb_context_of(qp->qp.context)->async; \
		return &qp->note[VB_QP_NOTE_##ours];
		VB_QP_EVENT_ROWS(X)
#undef X
	default:
		return NULL;
	}
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct vb_mailbox *box;
	struct vb_note *note;

	if (os_child)
		return;
	note = note_of(event, &box);
	if (note != NULL)
		vb_mailbox_ack(box, note, 1);
}
