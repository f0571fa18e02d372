import { DiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { HttpConnection } from "../../model/server.js";
import type { ToolFilesOptions } from "../../toolfiles/options.js";
import type { Upstreams } from "../../upstreams/types.js";
import type { DiscoverParts } from "../discover.js";
import type { ServerAddress } from "./gate.js";

/** What is in force when an agent asks. */
export interface AgentDesk extends Omit<DiscoverParts, "upstreams" | "variables"> {
  readonly agents: ToolFilesOptions["agents"];
  /** Where files go, absolute; undefined where tool files are switched off. */
  readonly folder: string | undefined;
  readonly home: string;
  readonly isSet: (variable: string) => boolean;
  readonly addresses: () => Promise<readonly ServerAddress[]> | readonly ServerAddress[];
  /** For one question and nothing else: no connection and no sign-in of a configured server is within reach. */
  readonly openUpstreams: () => Upstreams;
}

/** Said by an agent: sent as it stands, and never inward. */
export function toForeign(url: URL, headers: Readonly<Record<string, string>> = {}): HttpConnection {
  return { kind: "http", url: url.href, headers, isForeign: true };
}

/** Opens the way to one server, and closes it whatever happens. */
export async function withUpstreams<T>(desk: AgentDesk, use: (upstreams: Upstreams) => Promise<T>): Promise<T> {
  const upstreams = desk.openUpstreams();
  try {
    return await use(upstreams);
  } finally {
    await upstreams.close();
  }
}

/** Headers by which a request could be made into another one. */
const FRAMING = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;

export function headersIn({ headers }: JsonObject): Record<string, string> {
  if (headers === undefined) return {};
  const entries = isJsonObject(headers) ? Object.entries(headers) : [];
  const wrong = entries.find(
    ([name, value]) => FRAMING.test(name) || typeof value !== "string" || value.includes("${"),
  );
  if (wrong === undefined) return Object.fromEntries(entries) as Record<string, string>;
  throw new DiscoveryError("INVALID_REQUEST", `The header ${JSON.stringify(wrong[0])} cannot be sent so.`, {
    hint: "Headers of agents are sent as they stand: no variables, and none that change how a request is read. Credentials of your person belong into files: name auth_header and auth_env_var.",
  });
}

export function textIn(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function toAnswer(value: JsonObject, isError = false) {
  return { content: [{ type: "text", text: JSON.stringify(value) }], ...(isError ? { isError } : {}) };
}
