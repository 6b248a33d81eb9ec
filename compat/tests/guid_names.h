/*
 * Declares GUIDs and two interfaces as programs for Windows do. The second interface is derived
 * from the first.
 */
#ifndef GUID_NAMES_H
#define GUID_NAMES_H

#include <unknwn.h>

DEFINE_GUID(IID_ICounter, 0x11223344, 0x5566, 0x7788, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
	    0x00);
DEFINE_GUID(IID_IDoubleCounter, 0x11223344, 0x5566, 0x7788, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE,
	    0xFF, 0x01);

#undef INTERFACE
#define INTERFACE ICounter
DECLARE_INTERFACE_(ICounter, IUnknown)
{
	STDMETHOD(QueryInterface)(THIS_ REFIID riid, LPVOID * ppv) PURE;
	STDMETHOD_(ULONG, AddRef)(THIS) PURE;
	STDMETHOD_(ULONG, Release)(THIS) PURE;
	STDMETHOD(Add)(THIS_ IN ULONG n, OUT OPTIONAL ULONG * sum) PURE;
};

#ifdef __cplusplus
extern "C" {
#endif
/* Returns a new counter object, which is implemented in C in guid_names.c. */
ICounter *new_counter(void);
#ifdef __cplusplus
}
#endif

#endif
