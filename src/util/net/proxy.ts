// Finds the proxy for a URL in the environment variables.
import { DiscoveryError } from "../../errors.js";
import { createBypass } from "./no-proxy.js";

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  /** The environment variable that sets the proxy, for messages. */
  readonly variable: string;
  /** The URL of the proxy, without user name and password. */
  readonly url: URL;
  /** The value of the header `Proxy-Authorization`. */
  readonly authorization?: string;
}

/**
 * Returns the proxy for a URL; undefined for a direct connection. Throws CONFIGURATION_ERROR if a variable is invalid.
 */
export type FindProxy = (url: URL) => Proxy | undefined;

export function createFindProxy(env: ProxyEnvironment): FindProxy {
  const bypasses = createBypass(valueOf("no_proxy", env)?.value ?? "");
  return (url) => {
    const setting = settingFor(url, env);
    return setting === undefined || bypasses(url) ? undefined : parseProxy(setting, url);
  };
}

/**
 * User names and passwords in the proxy variables, in all forms that may appear in output, so that they can be
 * redacted.
 */
export function proxySecrets(env: ProxyEnvironment): string[] {
  return ["https_proxy", "http_proxy", "all_proxy"].flatMap((name) => {
    // A password may contain an unescaped `@`: as in URLs, the last `@` ends the credentials.
    const [, credentials] = /^(?:[a-z][\w+.-]*:\/\/)?(\S+)@/i.exec(valueOf(name, env)?.value ?? "") ?? [];
    if (credentials === undefined) return [];
    const password = credentials.slice(credentials.indexOf(":") + 1);
    return [credentials, password, decoded(password), Buffer.from(decoded(credentials)).toString("base64")];
  });
}

interface Setting {
  readonly variable: string;
  readonly value: string;
}

function settingFor({ protocol }: URL, env: ProxyEnvironment): Setting | undefined {
  return valueOf(protocol === "https:" ? "https_proxy" : "http_proxy", env) ?? valueOf("all_proxy", env);
}

/**
 * Returns the value of a proxy variable. As in curl, the lower-case name takes precedence. An empty value counts as
 * unset.
 */
function valueOf(name: string, env: ProxyEnvironment): Setting | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable]?.trim() ?? "";
    if (value !== "") return { variable, value };
  }
  return undefined;
}

function parseProxy({ variable, value }: Setting, target: URL): Proxy {
  // As in curl, a proxy without a scheme is contacted over http.
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

/** The error for an invalid proxy variable. It does not quote the value, which may contain a password. */
function unusable(variable: string, what: string, target?: URL): DiscoveryError {
  const bypass =
    target === undefined ? [] : [`To connect directly, add ${target.hostname} to the environment variable NO_PROXY.`];
  return new DiscoveryError("CONFIGURATION_ERROR", `The environment variable ${variable} ${what}.`, {
    hint: [
      { action: "set-variable", name: variable, value: "an address such as http://proxy.example.com:3128" },
      ...bypass,
    ],
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
