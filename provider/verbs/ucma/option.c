/* Options of ids. The callers hold the lock. */
#include "os/peek.h"
#include "ucma/ucma.h"

/* Options are of one byte (type of service, timeout) or an int (flags). */
union value {
	uint8_t byte;
	int32_t flag;
};

static int set_reuse(struct ucma_id *id, bool yes)
{
	if (id->state == UCMA_IDLE || (yes && id->state != UCMA_LISTEN))
		id->reuse_addr = yes;
	else
		return EINVAL;
	return 0;
}

static int set_one_family(struct ucma_id *id, bool yes)
{
	if (id->state != UCMA_IDLE && id->state != UCMA_BOUND)
		return EINVAL;
	id->one_family = yes;
	id->one_family_asked = true;
	return 0;
}

static int set_timeout(struct ucma_id *id, uint8_t timeout)
{
	if (id->qp_type != IBV_QPT_RC || timeout > 31)
		return EINVAL;
	id->ack_timeout = timeout;
	id->has_timeout = true;
	return 0;
}

static int set(struct ucma_id *id, uint32_t name, const union value *value)
{
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		id->tos = value->byte;
		return 0;
	case RDMA_OPTION_ID_REUSEADDR:
		return set_reuse(id, value->flag != 0);
	case RDMA_OPTION_ID_AFONLY:
		return set_one_family(id, value->flag != 0);
	default:
		return set_timeout(id, value->byte);
	}
}

/* The level IB would give an id a path of InfiniBand. */
int ucma_set_option(struct ucma_call *call)
{
	static const uint8_t sizes[] = {
		[RDMA_OPTION_ID_TOS] = 1,
		[RDMA_OPTION_ID_REUSEADDR] = 4,
		[RDMA_OPTION_ID_AFONLY] = 4,
		[RDMA_OPTION_ID_ACK_TIMEOUT] = 1,
	};
	const struct rdma_ucm_set_option *cmd = &call->in.set_option;
	union value value = {0};
	struct ucma_id *id;
	int rc = ucma_call_id(call, cmd->id, false, &id);

	if (rc != 0)
		return rc;
	/* As in Linux, a value that cannot be read is found first. */
	if (!os_peek(&value, (const void *)(uintptr_t)cmd->optval,
		     cmd->optlen < sizeof(value) ? cmd->optlen : sizeof(value)))
		return EFAULT;
	if (cmd->level != RDMA_OPTION_ID || cmd->optname >= sizeof(sizes))
		return ENOSYS;
	if (cmd->optlen != sizes[cmd->optname])
		return EINVAL;
	return set(id, cmd->optname, &value);
}
