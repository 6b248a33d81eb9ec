/* The shortest client in C. Includes the installed headers, links the library, and opens an adapter
 * by its address. */
#include <arpa/inet.h>
#include <ndspi.h>
#include <ndsupport.h>
#include <stdio.h>

int main(void)
{
	struct sockaddr_in local = {.sin_family = AF_INET,
				    .sin_addr.s_addr = inet_addr("192.0.2.1")};
	ND2_ADAPTER_INFO info = {.InfoVersion = ND_VERSION_2};
	ULONG cb = sizeof(info);
	IND2Adapter *adapter;

	if (FAILED(NdStartup()) ||
	    FAILED(NdOpenAdapter(&IID_IND2Adapter, (struct sockaddr *)&local, sizeof(local),
				 (void **)&adapter)) ||
	    FAILED(adapter->lpVtbl->Query(adapter, &info, &cb)))
		return 1;
	printf("MaxInlineDataSize %u\n", (unsigned)info.MaxInlineDataSize);
	adapter->lpVtbl->Release(adapter);
	return FAILED(NdCleanup());
}
