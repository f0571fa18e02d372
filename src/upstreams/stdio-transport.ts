// A channel to a supervised process over standard input and output. It passes messages on without interpreting them.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { StdioConnection } from "../model/server.js";
import type { Redact } from "../util/secrets.js";
import { toOneLine } from "../util/text.js";
import type { TransportChannel } from "./channel.js";
import {
  type CommandToStart,
  commandToStart,
  type Installation,
  type Installations,
  type InstallStatus,
} from "./install/installations.js";
import type { MessageMonitor } from "./message-monitor.js";
import { oversizeAnswer } from "./oversize.js";
import { createReadMessages, type ReadMessages } from "./read-messages.js";
import { integrityError } from "./install/pinned-integrity.js";
import { type ExitContext, exitError, type ProcessExit } from "./process/exit.js";
import type { Reaper } from "./process/reap-client.js";
import type { StderrRing } from "./process/stderr-ring.js";
import { type SupervisedProcess, superviseProcess } from "./process/supervise.js";

/**
 * How much of a non-MCP line on standard output is kept: more than an error quotes, because redaction does not
 * recognize a truncated secret.
 */
const MAX_STRAY_BYTES = 8192;

export interface StdioParts {
  readonly server: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxMessageBytes: number;
  readonly writeTimeoutMs: number;
  readonly stderr: StderrRing;
  readonly reaper: Reaper;
  readonly redact: Redact;
  readonly installations: Installations;
  readonly monitor: MessageMonitor;
  /** Called when a notification about a changed list was ignored as part of a flood. */
  readonly onMissedChange: () => void;
  /** Called before the command is started, with the state of the installation that may precede the server. */
  readonly onInstalling: (status: InstallStatus) => void;
}

export function createStdioChannel(connection: StdioConnection, parts: StdioParts): TransportChannel {
  const transport = new StdioTransport(connection, parts);
  return {
    transport,
    exclusive: true,
    stalled: () => transport.stalled,
    isInputClosed: () => transport.isInputClosed || transport.ending !== undefined,
    ending: () => transport.ending,
    close: () => transport.close(),
    kill: () => transport.kill(),
  };
}

/** The SDK recognizes a stdio transport by the accessors `pid` and `stderr` when it negotiates the version. */
class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  ending: DiscoveryError | undefined;
  isInputClosed = false;
  readonly stderr = null;
  #process: SupervisedProcess | undefined;
  #stray: string | undefined;
  #isChecked = false;
  #installation: Installation | undefined;
  readonly #command: CommandToStart;
  readonly #readMessages: ReadMessages;
  readonly #closing = new AbortController();
  #startedAt = Date.now();

  constructor(
    private readonly connection: StdioConnection,
    private readonly parts: StdioParts,
  ) {
    this.#command = commandToStart(connection, parts.env);
    this.#readMessages = createReadMessages(parts);
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stalled(): boolean {
    return this.#process?.stalled ?? false;
  }

  async start(): Promise<void> {
    try {
      const fault = this.#integrityFault();
      if (fault !== undefined) throw fault;
      this.#installation = await this.#beginInstallation();
      this.#closing.signal.throwIfAborted();
      this.#startedAt = Date.now();
      this.#process = this.#supervise();
      await this.#process.started;
    } catch (error) {
      if (this.#process === undefined) this.#installation?.ended();
      this.ending ??= error instanceof DiscoveryError ? error : this.#toExitError(toNotStarted(error));
      throw this.ending;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.ending !== undefined) throw this.ending ?? this.#inputUnread();
    const written = await this.#process.write(`${JSON.stringify(message)}\n`);
    if (written === "sent") return;
    if (written === "refused") throw this.#inputClosed();
    // The pipe may contain a partial message, so nothing can be sent after it.
    if (written === "unread") this.ending ??= this.#inputUnread();
    this.#process.kill();
    await this.#process.stop();
    throw this.ending ?? this.#inputUnread();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#process?.stop();
  }

  kill(): void {
    this.#process?.kill();
  }

  async #beginInstallation(): Promise<Installation | undefined> {
    const { installations, stderr, onInstalling } = this.parts;
    return await installations.begin(this.#command, stderr, onInstalling, this.#closing.signal);
  }

  #supervise(): SupervisedProcess {
    const { command, args, cwd } = this.connection;
    return superviseProcess({
      command,
      args,
      ...(cwd === undefined ? {} : { cwd }),
      env: this.#command.env,
      maxLineBytes: this.parts.maxMessageBytes,
      writeTimeoutMs: this.parts.writeTimeoutMs,
      stderr: this.parts.stderr,
      reaper: this.parts.reaper,
      installation: this.#installation,
      onLine: (line) => this.#read(line),
      pauseMs: (spentMs) => this.parts.monitor.pauseMs(spentMs),
      onOverflow: (overflow) => {
        this.parts.monitor.count("refused");
        const answer = oversizeAnswer(overflow);
        if (answer !== undefined) this.onmessage?.(answer as JSONRPCMessage);
      },
      onExit: (exit) => {
        this.ending ??= this.#toExitError(exit);
        this.onclose?.();
      },
    });
  }

  #read(line: Buffer): void {
    if (line.length === 0) return;
    const messages = this.#readMessages.ofLine(line);
    if (messages === undefined) return this.#noteStray(line);
    for (const message of messages) {
      if (!this.#hasPinnedContent()) return;
      this.#process?.settled();
      this.onmessage?.(message as unknown as JSONRPCMessage);
    }
  }

  /** Banners and debug output are common. They explain the failure of a server that never sends a valid message. */
  #noteStray(line: Buffer): void {
    const { monitor } = this.parts;
    monitor.count("notJson");
    monitor.charge(line.length);
    this.#stray ??= line.toString("utf8", 0, MAX_STRAY_BYTES);
  }

  /**
   * Whether npm installed the pinned content. Called before the first message is passed on, because this start may have
   * installed the package.
   */
  #hasPinnedContent(): boolean {
    if (this.#isChecked) return true;
    const fault = this.#integrityFault();
    this.#isChecked = fault === undefined;
    if (fault === undefined) return true;
    this.ending ??= fault;
    this.#process?.kill();
    return false;
  }

  #integrityFault(): DiscoveryError | undefined {
    return integrityError(this.#command, this.connection.integrity, this.parts.server);
  }

  #toExitError(exit: ProcessExit): DiscoveryError {
    const { server, stderr, redact, installations } = this.parts;
    const lines = stderr.lines();
    const { command, cwd } = this.connection;
    const npmLog = lines.length === 0 && exit.kind === "exited" ? this.#npmLog() : undefined;
    return exitError(exit, {
      server,
      command,
      ...(cwd === undefined ? {} : { cwd }),
      stderr: lines,
      startHint: this.connection.startHint,
      npmLog,
      args: canRepeatCommand(this.connection, this.parts) ? this.connection.args : undefined,
      childEnv: this.#command.env,
      gatewayEnv: this.parts.env,
      ...(this.#stray === undefined ? {} : { stdout: toOneLine(redact(this.#stray)).slice(0, 200) }),
      ...(exit.kind === "exited" ? { brokenNpxFolder: installations.brokenNpxFolder(this.#command, lines) } : {}),
    });
  }

  #npmLog(): ExitContext["npmLog"] {
    const { redact, installations } = this.parts;
    const found = installations.npmLog(this.#command, this.#startedAt);
    return (
      found && { ...found, line: found.line === undefined ? undefined : toOneLine(redact(found.line)).slice(0, 500) }
    );
  }

  /**
   * The error after the server has closed its input. Kills the process, so that its exit code explains the failure to
   * the calls that still wait for responses.
   */
  #inputClosed(): DiscoveryError {
    const { server } = this.parts;
    this.isInputClosed = true;
    this.#process?.kill();
    return (
      this.ending ??
      new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} no longer accepts input; nothing was sent.`, {
        hint: [{ action: "retry" }, "If it happens again, run the server's command in a terminal to see why it ends."],
        server,
        executed: "no",
      })
    );
  }

  #inputUnread(): DiscoveryError {
    return new DiscoveryError(
      "TOOL_EXECUTION_TIMEOUT",
      `${this.parts.server} stopped reading its input and is replaced.`,
      {
        hint: "Check what the call has done before you repeat it. If it happens again, the server hangs on this input.",
        server: this.parts.server,
        executed: "unknown",
      },
    );
  }
}

function toNotStarted(error: unknown): ProcessExit {
  return { kind: "not-started", error: error instanceof Error ? error : new Error(String(error)) };
}

/** Whether a command line can express the complete configuration entry without revealing a secret. */
function canRepeatCommand(connection: StdioConnection, parts: Pick<StdioParts, "env" | "redact">): boolean {
  const { args, env, cwd, inheritEnv = [] } = connection;
  // Servers in the user's configuration start in the home folder by default.
  const home = parts.env["HOME"] ?? parts.env["USERPROFILE"];
  const isBare = Object.keys(env).length === 0 && (cwd === undefined || cwd === home) && inheritEnv.length === 0;
  return isBare && args.every((word) => parts.redact(word) === word);
}
