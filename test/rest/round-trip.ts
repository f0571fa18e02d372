import { isJsonObject, type JsonObject } from "../../src/model/json.js";
import type { RestOperation } from "../../src/model/operation.js";
import type { ToolDefinition } from "../../src/model/tool.js";
import { createRandom } from "../faults/support/random.js";
import { generateArguments } from "./generate-arguments.js";
import { type Judgement, openJudge, unjudgedPaths } from "./request-validator.js";
import { open, toCall } from "./session.js";

export interface RoundTripGiven {
  /** OpenAPI 3, unchanged. */
  readonly document: JsonObject;
  readonly tools: readonly ToolDefinition[];
  readonly seed: number;
  /** How many of the tools, chosen by the seed. */
  readonly count: number;
}

export interface RoundTrip {
  readonly sent: number;
  /** Tools whose path the validator cannot parse or distinguish from another. */
  readonly unjudged: number;
  /** Tools for whose schema no arguments were found. */
  readonly without: readonly string[];
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly tool: string;
  readonly reason: string;
  readonly arguments: JsonObject;
}

/** The validator reads the whole document at its first request. */
const PATIENCE = { timeoutMs: 120_000, maxTotalMs: 120_000 };

/** Sends arguments generated from each tool's schema through a session, and validates the requests against the document. */
export async function roundTrip({ document, tools, seed, count }: RoundTripGiven): Promise<RoundTrip> {
  const judge = await openJudge(document);
  const session = await open({ baseUrl: judge.baseUrl });
  const unjudged = unjudgedPaths(document);
  const judged = tools.filter(({ operation }) => operation !== undefined && !unjudged.has(operation.path));
  const failures: Failure[] = [];
  const without: string[] = [];
  let sent = 0;
  try {
    for (const { name, inputSchema, operation } of createRandom(seed).shuffle(judged).slice(0, count)) {
      if (operation === undefined) continue;
      const generated = generateArguments(inputSchema, seed);
      if (generated === undefined) {
        without.push(name);
        continue;
      }
      const values = withFiles(operation, generated);
      judge.forget();
      sent += 1;
      const error = await session.callTool(toCall(operation, values, PATIENCE)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      const reason = judgementOf(judge.latest(), error) ?? lostIn(operation, values, judge.latest());
      if (reason !== undefined) failures.push({ tool: name, reason, arguments: values });
    }
    return { sent, unjudged: tools.length - judged.length, without, failures };
  } finally {
    await session.close();
    await judge.stop();
  }
}

/** Files are sent inside the argument here. */
function withFiles({ body }: RestOperation, values: JsonObject): JsonObject {
  const files = (body?.members ?? []).filter((member) => member.isFile).map((member) => member.argument);
  if (body?.kind === "binary" && body.argument !== undefined) files.push(body.argument);
  const file = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(file) : "data:text/plain;base64,aGVsbG8=";
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, files.includes(name) ? file(value) : value]),
  );
}

function judgementOf(judgement: Judgement | undefined, error: unknown): string | undefined {
  if (judgement?.kind === "invalid") return judgement.reason;
  if (judgement === undefined) return `Nothing arrived: ${reported(error)}`;
  return error === undefined ? undefined : reported(error);
}

function reported(error: unknown): string {
  return error instanceof Error ? error.message : "an answer came";
}

/** Arguments that did not arrive unchanged. */
function lostIn(operation: RestOperation, values: JsonObject, judgement: Judgement | undefined): string | undefined {
  if (judgement?.kind !== "valid") return undefined;
  for (const { in: place, name, argument, style, isJson } of operation.parameters) {
    const value = values[argument];
    if (value === undefined || value === null || (place !== "path" && place !== "query")) continue;
    const isPlain = typeof value !== "object" && style !== "label" && style !== "matrix" && isJson === undefined;
    if (isPlain && !isSame(judgement[place][name], value)) {
      return `${place} ${name} arrived as ${JSON.stringify(judgement[place][name])}, not ${JSON.stringify(value)}`;
    }
  }
  return lostInBody(operation, values, judgement.body);
}

function lostInBody({ body }: RestOperation, values: JsonObject, arrived: unknown): string | undefined {
  if (body?.kind === "json" && body.argument !== undefined) {
    const value = values[body.argument];
    return value === undefined || contains(arrived, value)
      ? undefined
      : `The body arrived as ${JSON.stringify(arrived)}`;
  }
  if (body?.kind !== "json" && body?.kind !== "form") return undefined;
  const members = isJsonObject(arrived) ? arrived : {};
  const lost = (body.members ?? []).find(({ argument, name }) => {
    const value = values[argument];
    if (value === undefined) return false;
    return body.kind === "json"
      ? !contains(members[name], value)
      : typeof value !== "object" && !isSame(members[name], value);
  });
  return lost === undefined ? undefined : `${lost.name} of the body arrived as ${JSON.stringify(members[lost.name])}`;
}

function isSame(arrived: unknown, given: unknown): boolean {
  return String(arrived) === String(given);
}

/** The validator fills in default values of the document. */
function contains(arrived: unknown, given: unknown): boolean {
  if (Array.isArray(given)) {
    return (
      Array.isArray(arrived) &&
      arrived.length === given.length &&
      given.every((item, at) => contains(arrived[at], item))
    );
  }
  if (!isJsonObject(given)) return arrived === given;
  return isJsonObject(arrived) && Object.keys(given).every((name) => contains(arrived[name], given[name]));
}
