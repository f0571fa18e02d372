import { inheritedNames } from "./inherited-names.js";

/**
 * The environment variable with the number of gateways among the ancestors of a process. A child process reads it if it
 * is itself a gateway.
 */
export const DEPTH_VARIABLE = "ANYGPT_DEPTH";

const SAFE_NAMES = new Set([
  DEPTH_VARIABLE,
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_STATE_HOME",
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
  // The proxy and certificate settings of this machine apply to every program on it.
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
]);

/**
 * The environment of a child process: the safe variables of the gateway, the variables that the entry inherits by
 * name, and the variables set in the entry. Later sources override earlier ones. Names are compared
 * case-insensitively, because Windows writes `Path`. A value that begins with `()` is an exported function of an old
 * bash version and is not passed on. Only the gateway sets the depth: an entry that could reset it could make gateways
 * start each other endlessly.
 */
export function childEnvironment(
  gateway: Readonly<Record<string, string | undefined>>,
  entryEnv: Readonly<Record<string, string>>,
  inheritEnv: readonly string[] = [],
): Record<string, string> {
  const environment: Record<string, string> = {};
  const inherited = new Set(inheritedNames(gateway, inheritEnv));
  for (const [name, value] of Object.entries(gateway)) {
    const isPassedOn = isSafe(name) || inherited.has(name);
    if (value !== undefined && isPassedOn && !value.startsWith("()")) environment[name] = value;
  }
  for (const [name, value] of Object.entries(entryEnv)) {
    if (name.toUpperCase() !== DEPTH_VARIABLE) environment[name] = value;
  }
  return environment;
}

function isSafe(name: string): boolean {
  const upper = name.toUpperCase();
  return SAFE_NAMES.has(upper) || upper.startsWith("LC_");
}
