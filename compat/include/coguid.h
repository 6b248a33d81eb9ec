/* The IIDs of COM's own interfaces. Only IID_IUnknown and IID_IClassFactory exist here. */
#include "guiddef.h"
