// The ways in which a client can cancel a call: each starts a call that the server holds, and cancels it on request.
import { modern, openMcpSession } from "../../support/mcp-http.js";
import type { StdioWire } from "./stdio-wire.js";
import { toLine } from "./stdio-wire.js";

export interface HeldCall {
  readonly marker: string;
  readonly server: string;
  readonly how: string;
  cancel(): Promise<void> | void;
}

export type BeginCall = (marker: string, server: string) => HeldCall;

const paramsOf = (marker: string, server: string) => ({
  name: "execute_tool",
  arguments: { server, tool: "hold", arguments: { marker } },
});

/** Ids of every form, including the number 0. */
export function stdioCaller(wire: StdioWire): BeginCall {
  let count = 0;
  return (marker, server) => {
    const id = count % 2 === 0 ? count : `call ${count}`;
    count += 1;
    void wire.write(toLine({ id, method: "tools/call", params: paramsOf(marker, server) }));
    const note = toLine({ method: "notifications/cancelled", params: { requestId: id, reason: "cancelled" } });
    return { marker, server, how: "notifications/cancelled on stdio", cancel: () => wire.write(note) };
  };
}

export interface Caller {
  readonly url: string;
  readonly token: string;
}

/** A stateless request whose stream is closed. */
export function statelessCaller({ url, token }: Caller): BeginCall {
  return (marker, server) => {
    const { body, headers } = modern("tools/call", paramsOf(marker, server));
    const leaving = new AbortController();
    const sent = fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...ACCEPT, ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    sent.then((response) => response.text()).catch(() => undefined);
    return { marker, server, how: "a stream that is closed", cancel: () => leaving.abort() };
  };
}

const ACCEPT = { accept: "application/json, text/event-stream" };

export interface CallSession {
  readonly begin: BeginCall;
  /** Closes the connections of all calls that were started and not cancelled: in this era that is not a cancellation. */
  hangUp(): void;
}

/** A session whose client sends a cancellation. */
export async function openCallSession({ url, token }: Caller): Promise<CallSession> {
  const session = await openMcpSession({ url, token });
  const leaving = new Set<AbortController>();
  let count = 0;
  const begin: BeginCall = (marker, server) => {
    const id = count;
    count += 1;
    const gone = new AbortController();
    leaving.add(gone);
    const sent = fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "mcp-session-id": session.id,
        ...ACCEPT,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: paramsOf(marker, server) }),
      signal: gone.signal,
    });
    sent.then((response) => response.text()).catch(() => undefined);
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
    return {
      marker,
      server,
      how: "notifications/cancelled in a session",
      cancel: async () => void (await session.post(note)),
    };
  };
  return {
    begin,
    hangUp() {
      for (const one of leaving) one.abort();
      leaving.clear();
    },
  };
}
