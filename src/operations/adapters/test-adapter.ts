import type { ConvertedDocument } from "../../adapters/convert-document.js";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import { localActor } from "../../model/actor.js";
import { type DescribeStep, describeLibraryStep, type NextStep, withHintText } from "../../model/next-steps.js";
import { baseAddressError, parseBaseAddress } from "../../upstreams/rest/base-address.js";
import { isWebAddress } from "../../upstreams/rest/document.js";
import { createGuardedFetch } from "../../util/net/guarded-fetch.js";
import { openCatalog } from "../open-catalog.js";
import { describeAuth } from "./auth-words.js";
import { type Adapter, findAdapter, toReadable } from "./find-adapter.js";
import { neededVariables } from "./inspect-adapter.js";
import { readAdapter } from "./read-adapter.js";

const MAX_START_MS = 60_000;

/** Options of `testAdapter`. */
export interface TestAdapterOptions {
  /**
   * A read-only tool without required arguments. The test calls it instead of sending a HEAD request to the base URL.
   */
  readonly tool?: string;
  /** Called with a description of the test request; returns true to send it. Default: no request is sent. */
  readonly confirm?: (request: string) => Promise<boolean>;
  /** Called with the promise that reads the API document, for example to show progress. @internal */
  readonly onRead?: <T>(work: Promise<T>) => Promise<T>;
  /** Called with the promise of the test request, for example to show progress. @internal */
  readonly onRequest?: <T>(request: string, work: Promise<T>) => Promise<T>;
  readonly signal?: AbortSignal;
  /** Renders the suggested next steps after a failure as text. Default: as calls to this library. @internal */
  readonly describe?: DescribeStep;
}

/** Checks the API document, the variables, the authentication and the base URL of an adapter. */
export async function testAdapter(
  engine: DiscoveryEngine,
  name: string,
  options: TestAdapterOptions = {},
): Promise<AdapterCheck[]> {
  const stages = await openCatalog(engine);
  const adapter = findAdapter(name, stages);
  const reading = readOrError(adapter, stages, options.signal);
  const read = await (options.onRead?.(reading) ?? reading);
  const { describe = describeLibraryStep } = options;
  return [
    documentCheck(adapter.name, read, describe),
    ...operationsCheck(read),
    ...variableChecks(adapter, stages),
    ...authCheck(adapter, read),
    await requestCheck({ adapter, stages, read, options, describe }),
  ];
}

/** One check of an adapter. */
export interface AdapterCheck {
  readonly name: string;
  /** `open`: not checked, because the request was not confirmed. */
  readonly status: "ok" | "notice" | "failed" | "open";
  readonly detail: string;
}

type Read = ConvertedDocument | DiscoveryError;

async function readOrError(
  { name, connection }: Adapter,
  { variables, runtime }: Stages,
  signal?: AbortSignal,
): Promise<Read> {
  try {
    const readable = toReadable(connection, (text) =>
      text === connection.document ? variables.resolve(text) : resolveOrKeep(text, variables),
    );
    return await readAdapter(name, readable, { env: runtime.env, signal });
  } catch (error) {
    return toDiscoveryError(error);
  }
}

/** Resolves variables. If one is unset, returns the text unchanged: `variableChecks` reports the unset variable. */
function resolveOrKeep(text: string, variables: Stages["variables"]): string {
  try {
    return variables.resolve(text);
  } catch {
    return text;
  }
}

function documentCheck(adapter: string, read: Read, describe: DescribeStep): AdapterCheck {
  if (read instanceof DiscoveryError)
    return { name: "document", status: "failed", detail: withHintText(read, describe) };
  const { tools, dropped, format } = read;
  const command = `anygpt mcp adapter inspect ${adapter}`;
  const seeDropped: NextStep = { action: "run-command", command, purpose: "see the reasons" };
  const droppedText = dropped.length === 0 ? "" : `, ${dropped.length} dropped. ${describe(seeDropped)}`;
  const hasTools = tools.length > 0;
  return {
    name: "document",
    status: hasTools ? (dropped.length === 0 ? "ok" : "notice") : "failed",
    detail: `${format}, ${tools.length} operation${tools.length === 1 ? "" : "s"}${droppedText}`,
  };
}

const MAX_NAMED = 10;

/** Reports patterns in the adapter's setting `operations` that match no operation. */
function operationsCheck(read: Read): AdapterCheck[] {
  if (read instanceof DiscoveryError || read.unmatched.length === 0) return [];
  const named = read.unmatched.slice(0, MAX_NAMED).join(", ");
  const more = read.unmatched.length > MAX_NAMED ? " …" : "";
  return [{ name: "operations", status: "notice", detail: `no operation is named ${named}${more}` }];
}

function variableChecks(adapter: Adapter, { variables }: Stages): AdapterCheck[] {
  return neededVariables(adapter, variables).map(({ name, status }) => ({
    name: `variable ${name}`,
    status: status === "missing" ? "failed" : "ok",
    detail: status === "missing" ? "not set; set it in the environment or in ~/.ai/.env" : "set",
  }));
}

/** Compares the configured authentication with the methods that the document declares. */
function authCheck({ connection: { auth } }: Adapter, read: Read): AdapterCheck[] {
  if (read instanceof DiscoveryError || read.auth.length === 0) return [];
  const wanted = read.auth.map(describeAuth).join(", or ");
  if (auth === undefined)
    return [{ name: "authentication", status: "notice", detail: `none; the document requires ${wanted}` }];
  const isWanted = read.auth.some(({ kind }) => kind === auth.kind);
  const detail = isWanted ? describeAuth(auth) : `${describeAuth(auth)}, but the document requires ${wanted}`;
  return [{ name: "authentication", status: isWanted ? "ok" : "notice", detail }];
}

interface RequestParts {
  readonly adapter: Adapter;
  readonly stages: Stages;
  readonly read: Read;
  readonly options: TestAdapterOptions;
  readonly describe: DescribeStep;
}

/** Sends one read-only request if it is confirmed: a call of the named tool, or a HEAD request to the base URL. */
async function requestCheck({ adapter, stages, read, options, describe }: RequestParts): Promise<AdapterCheck> {
  const { tool = "", confirm, signal, onRequest } = options;
  const { connection, name } = adapter;
  const base = findAddress(adapter, stages, read);
  if (base instanceof DiscoveryError)
    return { name: "address", status: "failed", detail: withHintText(base, describe) };
  if (tool !== "") assertReadOnly(tool, name, read);
  const what = tool === "" ? `HEAD ${base}` : `${name}:${tool}`;
  if ((await confirm?.(what)) !== true)
    return { name: "address", status: "open", detail: `${base}, not checked; --yes sends ${what}` };
  const work =
    tool === ""
      ? reach(name, base, { connection, signal, describe })
      : callTool(name, tool, { stages, signal, describe });
  return await (onRequest?.(what, work) ?? work);
}

/** The base URL for calls, or the error that explains why the base URL is unknown. */
function findAddress({ name, connection }: Adapter, { variables }: Stages, read: Read): string | DiscoveryError {
  try {
    const documented = read instanceof DiscoveryError ? undefined : read.baseUrl;
    const address = connection.baseUrl === undefined ? documented : variables.resolve(connection.baseUrl);
    if (address === undefined) return baseAddressError(name, "is not known");
    const document = connection.baseUrl === undefined ? variables.resolve(connection.document) : "";
    const documentUrl = isWebAddress(document) ? document : undefined;
    const { origin, prefix } = parseBaseAddress({ server: name, address, documentUrl });
    return `${origin}${prefix}`;
  } catch (error) {
    return toDiscoveryError(error);
  }
}

function assertReadOnly(tool: string, server: string, read: Read): void {
  if (read instanceof DiscoveryError) throw read;
  const found = read.tools.find(({ name }) => name === tool);
  if (found === undefined) {
    throw new DiscoveryError("TOOL_NOT_FOUND", `${server} has no tool "${tool}".`, {
      hint: { action: "run-command", command: `anygpt mcp adapter inspect ${server}`, purpose: "see all tools" },
    });
  }
  const isReadOnly = found.operation?.method === "GET" || found.operation?.method === "HEAD";
  const { required = [] } = found.inputSchema;
  if (isReadOnly && Array.isArray(required) && required.length === 0) return;
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The tool ${tool} cannot be used as a test: it requires arguments or is not read-only.`,
    {
      hint: ["Name a read-only tool without required arguments.", { action: "execute", server, tool }],
    },
  );
}

const MAX_WAIT_MS = 15_000;
const MAX_ANSWER_BYTES = 1_048_576;

interface ReachParts {
  readonly connection: Adapter["connection"];
  readonly signal: AbortSignal | undefined;
  readonly describe: DescribeStep;
}

/** Checks that the base URL is reachable. Sends no credentials, so any HTTP status counts as success. */
async function reach(
  server: string,
  base: string,
  { connection, signal, describe }: ReachParts,
): Promise<AdapterCheck> {
  const url = new URL(base);
  const guarded = createGuardedFetch({ server, allowInternal: connection.baseUrl === undefined ? [] : [url.origin] });
  try {
    const { status, body } = await guarded.fetch(
      {
        url,
        method: "HEAD",
        headers: {},
        timeoutMs: MAX_WAIT_MS,
        maxTotalMs: MAX_WAIT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        redirect: "refuse",
      },
      signal,
    );
    await body.return();
    return { name: "address", status: "ok", detail: `${base} answers (HTTP ${status} to HEAD)` };
  } catch (error) {
    return { name: "address", status: "failed", detail: withHintText(toDiscoveryError(error), describe) };
  } finally {
    guarded.close();
  }
}

async function callTool(
  server: string,
  tool: string,
  { stages, signal, describe }: Pick<RequestParts, "stages" | "describe"> & Pick<ReachParts, "signal">,
): Promise<AdapterCheck> {
  const name = `call of ${tool}`;
  try {
    const call = {
      context: { actor: localActor("cli"), signal },
      server,
      tool,
      arguments: {},
      startWaitMs: MAX_START_MS,
    };
    const { isError } = await stages.execute(call);
    return {
      name,
      status: isError === true ? "failed" : "ok",
      detail: isError === true ? "the tool returned an error" : "the tool returned a result",
    };
  } catch (error) {
    return { name, status: "failed", detail: withHintText(toDiscoveryError(error), describe) };
  }
}
