import type { Transport } from "@modelcontextprotocol/client";
import type { DiscoveryError } from "../errors.js";

/** A connection to one server: the SDK's transport, with the state that the SDK does not expose. */
export interface TransportChannel {
  readonly transport: Transport;
  /** True if the server does not read its input. If a call then times out, the channel is closed and replaced. */
  stalled(): boolean;
  /** True if the server no longer accepts input. */
  isInputClosed(): boolean;
  /** True if one process serves the whole channel, so that a hanging process affects all calls. */
  readonly exclusive: boolean;
  /** Why the channel has ended, or why it could not be opened. */
  ending(): DiscoveryError | undefined;
  close(): Promise<void>;
  /** Ends the channel immediately, without the orderly steps of `close`. */
  kill(): void;
}
