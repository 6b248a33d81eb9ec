/* Protection domains and memory regions: makes a command of each call and keeps no state. Any
 * thread may call these functions. */
#include "client/client.h"

int rn_client_pd_create(struct rn_client *client, uint32_t *pd)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_PD};
	struct rn_rsp rsp = {0};
	int rc = rn_client_exec(client, &cmd, &rsp);

	if (rc == 0)
		*pd = rsp.id;
	return rc;
}

int rn_client_pd_destroy(struct rn_client *client, uint32_t pd)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_PD, .obj.id = pd};
	struct rn_rsp rsp = {0};

	return rn_client_exec(client, &cmd, &rsp);
}

static void fill(struct rn_cmd *cmd, uint32_t pd, void *addr, uint64_t length, uint64_t iova,
		 uint32_t access)
{
	cmd->reg_mr.addr = (uintptr_t)addr;
	cmd->reg_mr.length = length;
	cmd->reg_mr.iova = iova;
	cmd->reg_mr.pd = pd;
	cmd->reg_mr.access = access;
}

int rn_client_mr_register(struct rn_client *client, uint32_t pd, void *addr, uint64_t length,
			  uint64_t iova, uint32_t access, uint32_t *lkey, uint32_t *rkey)
{
	struct rn_cmd cmd = {.op = RN_CMD_REG_MR};
	struct rn_rsp rsp = {0};
	int rc;

	fill(&cmd, pd, addr, length, iova, access);
	rc = rn_client_exec(client, &cmd, &rsp);
	if (rc == 0) {
		*lkey = rsp.id;
		*rkey = rsp.gen;
	}
	return rc;
}

int rn_client_mr_reregister(struct rn_client *client, uint32_t lkey, uint32_t pd, void *addr,
			    uint64_t length, uint64_t iova, uint32_t access)
{
	struct rn_cmd cmd = {.op = RN_CMD_REREG_MR};
	struct rn_rsp rsp = {0};

	fill(&cmd, pd, addr, length, iova, access);
	cmd.reg_mr.lkey = lkey;
	return rn_client_exec(client, &cmd, &rsp);
}

int rn_client_mr_deregister(struct rn_client *client, uint32_t lkey)
{
	struct rn_cmd cmd = {.op = RN_CMD_DEREG_MR, .obj.id = lkey};
	struct rn_rsp rsp = {0};

	return rn_client_exec(client, &cmd, &rsp);
}
