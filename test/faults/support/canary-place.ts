import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Canaries } from "./canary-values.js";

export const CANARY_SERVER = fileURLToPath(new URL("./canary-server.mjs", import.meta.url));

/** A home folder and a project that contain every value in some place. */
export interface CanaryPlace {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly config: string;
  readonly env: Record<string, string>;
  /** The files that contain values because the test wrote them. */
  readonly written: ReadonlySet<string>;
  write(name: string, content: string | object): string;
  configure(servers: Record<string, object>, rest?: object): void;
  remove(): void;
}

/** Short, so that the test does not wait for answers that never arrive. */
const LIMITS = {
  upstreams: { startTimeoutMs: 3000, probeTimeoutMs: 700, startWaitMs: 6000, listTimeoutMs: 2000, pulseTimeoutMs: 500 },
  execution: { timeoutMs: 900 },
};

export function createCanaryPlace(canaries: Canaries): CanaryPlace {
  const root = mkdtempSync(join(tmpdir(), "anygpt-canary-"));
  const written = new Set<string>();
  const write = (name: string, content: string | object): string => {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    written.add(file);
    return file;
  };
  for (const folder of ["home", "project", "tmp"]) mkdirSync(join(root, folder));
  const quoted = (name: keyof Canaries): string => `${name}='${canaries[name]}'\n`;
  write(
    "project/.env",
    ["CANARY_DOTENV_TOKEN", "CANARY_DOTENV_ODD", "CANARY_DOTENV_SHORT", "UNUSED_DOTENV"]
      .map((name) => quoted(name as keyof Canaries))
      .join(""),
  );
  write("project/.env.local", quoted("CANARY_LOCAL_TOKEN"));
  write("home/.ai/.env", quoted("CANARY_HOME_TOKEN"));
  return {
    root,
    home: join(root, "home"),
    project: join(root, "project"),
    config: join(root, "project/gateway.json"),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(root, "home"),
      TMPDIR: join(root, "tmp"),
      ANYGPT_HOME: join(root, "home/.anygpt"),
      ANYGPT_DAEMON: "0",
      ...environmentOf(canaries),
    },
    written,
    write,
    configure: (servers, rest = {}) => void write("project/gateway.json", { servers, ...LIMITS, ...rest }),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function environmentOf(canaries: Canaries): Record<string, string> {
  const direct = Object.entries(canaries).filter(([name]) =>
    /^(?:CANARY_(?:ENV|HEADER|QUERY|PASSWORD)|UNUSED_ENV)/.test(name),
  );
  return {
    ...Object.fromEntries(direct),
    CANARY_ENV_JSON: JSON.stringify({ Authorization: `Bearer ${canaries.CANARY_ENV_JSON}`, Version: "2022-06-28" }),
    CANARY_DATABASE: `postgres://user:${canaries.CANARY_DATABASE}@127.0.0.1/db`,
  };
}

const BY_VARIABLE = [
  "CANARY_ENV_TOKEN",
  "CANARY_ENV_ODD",
  "CANARY_ENV_JWT",
  "CANARY_ENV_PEM",
  "CANARY_ENV_JSON",
  "CANARY_DOTENV_TOKEN",
  "CANARY_DOTENV_ODD",
  "CANARY_DOTENV_SHORT",
  "CANARY_LOCAL_TOKEN",
  "CANARY_HOME_TOKEN",
  "CANARY_DATABASE",
];

/** A stdio server that receives values in every way that a process can. */
export function stdioServer(canaries: Canaries, mode = "serve", more: Record<string, string> = {}): object {
  return {
    command: process.execPath,
    args: [CANARY_SERVER, "stdio", mode],
    env: {
      ...Object.fromEntries(BY_VARIABLE.map((name) => [name, `\${${name}}`])),
      CANARY_API_TOKEN: canaries.WRITTEN_ENV_TOKEN,
      CANARY_SETTING: canaries.WRITTEN_ENV_PLAIN,
      ...more,
    },
  };
}

/** The same for a remote server. */
export function httpServer(canaries: Canaries, origin: string, kind: string): object {
  return {
    url: `${origin}/${kind}?key=\${CANARY_QUERY}&token=${canaries.WRITTEN_QUERY}`,
    headers: {
      Authorization: "Bearer ${CANARY_HEADER_BEARER}",
      "X-Key": "${CANARY_HEADER_KEY}",
      "X-Odd": "${CANARY_HEADER_ODD}",
      "X-Api-Key": canaries.WRITTEN_HEADER_KEY,
      "X-Auth-Token": `Bearer ${canaries.WRITTEN_HEADER_BEARER}`,
    },
  };
}

/** URLs with a password, one from a variable and one in plain text. */
export function loginServers(canaries: Canaries, host: string): Record<string, object> {
  return {
    login: { url: `http://user:\${CANARY_PASSWORD}@${host}/serve?key=\${CANARY_QUERY}` },
    written: { url: `http://user:${canaries.WRITTEN_PASSWORD}@${host}/serve?token=${canaries.WRITTEN_QUERY}` },
  };
}
