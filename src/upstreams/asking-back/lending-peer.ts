import type { CallerPeer } from "../../model/call.js";

/** Makes room for another call until the result is called. */
export type Lend = () => () => void;

/** The same client. While it is asked, its call keeps nobody else out: a person may take minutes. */
export function lendingPeer(peer: CallerPeer, lend: Lend): CallerPeer {
  const request: CallerPeer["request"] = async (question, signal) => {
    const takeBack = lend();
    try {
      return await peer.request(question, signal);
    } finally {
      takeBack();
    }
  };
  return { ...peer, request };
}
