// Rendezvous of two tasklets: one notifies, the other waits for it; who comes first waits.
#ifndef PIMENTO_DPU_HANDSHAKE_H
#define PIMENTO_DPU_HANDSHAKE_H

#include <sysdef.h>

/// Goes on when some tasklet waits, or has waited, for the calling one.
void handshake_notify(void);
/// Goes on when tasklet `notifier` has notified. 0; or 1 at once, where another tasklet waits for it already.
int handshake_wait_for(sysname_t notifier);

#endif
