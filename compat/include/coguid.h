/* Declares the interface ids (IIDs) of COM that exist here: IID_IUnknown and IID_IClassFactory. */
#include "guiddef.h"
