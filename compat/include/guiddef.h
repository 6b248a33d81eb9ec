/*
 * The type GUID, and the macro DEFINE_GUID for GUID constants. DEFINE_GUID declares a constant.
 * After <initguid.h>, or with INITGUID defined, DEFINE_GUID also defines the constant. Several
 * source files may define the same GUID. The library already defines the IIDs of ND2.
 */
#ifndef COMPAT_GUIDDEF_H
#define COMPAT_GUIDDEF_H

#include <ndtypes.h>

#ifndef EXTERN_C
#ifdef __cplusplus
#define EXTERN_C extern "C"
#else
#define EXTERN_C extern
#endif
#endif

typedef GUID *LPGUID;
typedef GUID *PGUID;
typedef const GUID *LPCGUID;
typedef const GUID *PCGUID;
typedef GUID UUID;
typedef IID *LPIID;
typedef CLSID *LPCLSID;
typedef GUID FMTID;

static const GUID GUID_NULL __attribute__((unused)) = {0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}};
#define IID_NULL   GUID_NULL
#define CLSID_NULL GUID_NULL

#define IsEqualIID(a, b)	IsEqualGUID(a, b)
#define IsEqualCLSID(a, b)	IsEqualGUID(a, b)
#define InlineIsEqualGUID(a, b) IsEqualGUID(a, b)
#define IsEqualIUnknown(a)	IsEqualGUID(a, COMPAT_REF(IID_IUnknown))
#ifdef __cplusplus
#define COMPAT_REF(guid) guid
#else
#define COMPAT_REF(guid) (&(guid))
#endif

#endif

/*
 * The following macro is outside the include guard, because initguid.h includes this file again to
 * change the meaning of DEFINE_GUID.
 */
#undef DEFINE_GUID
#ifndef INITGUID
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
	EXTERN_C const GUID name __attribute__((__visibility__("default")))
#elif defined(__cplusplus)
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                 \
	extern "C" {                                                                 \
	extern const GUID name __attribute__((__weak__, __visibility__("default"))); \
	}                                                                            \
	const GUID name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
#else
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                 \
	extern const GUID name __attribute__((__weak__, __visibility__("default"))); \
	const GUID name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
#endif
