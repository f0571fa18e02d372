// Opens a session over a connection whose variables are resolved, in the protocol era that the server supports:
// "modern" since MCP 2026-07-28, "legacy" before.
import { Client, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { Era, McpConnection } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import { DECLARED_CAPABILITIES } from "./server-requests/capabilities.js";
import type { TransportChannel } from "./channel.js";
import { connectError, httpStatus } from "./failures.js";
import { createHttpChannel, createSseChannel, type HttpParts } from "./http-transport.js";
import type { Installations, InstallStatus } from "./install/installations.js";
import type { SignIn } from "./oauth/sign-in.js";
import type { MessageMonitor } from "./message-monitor.js";
import type { UpstreamOptions } from "./options.js";
import type { Reaper } from "./process/reap-client.js";
import type { StderrRing } from "./process/stderr-ring.js";
import { createUpstreamSession, type UpstreamSession } from "./session.js";
import { startLimitMs } from "./start-limit.js";
import type { Peers } from "./types.js";
import { createStdioChannel } from "./stdio-transport.js";
import type { Notice } from "./types.js";

/**
 * HTTP status codes with which a server that supports only MCP 2024-11-05 responds to the first POST of Streamable
 * HTTP.
 */
const LEGACY_STATUSES = new Set([400, 404, 405]);

const UNSUPPORTED_VERSION: number = ProtocolErrorCode.UnsupportedProtocolVersion;

/** Time limit of the ping after the handshake. Some servers do not respond to a ping. */
const INITIAL_PING_MS = 1000;

export interface ConnectParts {
  readonly server: string;
  readonly version: string;
  readonly options: UpstreamOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly eraHint?: Era;
  readonly stderr: StderrRing;
  readonly secrets: Secrets;
  readonly reaper: Reaper;
  readonly installations: Installations;
  readonly monitor: MessageMonitor;
  /**
   * Called before a stdio server's command is started, with the state of the installation that may precede the server.
   */
  readonly onInstalling: (status: InstallStatus) => void;
  /** Provides access tokens. Set only for a server with sign-in. */
  readonly signIn?: SignIn | undefined;
  /** The number of clients that servers may send requests to. */
  readonly peers: Peers;
  readonly onListChanged: () => void;
  readonly onNotice: (notice: Notice) => void;
  readonly onLost: (reason: DiscoveryError) => void;
  /** Called after a failed start with a promise that resolves when the channel is closed. */
  readonly onClosing: (closed: Promise<void>) => void;
}

/**
 * How to open the session. `probe`: detects the protocol era. `slow-probe`: detects it with the longer time limit of a
 * start. `legacy`: uses `initialize` without detection. `legacy-by-sse`: the same over the HTTP transport of MCP
 * 2024-11-05.
 */
type Plan = "probe" | "slow-probe" | "legacy" | "legacy-by-sse";

interface PlannedConnection {
  readonly connection: McpConnection;
  readonly plan: Plan;
}

export async function openSession(
  connection: McpConnection,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<UpstreamSession> {
  const tried = new Set<Plan>();
  let plan: Plan | undefined = parts.eraHint === "legacy" || connection.kind === "sse" ? "legacy" : "probe";
  let reason: DiscoveryError | undefined;
  while (plan !== undefined && !tried.has(plan)) {
    tried.add(plan);
    const attempt: Attempt = await tryPlan({ connection, plan }, parts, signal);
    if (attempt.kind === "open") return attempt.session;
    // The plan `legacy-by-sse` is a guess. If it fails as well, the earlier failure is the better explanation.
    if (plan !== "legacy-by-sse" || reason === undefined) reason = attempt.reason;
    plan = signal.aborted ? undefined : nextPlan(connection, plan, attempt);
  }
  throw reason ?? connectError(parts.server, signal.reason);
}

type Attempt =
  | { readonly kind: "open"; readonly session: UpstreamSession }
  | { readonly kind: "failed"; readonly reason: DiscoveryError; readonly error: unknown; readonly ended: boolean };

async function tryPlan(planned: PlannedConnection, parts: ConnectParts, signal: AbortSignal): Promise<Attempt> {
  const { connection, plan } = planned;
  signal.throwIfAborted();
  const channel = openChannel(connection, plan, parts);
  const clientInfo = { name: "anygpt-discovery", version: parts.version };
  const client = new Client(clientInfo, {
    capabilities: DECLARED_CAPABILITIES,
    versionNegotiation: {
      mode: "auto",
      probe: { timeoutMs: plan === "slow-probe" ? parts.options.startTimeoutMs : parts.options.probeTimeoutMs },
    },
    // The gateway does not validate results here, and creating the SDK's validator would slow down every start.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  });
  client.onerror = () => undefined;
  try {
    const timeout = startLimitMs(connection, parts.options);
    const prior = plan === "probe" || plan === "slow-probe" ? {} : { prior: { kind: "legacy" as const } };
    await orAborted(client.connect(channel.transport, { signal, timeout, ...prior }), signal);
    // The server may have closed the connection immediately after its last handshake message.
    if (client.transport === undefined) throw channel.ending() ?? new Error("the connection was closed");
    if (parts.peers !== "none" && channel.exclusive) await answerInitialRequests(client);
    const { server, secrets, monitor, onListChanged, onNotice, onLost } = parts;
    const { listTimeoutMs, pulseTimeoutMs, includeContext } = parts.options;
    return {
      kind: "open",
      session: createUpstreamSession({
        server,
        client,
        channel,
        clientInfo,
        listTimeoutMs,
        pulseTimeoutMs,
        includeContext,
        hidesRoots: parts.peers === "many" && connection.kind === "stdio",
        secrets,
        monitor,
        onListChanged,
        onNotice,
        onLost,
      }),
    };
  } catch (error) {
    const closed = channel.close().catch(() => undefined);
    parts.onClosing(closed);
    // Waits for the process to exit, because its exit code explains the failure.
    if (channel.isInputClosed()) await orAborted(closed, signal).catch(() => undefined);
    const aborted: unknown = signal.aborted ? signal.reason : undefined;
    const ending = channel.ending();
    const reason = aborted instanceof DiscoveryError ? aborted : (ending ?? connectError(parts.server, error));
    return { kind: "failed", reason: connectError(parts.server, reason), error, ended: ending !== undefined };
  }
}

/** The next plan to try after a failure: the other protocol era, or the older HTTP transport. */
function nextPlan(
  connection: McpConnection,
  plan: Plan,
  failure: Extract<Attempt, { kind: "failed" }>,
): Plan | undefined {
  const rejected = failure.error instanceof ProtocolError || LEGACY_STATUSES.has(httpStatus(failure.error) ?? 0);
  if (plan === "legacy") return rejected && connection.kind !== "sse" ? "probe" : undefined;
  if (connection.kind === "http") return rejected ? "legacy-by-sse" : undefined;
  // The server started too slowly for the time limit of the probe, so the SDK took it for a server of the legacy era.
  if (plan === "probe" && isVersionRejected(failure.error)) return "slow-probe";
  // Some servers exit when they receive any message before `initialize`. A server that could not be started is not
  // tried again.
  return failure.ended && "exitCode" in failure.reason.facts ? "legacy" : undefined;
}

function isVersionRejected(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === UNSUPPORTED_VERSION;
}

function openChannel(connection: McpConnection, plan: Plan, parts: ConnectParts): TransportChannel {
  switch (connection.kind) {
    case "stdio":
      return createStdioChannel(connection, { ...channelParts(parts), ...stdioParts(parts) });
    case "http":
      return (plan === "legacy-by-sse" ? createSseChannel : createHttpChannel)(connection, httpParts(parts));
    case "sse":
      return createSseChannel(connection, httpParts(parts));
  }
}

function channelParts({ server, options, monitor, onListChanged, onNotice }: ConnectParts) {
  // The list that changed is unknown, because the notification was not parsed.
  const onMissedChange = (): void => {
    onListChanged();
    for (const offers of ["prompts", "resources"] as const) onNotice({ kind: "changed", offers });
  };
  return { server, maxMessageBytes: options.maxMessageBytes, monitor, onMissedChange };
}

function httpParts(parts: ConnectParts): HttpParts {
  return { ...channelParts(parts), env: parts.env, signIn: parts.signIn };
}

function stdioParts({ env, stderr, reaper, secrets, options, installations, onInstalling }: ConnectParts) {
  const { writeTimeoutMs } = options;
  return { env, stderr, reaper, redact: secrets.redact, writeTimeoutMs, installations, onInstalling };
}

/**
 * Some servers request roots immediately after the handshake. Such a request belongs to no call, and the SDK rejects
 * it. The ping delays the first call until such requests have arrived; otherwise they could be attributed to that call.
 */
async function answerInitialRequests(client: Client): Promise<void> {
  if (client.getProtocolEra() === "modern") return;
  await client.request({ method: "ping" }, { timeout: INITIAL_PING_MS }).catch(() => undefined);
}

/** Rejects when the signal is aborted, because the SDK ignores the signal while it negotiates the protocol version. */
function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
