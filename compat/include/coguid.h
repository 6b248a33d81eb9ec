/* IIDs of COM's own interfaces: IID_IUnknown and IID_IClassFactory, the only ones here. */
#include "guiddef.h"
