// The requests from a client to a daemon, and their responses.

/** The properties of the client's process that a command uses. */
export interface CommandRequest {
  readonly kind: "command";
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  readonly columns: number;
  readonly stderrColumns: number;
  /** The client's parent process, where the search for a gateway among the client's ancestors begins. */
  readonly parentPid: number;
}

export type DaemonRequest = CommandRequest | { readonly kind: "status" } | { readonly kind: "stop" };

export type CommandAnswer =
  | { readonly kind: "accepted" }
  /** The daemon is shutting down and accepts no more commands. The client must start another daemon. */
  | { readonly kind: "leaving"; readonly reason: string }
  /** The command must run in the client's process. */
  | { readonly kind: "refused"; readonly reason: string };

export interface DaemonStatus {
  readonly pid: number;
  /** When the daemon was started, in ISO 8601. */
  readonly since: string;
  readonly cwd: string;
  readonly config: string | null;
  readonly version: string;
  readonly running: number;
  readonly served: number;
  readonly idleSeconds: number;
  readonly memoryBytes: number;
  /** Names of servers with an open connection. */
  readonly servers: readonly string[];
  /** True if the daemon accepts no more commands and exits when its running commands have ended. */
  readonly isLeaving: boolean;
}
