import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { HttpConnection } from "../model/server.js";
import type { ToolFilesOptions } from "../toolfiles/options.js";
import type { Upstreams } from "../upstreams/types.js";
import type { ServerDiscoveryParts } from "../discover/discover.js";
import type { ServerAddress } from "./admission.js";

/** The parts of the current configuration that the built-in tools use. */
export interface BuiltInContext extends Omit<ServerDiscoveryParts, "upstreams" | "variables"> {
  readonly agents: ToolFilesOptions["agents"];
  /** The absolute path of the folder for new tool files; undefined if tool files are disabled. */
  readonly folder: string | undefined;
  readonly home: string;
  readonly isSet: (variable: string) => boolean;
  readonly addresses: () => Promise<readonly ServerAddress[]> | readonly ServerAddress[];
  /**
   * Opens a separate set of server connections for one tool call. The set shares no connections and no credentials with
   * the configured servers.
   */
  readonly openUpstreams: () => Upstreams;
}

/**
 * Describes a connection to a URL that an agent passed. The headers are sent unchanged (no variables are replaced), and
 * the connection must not reach a private network.
 */
export function toForeignConnection(url: URL, headers: Readonly<Record<string, string>> = {}): HttpConnection {
  return { kind: "http", url: url.href, headers, isForeign: true };
}

/** Opens server connections, passes them to `use` and closes them afterwards, even if `use` fails. */
export async function withUpstreams<T>(context: BuiltInContext, use: (upstreams: Upstreams) => Promise<T>): Promise<T> {
  const upstreams = context.openUpstreams();
  try {
    return await use(upstreams);
  } finally {
    await upstreams.close();
  }
}

const MAX_HEADERS = 32;
const MAX_HEADER_CHARACTERS = 8_192;
/**
 * Headers that control the connection or the message framing. They are rejected, because an agent could use them for
 * request smuggling.
 */
const CONNECTION_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;

export function headersIn({ headers }: JsonObject): Record<string, string> {
  if (headers === undefined) return {};
  const entries = isJsonObject(headers) ? Object.entries(headers) : [];
  const invalid = entries.find(
    ([name, value]) => CONNECTION_HEADERS.test(name) || typeof value !== "string" || value.includes("${"),
  );
  const size = entries.reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  if (entries.length > MAX_HEADERS || size > MAX_HEADER_CHARACTERS) {
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `The headers exceed ${MAX_HEADERS} entries or ${MAX_HEADER_CHARACTERS} characters.`,
      { hint: "Pass fewer or shorter headers." },
    );
  }
  if (invalid === undefined) return Object.fromEntries(entries) as Record<string, string>;
  throw new DiscoveryError("INVALID_REQUEST", `The header ${JSON.stringify(invalid[0])} is not allowed.`, {
    hint: 'Pass "headers" as an object of plain strings, without variables such as ${NAME} and without connection headers such as Host. For a credential of the user, pass "auth_header" and "auth_env_var" instead.',
  });
}

export function textIn(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function toToolAnswer(value: JsonObject, isError = false) {
  return { content: [{ type: "text", text: JSON.stringify(value) }], ...(isError ? { isError } : {}) };
}
