// The variables of a process come in; for an address, the proxy that requests to it go through goes out.
import { DiscoveryError } from "../../errors.js";
import { createBypass } from "./no-proxy.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  /** The variable that names it, for messages. */
  readonly variable: string;
  /** Without user name and password. */
  readonly url: URL;
  /** What the header `Proxy-Authorization` says. */
  readonly authorization?: string;
}

/** The proxy for an address, undefined to connect directly. Throws CONFIGURATION_ERROR when a variable is unusable. */
export type FindProxy = (url: URL) => Proxy | undefined;

export function createFindProxy(env: Environment): FindProxy {
  const bypasses = createBypass(valueOf("no_proxy", env)?.value ?? "");
  return (url) => {
    const setting = settingFor(url, env);
    return setting === undefined || bypasses(url) ? undefined : parseProxy(setting, url);
  };
}

/** User names and passwords inside the proxy variables. */
export function proxySecrets(env: Environment): string[] {
  return ["https_proxy", "http_proxy", "all_proxy"].flatMap((name) => {
    const [, , credentials] = /^([a-z][\w+.-]*:\/\/)?([^@\s]+)@/i.exec(valueOf(name, env)?.value ?? "") ?? [];
    if (credentials === undefined) return [];
    const password = credentials.slice(credentials.indexOf(":") + 1);
    return [credentials, password, decoded(password), Buffer.from(decoded(credentials)).toString("base64")];
  });
}

interface Setting {
  readonly variable: string;
  readonly value: string;
}

function settingFor({ protocol }: URL, env: Environment): Setting | undefined {
  return valueOf(protocol === "https:" ? "https_proxy" : "http_proxy", env) ?? valueOf("all_proxy", env);
}

/** As in curl, the name in small letters wins. An empty value means none. */
function valueOf(name: string, env: Environment): Setting | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable]?.trim() ?? "";
    if (value !== "") return { variable, value };
  }
  return undefined;
}

function parseProxy({ variable, value }: Setting, target: URL): Proxy {
  // As in curl, a proxy without a scheme is spoken to by http.
  const text = /^[a-z][\w+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text) || new URL(text).hostname === "") throw unusable(variable, "is not the address of a proxy");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw unusable(variable, `names a ${url.protocol.slice(0, -1)} proxy, which is not supported`, target);
  }
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { variable, url };
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  return { variable, url, authorization: `Basic ${credentials}` };
}

/** The value is not quoted: it may hold a password. */
function unusable(variable: string, what: string, target?: URL): DiscoveryError {
  const bypass = target === undefined ? "" : `, or add ${target.hostname} to NO_PROXY to connect directly`;
  return new DiscoveryError("CONFIGURATION_ERROR", `The environment variable ${variable} ${what}.`, {
    hint: `Set ${variable} to an address like http://proxy.example.com:3128${bypass}.`,
    facts: { variable },
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
