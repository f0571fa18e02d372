import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiscoveryError } from "../../src/errors.js";
import { isJsonObject } from "../../src/model/json.js";
import type { RestParameter } from "../../src/model/operation.js";
import type { UpstreamSession } from "../../src/upstreams/session.js";
import { hostileValues } from "./hostile-values.js";
import { listen, type Loopback } from "./loopback.js";
import { open, parameter, toCall, toOperation } from "./session.js";

const VALUES = hostileValues(2000, 7);
const PREFIX = "/v1/tenant";
const KEY = "key-of-the-configuration";

let api: Loopback;
let session: UpstreamSession;
beforeAll(async () => {
  api = await listen((received, response) => {
    const { url, rawHeaders } = received;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ url, rawHeaders }));
  });
  session = await open({
    baseUrl: `${api.origin}${PREFIX}`,
    auth: { kind: "api-key", in: "header", name: "X-Key", value: KEY },
  });
});
afterAll(async () => {
  await session.close();
  await api.stop();
});

/** The received request. */
interface Seen {
  readonly path: string;
  readonly query: string | undefined;
  /** By name in lower case, with all values. */
  readonly headers: readonly (readonly [string, string])[];
}

interface Outcome {
  readonly value: unknown;
  readonly seen?: Seen;
  /** Why nothing was sent. */
  readonly refused?: unknown;
}

async function sendValue(place: RestParameter, value: unknown): Promise<Outcome> {
  const path = place.in === "path" ? `/things/{${place.name}}/end` : "/things";
  const call = toCall(toOperation({ path, parameters: [place] }), { [place.argument]: value });
  try {
    return { value, seen: toSeen((await session.callTool(call)).structuredContent) };
  } catch (refused) {
    return { value, refused };
  }
}

function toSeen(content: unknown): Seen {
  const { url, rawHeaders } = content as { url: string; rawHeaders: string[] };
  const mark = url.indexOf("?");
  return {
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? undefined : url.slice(mark + 1),
    headers: Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
      rawHeaders[2 * at]!.toLowerCase(),
      rawHeaders[2 * at + 1]!,
    ]),
  };
}

const USUAL = ["accept", "accept-encoding", "connection", "host", "user-agent", "x-key"];
const OWN = { path: [], query: [], header: ["x-note"], cookie: ["cookie"] } as const;

/** All violations of one value. */
function faultsOf(place: RestParameter, { value, seen, refused }: Outcome): string[] {
  const isRefusal =
    refused instanceof DiscoveryError && refused.code === "TOOL_VALIDATION_ERROR" && refused.executed === "no";
  if (seen === undefined)
    return isRefusal && refused.message.includes(`"${place.argument}"`) ? [] : ["not refused by name"];
  const { path, query, headers } = seen;
  const names = headers.map(([name]) => name).sort();
  const whole = [...USUAL, ...OWN[place.in]].sort();
  const faults = {
    "adds a header": ![whole, USUAL].some((allowed) => allowed.join() === names.join()),
    "changes the key": headerOf(seen, "x-key") !== KEY,
    "changes the host": headerOf(seen, "host") !== `127.0.0.1:${api.port}`,
    "is not encoded": /[\s#\\]/.test(`${path}?${query}`),
    "leaves the prefix": place.in === "path" ? !staysInside(path) : path !== `${PREFIX}/things`,
    "adds a query": place.in !== "query" && query !== undefined,
    "means something else": typeof value === "string" && !meansExactly(seen, place, value),
    "fills another name": place.in === "query" && !isJsonObject(value) && !fillsOwnName(query),
    "fills another name deeply": place.style === "deepObject" && !fillsOwnName(query),
  };
  return Object.entries(faults).flatMap(([fault, isSo]) => (isSo ? [fault] : []));
}

function headerOf({ headers }: Seen, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

function staysInside(path: string): boolean {
  const segments = path.split("/");
  const isWhole = path.startsWith(`${PREFIX}/things/`) && path.endsWith("/end") && segments.length === 6;
  return (
    isWhole &&
    !decodeFully(path)
      .split(/[/\\]/)
      .some((segment) => /^\.{1,2}(?:;|$)/.test(segment))
  );
}

/** As the most lenient server would read it. */
function decodeFully(text: string): string {
  let whole = text;
  for (let round = 0; round < 6; round++) {
    whole = whole.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  return whole;
}

function meansExactly(seen: Seen, place: RestParameter, value: string): boolean {
  const written = { label: ".", matrix: ";id=" }[place.style as string] ?? "";
  switch (place.in) {
    case "path":
      return decodeURIComponent(seen.path.split("/")[4] ?? "") === `${written}${value}`;
    case "query": {
      const pairs = [...new URLSearchParams((seen.query ?? "").replaceAll("+", "%2B"))];
      return pairs.length === 1 && pairs[0]?.[0] === "q" && pairs[0][1] === value;
    }
    case "header":
      return headerOf(seen, "x-note")?.trim() === value.replace(/^[ \t]+|[ \t]+$/g, "");
    case "cookie": {
      const [name, text = "", ...more] = (headerOf(seen, "cookie") ?? "").split(/[=;,]/);
      return name === "note" && decodeURIComponent(text) === value && more.length === 0;
    }
  }
}

function fillsOwnName(query = ""): boolean {
  return [...new URLSearchParams(query).keys()].every((key) => key === "q" || key.startsWith("q["));
}

const PLACES: [string, number, RestParameter][] = [
  ["a path", 2000, parameter("path", "id")],
  ["a query", 2000, parameter("query", "q")],
  ["a header", 2000, parameter("header", "X-Note")],
  ["a cookie", 2000, parameter("cookie", "note")],
  ["a path, labelled", 500, parameter("path", "id", { style: "label", explode: true })],
  ["a path, as matrix", 500, parameter("path", "id", { style: "matrix", explode: true })],
  ["a query that keeps reserved characters", 500, parameter("query", "q", { allowReserved: true, explode: false })],
  ["a query, deep", 500, parameter("query", "q", { style: "deepObject" })],
  ["a query, separated by pipes", 500, parameter("query", "q", { style: "pipeDelimited", explode: false })],
];

describe("hostile values", () => {
  it("are 2,000 different ones", () => {
    expect(new Set(VALUES.map((value) => JSON.stringify(value))).size).toBe(2000);
  });

  it.each(PLACES)("in %s: none of %i leaves the base address or adds a header", async (_, count, place) => {
    const values = VALUES.filter((_, index) => index % (2000 / count) === 0);
    const outcomes: Outcome[] = [];
    for (let first = 0; first < count; first += 50) {
      outcomes.push(...(await Promise.all(values.slice(first, first + 50).map((value) => sendValue(place, value)))));
    }
    const wrong = outcomes.map((outcome) => ({ ...outcome, faults: faultsOf(place, outcome) }));
    expect(wrong.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(outcomes.filter(({ seen }) => seen !== undefined).length).toBeGreaterThan(count / 8);
  });
});
