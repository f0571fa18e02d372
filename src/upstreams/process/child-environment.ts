import { inheritedNames } from "./inherited-names.js";

/** Tells a server that is a gateway itself through how many others it was started. */
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
  // How this machine reaches the network holds for every program on it.
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
]);

/**
 * What a child process sees: the safe part of the gateway's environment, what it inherits by name, and the variables set
 * for it, the later ones stronger. Names compare
 * without case, because Windows writes `Path`. A value that begins with `()` is a shell function of old bash and stays out.
 * The depth is ours alone to tell: an entry that could set it back could make gateways start each other without end.
 */
export function childEnvironment(
  gateway: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
  inheritEnv: readonly string[] = [],
): Record<string, string> {
  const environment: Record<string, string> = {};
  const inherited = new Set(inheritedNames(gateway, inheritEnv));
  for (const [name, value] of Object.entries(gateway)) {
    const isGiven = isSafe(name) || inherited.has(name);
    if (value !== undefined && isGiven && !value.startsWith("()")) environment[name] = value;
  }
  for (const [name, value] of Object.entries(own)) {
    if (name.toUpperCase() !== DEPTH_VARIABLE) environment[name] = value;
  }
  return environment;
}

function isSafe(name: string): boolean {
  const upper = name.toUpperCase();
  return SAFE_NAMES.has(upper) || upper.startsWith("LC_");
}
