/* Another spelling of ntstatus.h. */
#include "ntstatus.h"
