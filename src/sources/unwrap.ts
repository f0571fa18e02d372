import type { ServerConnection, StdioConnection } from "../model/server.js";
import { programWords } from "./program-words.js";

export interface Unwrapped {
  readonly connection: ServerConnection;
  readonly notes: readonly string[];
  readonly deniedTools: readonly string[];
}

/**
 * Replaces a program that only connects a stdio client to a remote server (`mcp-remote`, `supergateway`, `mcp-proxy`)
 * with a direct connection to that server. A program with an unknown option is not replaced.
 */
export function unwrapRemote(connection: ServerConnection): Unwrapped {
  const same = { connection, notes: [], deniedTools: [] };
  if (connection.kind !== "stdio") return same;
  const words = programWords(connection);
  const at = words.findIndex((word) => WRAPPER.test(word));
  const wrapper = WRAPPER.exec(words[at] ?? "")?.[1];
  // Only a package runner and its options may precede the wrapper; otherwise the word is an argument of another
  // program.
  if (wrapper === undefined || !words.slice(0, at).every((word) => RUNNER.test(word))) return same;
  const read = readOptions(words.slice(at + 1), OPTIONS[wrapper] ?? {});
  if (typeof read === "string") return { ...same, notes: [`${wrapper} is still used, because of ${read}.`] };
  if (read.url === undefined) return same;
  return toDirect(connection, { ...read, url: read.url }, wrapper);
}

const WRAPPER =
  /^(?:.*[\\/])?(mcp-remote|supergateway|mcp-proxy)(?:\.cmd|\.exe|@[^\\/]*|[\\/]dist[\\/](?:proxy|index)\.js)?$/;
const RUNNER =
  /^(?:.*[\\/])?(?:npx|bunx|bun|x|pnpm|pnpx|yarn|npm|exec|dlx|node|uvx|uv|pipx|tool|run|--|-y|--yes|-q|--quiet|--silent|-p|--package|--package=(?:mcp-remote|supergateway|mcp-proxy).*)(?:\.cmd|\.exe)?$/i;

type Meaning = "url" | "sse" | "header" | "bearer" | "pair" | "transport" | "deny" | "value" | "flag";

const OPTIONS: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  "mcp-remote": {
    "--header": "header",
    "--transport": "transport",
    "--ignore-tool": "deny",
    "--host": "value",
    "--auth-timeout": "value",
    "--allow-http": "flag",
    "--debug": "flag",
    "--silent": "flag",
    "--enable-proxy": "flag",
  },
  supergateway: {
    "--sse": "sse",
    "--streamableHttp": "url",
    "--header": "header",
    "--oauth2Bearer": "bearer",
    "--logLevel": "value",
    "--outputTransport": "value",
  },
  "mcp-proxy": { "-H": "pair", "--headers": "pair", "--transport": "transport" },
};

interface Options {
  readonly url?: string;
  readonly kind: "http" | "sse";
  readonly headers: Record<string, string>;
  readonly deny: readonly string[];
}

/** Returns the parsed options, or a description of the first unsupported one. */
function readOptions(words: readonly string[], meanings: Readonly<Record<string, Meaning>>): Options | string {
  let url: string | undefined;
  let kind: Options["kind"] = "http";
  const headers: Record<string, string> = {};
  const deny: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [word, inline] = splitOption(words[at] ?? "");
    const next = (): string => inline ?? words[(at += 1)] ?? "";
    if (!word.startsWith("-")) {
      if (url === undefined) url = word;
      else if (!/^\d+$/.test(word)) return "a second URL";
      continue;
    }
    switch (meanings[word]) {
      case "url":
        url = next();
        break;
      case "sse":
        url = next();
        kind = "sse";
        break;
      case "header": {
        const [, name, value] = /^([^:\s]+)\s*:\s*([^]*)$/.exec(next()) ?? [];
        if (name === undefined || value === undefined) return "a header without a colon";
        headers[name] = value;
        break;
      }
      case "pair":
        headers[next()] = words[(at += 1)] ?? "";
        break;
      case "bearer":
        headers["Authorization"] = `Bearer ${next()}`;
        break;
      case "transport":
        if (/^sse(?:-only)?$/.test(next())) kind = "sse";
        break;
      case "deny":
        deny.push(next());
        break;
      case "value":
        next();
        break;
      case "flag":
        break;
      case undefined:
        return `its option ${/^--?[\w-]{1,40}/.exec(word)?.[0] ?? "-"}`;
    }
  }
  return { ...(url === undefined ? {} : { url }), kind, headers, deny };
}

function splitOption(word: string): [string, string | undefined] {
  const [, option, value] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? [];
  return option === undefined ? [word, undefined] : [option, value];
}

function toDirect(from: StdioConnection, options: Options & { url: string }, wrapper: string): Unwrapped {
  const used = new Set<string>();
  // The wrapper expands `${NAME}` from its environment; the server entry defines that environment.
  const fill = (text: string): string =>
    text.replace(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g, (written, name: string) => {
      if (!Object.hasOwn(from.env, name)) return written;
      used.add(name);
      return from.env[name] ?? written;
    });
  const headers = Object.fromEntries(Object.entries(options.headers).map(([name, value]) => [name, fill(value)]));
  const url = fill(options.url);
  if (!/^(?:https?:\/\/|\$\{)/i.test(url)) return { connection: from, notes: [], deniedTools: [] };
  const unused = Object.keys(from.env).filter((name) => !used.has(name));
  return {
    connection: { kind: options.kind, url, headers },
    notes: [
      `The gateway connects directly, without ${wrapper}; a browser login stored by ${wrapper} is not used.`,
      ...(unused.length === 0 ? [] : [`The variables ${unused.join(", ")} were for ${wrapper} and are not used.`]),
    ],
    deniedTools: options.deny,
  };
}
