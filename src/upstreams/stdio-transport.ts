// A stdio connection comes in, a channel on a supervised process goes out. It knows messages, not what they mean.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import type { StdioConnection } from "../model/server.js";
import type { Redact } from "../util/secrets.js";
import { toOneLine } from "../util/text.js";
import type { Channel } from "./channel.js";
import type { CommandToStart, Installation, Installations, InstallStatus } from "./install/installations.js";
import { oversizeAnswer } from "./oversize.js";
import { childEnvironment } from "./process/child-environment.js";
import { exitError, type ProcessExit } from "./process/exit.js";
import type { Reaper } from "./process/reap-client.js";
import type { StderrRing } from "./process/stderr-ring.js";
import { type SupervisedProcess, superviseProcess } from "./process/supervise.js";

/** More than is quoted: of a secret that is cut in two, the first half would not be known for one. */
const LONGEST_STRAY = 8192;

export interface StdioParts {
  readonly server: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxMessageBytes: number;
  readonly writeTimeoutMs: number;
  readonly stderr: StderrRing;
  readonly reaper: Reaper;
  readonly redact: Redact;
  readonly installations: Installations;
  /** The command may install its package first. */
  readonly onInstalling: (status: InstallStatus) => void;
}

export function createStdioChannel(connection: StdioConnection, parts: StdioParts): Channel {
  const transport = new StdioTransport(connection, parts);
  return {
    transport,
    exclusive: true,
    stalled: () => transport.stalled,
    deaf: () => transport.isDeaf || transport.ending !== undefined,
    ending: () => transport.ending,
    close: () => transport.close(),
    kill: () => transport.kill(),
  };
}

/** The accessors `pid` and `stderr` are how the SDK recognises a stdio transport when it negotiates the version. */
class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  ending: DiscoveryError | undefined;
  isDeaf = false;
  readonly stderr = null;
  #process: SupervisedProcess | undefined;
  #stray: string | undefined;
  #installation: Installation | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #closing = new AbortController();

  constructor(
    private readonly connection: StdioConnection,
    private readonly parts: StdioParts,
  ) {
    this.#env = childEnvironment(parts.env, connection.env, connection.inheritEnv);
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stalled(): boolean {
    return this.#process?.stalled ?? false;
  }

  async start(): Promise<void> {
    try {
      this.#installation = await this.#beginInstallation();
      this.#closing.signal.throwIfAborted();
      this.#process = this.#supervise();
      await this.#process.started;
    } catch (error) {
      if (this.#process === undefined) this.#installation?.ended();
      this.ending ??= error instanceof DiscoveryError ? error : this.#whyGone(toNotStarted(error));
      throw this.ending;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.ending !== undefined) throw this.ending ?? this.#notRead();
    const written = await this.#process.write(`${JSON.stringify(message)}\n`);
    if (written === "sent") return;
    if (written === "refused") throw this.#refused();
    // Half a message may be in the pipe: nothing can follow it.
    if (written === "unread") this.ending ??= this.#notRead();
    this.#process.kill();
    await this.#process.stop();
    throw this.ending ?? this.#notRead();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#process?.stop();
  }

  kill(): void {
    this.#process?.kill();
  }

  get #command(): CommandToStart {
    const { command, args, cwd = process.cwd() } = this.connection;
    return { command, args, cwd, env: this.#env };
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
      env: this.#env,
      maxLineBytes: this.parts.maxMessageBytes,
      writeTimeoutMs: this.parts.writeTimeoutMs,
      stderr: this.parts.stderr,
      reaper: this.parts.reaper,
      installation: this.#installation,
      onLine: (line) => this.#read(line),
      onOverflow: (overflow) => {
        const answer = oversizeAnswer(overflow);
        if (answer !== undefined) this.onmessage?.(answer as JSONRPCMessage);
      },
      onExit: (exit) => {
        this.ending ??= this.#whyGone(exit);
        this.onclose?.();
      },
    });
  }

  #read(line: Buffer): void {
    if (line.length === 0) return;
    let value: unknown;
    try {
      value = JSON.parse(line.toString("utf8"));
    } catch {
      // Banners and debug output on stdout are common; they only matter if the server never speaks properly.
      this.#stray ??= line.toString("utf8", 0, LONGEST_STRAY);
      return;
    }
    for (const message of Array.isArray(value) ? value : [value]) {
      if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") continue;
      this.#process?.settled();
      this.onmessage?.(message as JSONRPCMessage);
    }
  }

  #whyGone(exit: ProcessExit): DiscoveryError {
    const { server, stderr, redact, installations } = this.parts;
    const lines = stderr.lines();
    const { command, cwd } = this.connection;
    return exitError(exit, {
      server,
      command,
      ...(cwd === undefined ? {} : { cwd }),
      stderr: lines,
      startHint: this.connection.startHint,
      ...(this.#stray === undefined ? {} : { stdout: toOneLine(redact(this.#stray)).slice(0, 200) }),
      ...(exit.kind === "exited" ? { brokenNpxFolder: installations.brokenNpxFolder(this.#command, lines) } : {}),
    });
  }

  /** It is over; why, its exit will tell those who still wait for answers. */
  #refused(): DiscoveryError {
    const { server } = this.parts;
    this.isDeaf = true;
    this.#process?.kill();
    return (
      this.ending ??
      new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} does not take input any more; nothing was sent.`, {
        hint: "Call again; if it happens again, run its command in a terminal to see why it ends.",
        server,
        executed: "no",
      })
    );
  }

  #notRead(): DiscoveryError {
    return new DiscoveryError(
      "TOOL_EXECUTION_TIMEOUT",
      `${this.parts.server} stopped reading its input and is replaced.`,
      {
        hint: "Call again; if it happens again, the server hangs on this input.",
        server: this.parts.server,
        executed: "unknown",
      },
    );
  }
}

function toNotStarted(error: unknown): ProcessExit {
  return { kind: "not-started", error: error instanceof Error ? error : new Error(String(error)) };
}
