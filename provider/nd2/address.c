/* Checks the local addresses that clients give, and copies addresses to clients' buffers as socket
 * addresses. This file has no state. Any thread may call these functions. */
#include "nd2/nd2.h"

#include <errno.h>
#include <string.h>

static bool is_own(const struct rn_link_info *info, const struct rn_gid *gid)
{
	for (unsigned i = 0; i < info->ngids; i++)
		if (rn_client_gid_equal(&info->gids[i], gid))
			return true;
	return false;
}

HRESULT nd_local_address(struct nd_adapter *adapter, const struct sockaddr *sa, ULONG cb,
			 struct rn_client_addr *addr)
{
	if (sa == NULL || rn_client_addr_from_sockaddr(addr, sa, cb) != 0)
		return ND_INVALID_ADDRESS;
	if (!rn_client_gid_is_any(&addr->gid) && !is_own(adapter->dev->info, &addr->gid))
		return ND_INVALID_ADDRESS;
	return ND_SUCCESS;
}

HRESULT nd_return_address(const struct rn_client_addr *addr, struct sockaddr *out, ULONG *pcb)
{
	struct sockaddr_storage sa;
	ULONG need = (ULONG)rn_client_addr_to_sockaddr(addr, &sa);
	ULONG have = *pcb;

	*pcb = need;
	if (out == NULL || have < need)
		return ND_BUFFER_OVERFLOW;
	memcpy(out, &sa, need);
	return ND_SUCCESS;
}

HRESULT nd_return_address_list(const struct rn_gid *gids, unsigned n, SOCKET_ADDRESS_LIST *list,
			       ULONG *pcb)
{
	size_t array = offsetof(SOCKET_ADDRESS_LIST, Address) + n * sizeof(SOCKET_ADDRESS);
	size_t need = array < sizeof(*list) ? sizeof(*list) : array;
	size_t at = need;
	ULONG have = *pcb;

	for (unsigned i = 0; i < n; i++)
		need += rn_client_gid_is_v4(&gids[i]) ? sizeof(struct sockaddr_in)
						      : sizeof(struct sockaddr_in6);
	*pcb = (ULONG)need;
	if (list == NULL || have < need)
		return ND_BUFFER_OVERFLOW;
	list->iAddressCount = (INT)n;
	for (unsigned i = 0; i < n; i++) {
		struct rn_client_addr addr = {.gid = gids[i]};
		struct sockaddr_storage sa;
		size_t len = rn_client_addr_to_sockaddr(&addr, &sa);

		memcpy((char *)list + at, &sa, len);
		list->Address[i].lpSockaddr = (struct sockaddr *)((char *)list + at);
		list->Address[i].iSockaddrLength = (INT)len;
		at += len;
	}
	return ND_SUCCESS;
}
