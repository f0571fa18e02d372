import type { CallerPeer } from "../../model/call.js";

/** Frees the slot of a waiting call for another call, until the returned function is called. */
export type ReleaseSlot = () => () => void;

/** Wraps a client so that a call frees its slot while it waits for the client: a user may take minutes to answer. */
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
