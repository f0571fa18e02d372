import type { ConvertedDocument } from "../../../adapters/convert-document.js";
import type { Stages } from "../../../compose.js";
import { DiscoveryError, ERRORS, toDiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { notAnAddress, parseBaseAddress } from "../../../upstreams/rest/base-address.js";
import { isWebAddress } from "../../../upstreams/rest/document.js";
import { createGuardedFetch } from "../../../util/net/guarded-fetch.js";
import { describeAuth } from "../adapters/auth-words.js";
import { type Adapter, findAdapter, toReadable } from "../adapters/find-adapter.js";
import { neededVariables } from "../adapters/inspect-page.js";
import { readAdapter } from "../adapters/read-adapter.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { reasonOf } from "../failure.js";
import { BAD, bold, count, dim, GOOD, line, type Line, WARNING } from "../lines.js";
import { LONGEST_START_MS, openCatalog, withEngine } from "../session.js";

export const testAdapter: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const adapter = findAdapter(input.argument("server"), stages);
    const read = await context.wait(
      readOrReason(adapter, stages, context),
      () => `Reading the document of ${adapter.name}…`,
    );
    const checks = [
      documentCheck(read),
      ...operationsCheck(read),
      ...variableChecks(adapter, stages),
      ...authCheck(adapter, read),
      await requestCheck({ adapter, stages, read, input, context }),
    ];
    if (context.isJson) context.json({ adapter: adapter.name, checks });
    else context.show([line(0, bold(adapter.name), ":"), ...checks.map(checkLine)]);
    const isWell = checks.every(({ status }) => status !== "failed");
    return isWell ? 0 : ERRORS.SERVER_CONNECTION_ERROR.exit;
  });

interface Check {
  readonly name: string;
  /** `open`: nobody agreed to what would have told. */
  readonly status: "ok" | "notice" | "failed" | "open";
  readonly detail: string;
}

type Read = ConvertedDocument | DiscoveryError;

async function readOrReason({ name, connection }: Adapter, { variables }: Stages, context: Context): Promise<Read> {
  try {
    const readable = toReadable(connection, (text) =>
      text === connection.document ? variables.resolve(text) : resolvedOrWritten(text, variables),
    );
    return await readAdapter(name, readable, context.io);
  } catch (error) {
    return toDiscoveryError(error);
  }
}

/** Where the API is has a check of its own; its document is read all the same. */
function resolvedOrWritten(text: string, variables: Stages["variables"]): string {
  try {
    return variables.resolve(text);
  } catch {
    return text;
  }
}

function documentCheck(read: Read): Check {
  if (read instanceof DiscoveryError) return { name: "document", status: "failed", detail: reasonOf(read) };
  const { tools, dropped, format } = read;
  const left = dropped.length === 0 ? "" : `, ${dropped.length} left out (\`anygpt mcp adapter inspect\` says why)`;
  const isWell = tools.length > 0;
  return {
    name: "document",
    status: isWell ? (dropped.length === 0 ? "ok" : "notice") : "failed",
    detail: `${format}, ${count(tools.length, "operation")}${left}`,
  };
}

const MOST_NAMED = 10;

/** Whether all that the configuration says of operations is about one. */
function operationsCheck(read: Read): Check[] {
  if (read instanceof DiscoveryError || read.unmatched.length === 0) return [];
  const named = read.unmatched.slice(0, MOST_NAMED).join(", ");
  const more = read.unmatched.length > MOST_NAMED ? " …" : "";
  return [{ name: "operations", status: "notice", detail: `no operation is named ${named}${more}` }];
}

function variableChecks(adapter: Adapter, { variables }: Stages): Check[] {
  return neededVariables(adapter, variables).map(({ name, status }) => ({
    name: `variable ${name}`,
    status: status === "missing" ? "failed" : "ok",
    detail: status === "missing" ? "not set; set it in the environment or in ~/.ai/.env" : "set",
  }));
}

/** Whether what is configured is one of the ways that the document knows. */
function authCheck({ connection: { auth } }: Adapter, read: Read): Check[] {
  if (read instanceof DiscoveryError || read.auth.length === 0) return [];
  const wanted = read.auth.map(describeAuth).join(", or ");
  if (auth === undefined)
    return [{ name: "authentication", status: "notice", detail: `none; the document wants ${wanted}` }];
  const isWanted = read.auth.some(({ kind }) => kind === auth.kind);
  const detail = isWanted ? describeAuth(auth) : `${describeAuth(auth)}, but the document wants ${wanted}`;
  return [{ name: "authentication", status: isWanted ? "ok" : "notice", detail }];
}

interface RequestParts {
  readonly adapter: Adapter;
  readonly stages: Stages;
  readonly read: Read;
  readonly input: Input;
  readonly context: Context;
}

/** One request that changes nothing, if the person agrees: a call of the tool that was named, else a HEAD to the address. */
async function requestCheck({ adapter, stages, read, input, context }: RequestParts): Promise<Check> {
  const tool = input.argument("tool");
  const { connection, name } = adapter;
  const base = findAddress(adapter, stages, read);
  if (base instanceof DiscoveryError) return { name: "address", status: "failed", detail: reasonOf(base) };
  if (tool !== "") assertHarmless(tool, name, read);
  const what = tool === "" ? `HEAD ${base}` : `${name}:${tool}`;
  const isAgreed = input.flag("yes") || (canInterrupt(context) && (await ask(`Send ${what}?`, context)) === "yes");
  if (!isAgreed) return { name: "address", status: "open", detail: `${base}, not asked; --yes sends ${what}` };
  const work =
    tool === ""
      ? reach(name, base, { connection, signal: context.io.signal })
      : callTool(name, tool, { stages, context });
  return await context.wait(work, () => `Waiting for ${what}…`);
}

/** The address as calls take it, or why there is none. */
function findAddress({ name, connection }: Adapter, { variables }: Stages, read: Read): string | DiscoveryError {
  try {
    const said = read instanceof DiscoveryError ? undefined : read.baseUrl;
    const given = connection.baseUrl === undefined ? said : variables.resolve(connection.baseUrl);
    if (given === undefined) return notAnAddress(name, "is not known");
    const document = connection.baseUrl === undefined ? variables.resolve(connection.document) : "";
    const documentUrl = isWebAddress(document) ? document : undefined;
    const { origin, prefix } = parseBaseAddress({ server: name, address: given, documentUrl });
    return `${origin}${prefix}`;
  } catch (error) {
    return toDiscoveryError(error);
  }
}

function assertHarmless(tool: string, server: string, read: Read): void {
  if (read instanceof DiscoveryError) throw read;
  const found = read.tools.find(({ name }) => name === tool);
  if (found === undefined) {
    throw new DiscoveryError("TOOL_NOT_FOUND", `${server} has no tool "${tool}".`, {
      hint: `\`anygpt mcp adapter inspect ${server}\` lists them.`,
    });
  }
  const isReading = found.operation?.method === "GET" || found.operation?.method === "HEAD";
  if (isReading && found.inputSchema["required"] === undefined) return;
  throw new DiscoveryError("INVALID_REQUEST", `${tool} needs arguments or does more than read, so it is no test.`, {
    hint: `Name a tool that reads without arguments, or use \`anygpt mcp execute ${server} ${tool}\`.`,
  });
}

const LONGEST_WAIT_MS = 15_000;
const LARGEST_ANSWER = 1_048_576;

/** Whether anything answers there; without credentials, so that any answer will do. */
async function reach(
  server: string,
  base: string,
  { connection, signal }: { readonly connection: Adapter["connection"]; readonly signal: AbortSignal },
): Promise<Check> {
  const url = new URL(base);
  const guarded = createGuardedFetch({ server, allowInward: connection.baseUrl === undefined ? [] : [url.origin] });
  try {
    const { status, body } = await guarded.fetch(
      {
        url,
        method: "HEAD",
        headers: {},
        timeoutMs: LONGEST_WAIT_MS,
        maxTotalMs: LONGEST_WAIT_MS,
        maxBytes: LARGEST_ANSWER,
        redirect: "refuse",
      },
      signal,
    );
    await body.return();
    return { name: "address", status: "ok", detail: `${base} answers (HTTP ${status} to HEAD)` };
  } catch (error) {
    return { name: "address", status: "failed", detail: reasonOf(toDiscoveryError(error)) };
  } finally {
    guarded.close();
  }
}

async function callTool(
  server: string,
  tool: string,
  { stages, context }: { readonly stages: Stages; readonly context: Context },
): Promise<Check> {
  const name = `call of ${tool}`;
  try {
    const call = { actor: localActor("cli"), server, tool, arguments: {}, startWaitMs: LONGEST_START_MS };
    const { isError } = await stages.execute(call, context.io.signal);
    return {
      name,
      status: isError === true ? "failed" : "ok",
      detail: isError === true ? "answered an error" : "answered",
    };
  } catch (error) {
    return { name, status: "failed", detail: reasonOf(toDiscoveryError(error)) };
  }
}

const MARKS = { ok: GOOD, notice: WARNING, failed: BAD, open: dim("-") } as const;

function checkLine({ name, status, detail }: Check): Line {
  return line(2, MARKS[status], " ", bold(name), `: ${detail}`);
}
