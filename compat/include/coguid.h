/* Declares the interface ids (IIDs) of COM. Only IID_IUnknown and IID_IClassFactory exist here. */
#include "guiddef.h"
