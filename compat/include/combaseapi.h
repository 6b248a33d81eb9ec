/*
 * The parts of COM that ND2 needs: IUnknown, IClassFactory, and macros that declare interfaces. The
 * rest of COM is absent: CoInitialize, the registry, marshalling.
 */
#ifndef COMPAT_COMBASEAPI_H
#define COMPAT_COMBASEAPI_H

#include "winnt.h"
#include "winerror.h"

#define STDMETHODCALLTYPE
#define STDMETHODVCALLTYPE

#define EXTERN_C_START COMPAT_BEGIN
#define EXTERN_C_END   COMPAT_END

#define STDAPI		      EXTERN_C HRESULT
#define STDAPI_(type)	      EXTERN_C type
#define STDMETHODIMP	      HRESULT
#define STDMETHODIMP_(type)   type
#define IFACEMETHODIMP	      HRESULT
#define IFACEMETHODIMP_(type) type

#define interface				 struct
#define __STRUCT__				 struct
#define MIDL_INTERFACE(x)			 struct
#define DECLARE_INTERFACE_IID_(iface, base, iid) DECLARE_INTERFACE_(iface, base)
#define DECLARE_INTERFACE_IID(iface, iid)	 DECLARE_INTERFACE(iface)

/*
 * In C++ a COM interface is an abstract class. In C a COM interface is a table of function
 * pointers; each object begins with a pointer to the table.
 */
#ifdef __cplusplus
#define STDMETHOD(method)	   virtual HRESULT method
#define STDMETHOD_(type, method)   virtual type method
#define IFACEMETHOD(method)	   virtual HRESULT method
#define IFACEMETHOD_(type, method) virtual type method
#define PURE			   = 0
#define THIS_
#define THIS				void
#define DECLARE_INTERFACE(iface)	struct iface
#define DECLARE_INTERFACE_(iface, base) struct iface : public base
#define BEGIN_INTERFACE
#define END_INTERFACE
#else
/* clang-format off */
#define STDMETHOD(method)	 HRESULT (*method)
#define STDMETHOD_(type, method) type (*method)
#define IFACEMETHOD(method)	 STDMETHOD(method)
#define IFACEMETHOD_(type, method) STDMETHOD_(type, method)
/* clang-format on */
#define PURE
#define THIS_	   INTERFACE *This,
#define THIS	   INTERFACE *This
#define CONST_VTBL const
#define DECLARE_INTERFACE(iface)                  \
	typedef struct iface {                    \
		const struct iface##Vtbl *lpVtbl; \
	} iface;                                  \
	typedef struct iface##Vtbl iface##Vtbl;   \
	struct iface##Vtbl
#define DECLARE_INTERFACE_(iface, base) DECLARE_INTERFACE(iface)
#define BEGIN_INTERFACE
#define END_INTERFACE
#endif

typedef IUnknown *LPUNKNOWN;
typedef IClassFactory *LPCLASSFACTORY;

#ifndef __cplusplus
#define IUnknown_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IUnknown_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IUnknown_Release(This) (This)->lpVtbl->Release((This))
#define IClassFactory_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface((This), (riid), (ppv))
#define IClassFactory_AddRef(This)  (This)->lpVtbl->AddRef((This))
#define IClassFactory_Release(This) (This)->lpVtbl->Release((This))
#define IClassFactory_CreateInstance(This, pUnkOuter, riid, ppv) \
	(This)->lpVtbl->CreateInstance((This), (pUnkOuter), (riid), (ppv))
#define IClassFactory_LockServer(This, fLock) (This)->lpVtbl->LockServer((This), (fLock))
#endif

#endif
