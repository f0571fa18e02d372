import type { Transport } from "@modelcontextprotocol/client";
import type { DiscoveryError } from "../errors.js";

/** A way to one server: the SDK's transport, and what only we know about it. */
export interface Channel {
  readonly transport: Transport;
  /** True when the server leaves unread what we sent: a call that timed out then condemns the channel. */
  stalled(): boolean;
  /** True when the server takes nothing more of what we send. */
  deaf(): boolean;
  /** True when one process serves the whole channel, so that its silence concerns all calls. */
  readonly exclusive: boolean;
  /** Why the channel is no more, or why it could not be opened. */
  ending(): DiscoveryError | undefined;
  close(): Promise<void>;
  /** Ends it at once, without the courtesies of `close`. */
  kill(): void;
}
