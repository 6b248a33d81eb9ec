/* Commands: what a write() to the device means. Copies each command, checks its length, runs it,
 * and copies the answer to where the program wants it. A program may write anything: what is wrong
 * gives the errno of Linux. Owns nothing; any thread may call. */
#include "os/cancel.h"
#include "os/peek.h"
#include "ucma/file.h"
#include "ucma/ucma.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The head of CONNECT and ACCEPT in older versions of the interface, which had no ECE. */
#define OLD_CONNECT offsetof(struct rdma_ucm_connect, ece)
#define OLD_ACCEPT  offsetof(struct rdma_ucm_accept, ece)
/* The least room for answers, likewise. */
#define OLD_ROUTE offsetof(struct rdma_ucm_query_route_resp, ibdev_index)
#define OLD_EVENT offsetof(struct rdma_ucm_event_resp, reserved)

/* GET_EVENT is not in the table, because it waits. The answer of QUERY has several forms; the
 * command itself checks the room for it. */
/* clang-format off */
#define UCMA_COMMAND_ROWS(X) \
	/* name, function, member of the union, least length, answer: place of its pointer, bytes, least room */ \
	X(CREATE_ID,     ucma_create_id,     create_id,     sizeof(struct rdma_ucm_create_id), 8, 4, 4) \
	X(DESTROY_ID,    ucma_destroy_id,    destroy_id,    sizeof(struct rdma_ucm_destroy_id), 0, 4, 4) \
	X(BIND_IP,       ucma_bind_ip,       bind_ip,       sizeof(struct rdma_ucm_bind_ip), 0, 0, 0) \
	X(RESOLVE_IP,    ucma_resolve_ip,    resolve_ip,    sizeof(struct rdma_ucm_resolve_ip), 0, 0, 0) \
	X(RESOLVE_ROUTE, ucma_resolve_route, resolve_route, sizeof(struct rdma_ucm_resolve_route), 0, 0, 0) \
	X(QUERY_ROUTE,   ucma_query_route,   query,         sizeof(struct rdma_ucm_query), 0, \
	  sizeof(struct rdma_ucm_query_route_resp), OLD_ROUTE) \
	X(CONNECT,       ucma_connect,       connect,       OLD_CONNECT, 0, 0, 0) \
	X(LISTEN,        ucma_listen,        listen,        sizeof(struct rdma_ucm_listen), 0, 0, 0) \
	X(ACCEPT,        ucma_accept,        accept,        OLD_ACCEPT, 0, 0, 0) \
	X(REJECT,        ucma_reject,        reject,        sizeof(struct rdma_ucm_reject), 0, 0, 0) \
	X(DISCONNECT,    ucma_disconnect,    disconnect,    sizeof(struct rdma_ucm_disconnect), 0, 0, 0) \
	X(INIT_QP_ATTR,  ucma_init_qp_attr,  init_qp_attr,  sizeof(struct rdma_ucm_init_qp_attr), 0, \
	  sizeof(struct ib_uverbs_qp_attr), sizeof(struct ib_uverbs_qp_attr)) \
	X(SET_OPTION,    ucma_set_option,    set_option,    sizeof(struct rdma_ucm_set_option), 0, 0, 0) \
	X(NOTIFY,        ucma_notify,        notify,        sizeof(struct rdma_ucm_notify), 0, 0, 0) \
	X(JOIN_IP_MCAST, ucma_join_ip,       join_ip_mcast, sizeof(struct rdma_ucm_join_ip_mcast), 0, 4, 4) \
	X(LEAVE_MCAST,   ucma_leave,         destroy_id,    sizeof(struct rdma_ucm_destroy_id), 0, 4, 4) \
	X(MIGRATE_ID,    ucma_migrate_id,    migrate_id,    sizeof(struct rdma_ucm_migrate_id), 0, 4, 4) \
	X(QUERY,         ucma_query,         query,         sizeof(struct rdma_ucm_query), 0, \
	  sizeof(union ucma_answer), 0) \
	X(BIND,          ucma_bind_addr,     bind,          sizeof(struct rdma_ucm_bind), 0, 0, 0) \
	X(RESOLVE_ADDR,  ucma_resolve_addr,  resolve_addr,  sizeof(struct rdma_ucm_resolve_addr), 0, 0, 0) \
	X(JOIN_MCAST,    ucma_join_addr,     join_mcast,    sizeof(struct rdma_ucm_join_mcast), 0, 4, 4)
/* clang-format on */

struct command {
	int (*run)(struct ucma_call *call);
	size_t size, least;	   /* bytes of the struct, and of what must be there */
	size_t pointer;		   /* offset of the pointer to the answer */
	size_t answer, least_room; /* bytes of the answer; 0: there is none */
};

static const struct command commands[] = {
#define X(name, function, member, least_length, place, bytes, room) \
	[RDMA_USER_CM_CMD_##name] = {                               \
		.run = function,                                    \
		.size = sizeof(((union ucma_command *)0)->member),  \
		.least = least_length,                              \
		.pointer = place,                                   \
		.answer = bytes,                                    \
		.least_room = room,                                 \
	},
	UCMA_COMMAND_ROWS(X)
#undef X
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static void *pointer_at(const union ucma_command *in, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)in + offset, sizeof(value));
	return (void *)(uintptr_t)value;
}

/* ---- GET_EVENT ---- */

static void count_taken(const struct ucma_event *ev)
{
	ev->id->events_reported++;
	if (ev->group != NULL)
		ev->group->events_reported++;
	if (ev->resp.event == UCMA_CONNECT_REQUEST)
		ev->id->room++;
}

static int get_event(struct ucma_file *file, const struct ucma_call *call)
{
	void *to = pointer_at(&call->in, 0);
	struct ucma_event *ev;
	int rc;

	if (call->room < OLD_EVENT)
		return ENOSPC;
	rc = ucma_event_wait(file, &ev);
	if (rc != 0)
		return rc;
	if (os_poke(to, &ev->resp, call->room < sizeof(ev->resp) ? call->room : sizeof(ev->resp))) {
		count_taken(ev);
		free(ev);
	} else {
		ucma_event_return(ev);
		rc = EFAULT;
	}
	pthread_mutex_unlock(&ucma_lock);
	return rc;
}

/* ---- the other commands ---- */

static int run(const struct command *c, struct ucma_call *call)
{
	void *to = pointer_at(&call->in, c->pointer);
	size_t bytes = c->answer < call->room ? c->answer : call->room;
	int rc;

	if (call->room < c->least_room)
		return ENOSPC;
	/* Before the command runs: nothing is to be undone if the answer cannot be delivered. */
	if (c->answer != 0 && !os_poke(to, &call->out, bytes))
		return EFAULT;
	call->answered = (uint16_t)bytes;
	rc = c->run(call);
	if (rc == 0 && c->answer != 0 && !os_poke(to, &call->out, call->answered))
		rc = EFAULT;
	return rc;
}

static int run_locked(const struct command *c, struct ucma_call *call)
{
	OS_UNCANCELLED;
	int rc;

	pthread_mutex_lock(&ucma_lock);
	rc = call->file->closed ? EBADF : run(c, call);
	pthread_mutex_unlock(&ucma_lock);
	return rc;
}

static int write_command(struct ucma_file *file, const char *from, size_t len)
{
	struct ucma_call call;
	struct rdma_ucm_cmd_hdr hdr;
	const struct command *c;
	size_t size;
	bool waits;

	if (len < sizeof(hdr))
		return EINVAL;
	if (!os_peek(&hdr, from, sizeof(hdr)))
		return EFAULT;
	waits = hdr.cmd == RDMA_USER_CM_CMD_GET_EVENT;
	if (hdr.cmd >= NCOMMANDS || hdr.in + sizeof(hdr) > len)
		return EINVAL;
	c = &commands[hdr.cmd];
	if (c->run == NULL && !waits)
		return ENOSYS; /* GET_OPTION */
	if (hdr.in < (waits ? sizeof(struct rdma_ucm_get_event) : c->least))
		return EINVAL;
	memset(&call, 0, sizeof(call));
	size = waits ? sizeof(struct rdma_ucm_get_event) : c->size;
	if (!os_peek(&call.in, from + sizeof(hdr), hdr.in < size ? hdr.in : size))
		return EFAULT;
	call.file = file;
	call.room = hdr.out;
	return waits ? get_event(file, &call) : run_locked(c, &call);
}

ssize_t softrnic_ucma_write(int fd, const void *command, size_t len)
{
	struct ucma_file *file;
	int rc = EIO;

	OS_REFUSE_CHILD((errno = EIO, -1));
	file = ucma_file_get(fd);
	if (file != NULL) {
		rc = write_command(file, command, len);
		ucma_file_put(file);
	}
	if (rc == 0)
		return (ssize_t)len;
	errno = rc;
	return -1;
}
