// The shortest client in C++: like client.c, with the interfaces as classes.
#include <arpa/inet.h>
#include <cstdio>
#include <ndspi.h>
#include <ndsupport.h>

int main()
{
	sockaddr_in local = {};
	ND2_ADAPTER_INFO info = {};
	ULONG cb = sizeof(info);
	IND2Adapter *adapter;

	local.sin_family = AF_INET;
	local.sin_addr.s_addr = inet_addr("192.0.2.1");
	info.InfoVersion = ND_VERSION_2;
	if (FAILED(NdStartup()) ||
	    FAILED(NdOpenAdapter(IID_IND2Adapter, reinterpret_cast<sockaddr *>(&local),
				 sizeof(local), reinterpret_cast<void **>(&adapter))) ||
	    FAILED(adapter->Query(&info, &cb)))
		return 1;
	std::printf("MaxInlineDataSize %u\n", static_cast<unsigned>(info.MaxInlineDataSize));
	adapter->Release();
	return FAILED(NdCleanup());
}
