import type { CallerPeer } from "../../model/call.js";

/** Frees the slot of a waiting call for another call, until the returned function is called. */
export type ReleaseSlot = () => () => void;

/**
 * The same client. A call that waits for its answer does not block other calls, because a user may take minutes to
 * answer.
 */
export function slotReleasingPeer(peer: CallerPeer, releaseSlot: ReleaseSlot): CallerPeer {
  const request: CallerPeer["request"] = async (question, signal) => {
    const reacquire = releaseSlot();
    try {
      return await peer.request(question, signal);
    } finally {
      reacquire();
    }
  };
  return { ...peer, request };
}
