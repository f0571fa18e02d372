// Signals that arrive while the program starts. `main.ts` imports this module first: until a handler exists, SIGHUP ends
// the process, and SIGUSR1 makes Node.js open its debugger port, through which every local program could read the
// secrets of the gateway and run code in it.

let isPending = false;
const hold = (): void => void (isPending = true);

process.on("SIGHUP", hold);
process.on("SIGUSR1", () => undefined);

/**
 * Decides what SIGHUP does from now on. With a listener, it calls the listener, at once if the signal has already
 * arrived. Without one, it ends the process, as the system does by default.
 */
export function settleHangup(listener: (() => void) | undefined): void {
  // Add the new listener first: without any listener, a signal would end the process.
  if (listener !== undefined) process.on("SIGHUP", listener);
  process.off("SIGHUP", hold);
  if (!isPending) return;
  isPending = false;
  if (listener === undefined) process.kill(process.pid, "SIGHUP");
  else listener();
}
