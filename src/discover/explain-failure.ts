import { DiscoveryError } from "../errors.js";
import { type Hint, type NextStep, toNextSteps } from "../model/next-steps.js";
import type { EnvNeed } from "../toolfiles/format/tool-file.js";
import { commandLine } from "../util/command-line.js";
import { type DiscoveryTarget, variableFor } from "./target.js";

export type LikelyCause = "address" | "auth" | "server";

/** Error codes that indicate a wrong URL or command rather than a failure of the server. */
const WRONG_ADDRESS_ERRORS = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ENOENT",
  "EACCES",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);

/** Adds the likely cause and the next step to the error of a failed request for a server's tool list. */
export function explainFailure(error: unknown, target: DiscoveryTarget, missing: readonly EnvNeed[]): unknown {
  if (!(error instanceof DiscoveryError) || error.code === "CANCELLED") return error;
  const cause = likelyCause(error, missing);
  return new DiscoveryError(error.code, messageOf(error, target), {
    hint: [`The likely cause is ${CAUSE_NAMES[cause]}.`, ...toNextSteps(adviceFor(cause, error, { target, missing }))],
    facts: { ...error.facts, likely_cause: cause },
    server: target.name,
    cause: error,
  });
}

function messageOf({ message, facts }: DiscoveryError, { name, connection }: DiscoveryTarget): string {
  if (facts["error"] !== "ECONNREFUSED" || connection.kind === "stdio") return message;
  return `${name} cannot be reached: no server is listening at ${new URL(connection.url).origin}.`;
}

const CAUSE_NAMES: Readonly<Record<LikelyCause, string>> = {
  address: "a wrong URL or command",
  auth: "the authentication",
  server: "the server itself",
};

function likelyCause({ code, facts }: DiscoveryError, missing: readonly EnvNeed[]): LikelyCause {
  if (code === "UPSTREAM_UNAUTHORIZED") return "auth";
  const { status, error } = facts;
  if (typeof error === "string" && WRONG_ADDRESS_ERRORS.has(error)) return "address";
  if (typeof status === "number" && (status < 400 || status === 404 || status === 405 || status === 410))
    return "address";
  // A program that exits because of a missing variable prints its own message, which cannot be recognized. So any
  // missing required variable counts as the cause.
  const isMissingVariable = "exitCode" in facts && missing.some(({ required }) => required);
  return isMissingVariable ? "auth" : "server";
}

interface About {
  readonly target: DiscoveryTarget;
  readonly missing: readonly EnvNeed[];
}

function adviceFor(cause: LikelyCause, error: DiscoveryError, about: About): Hint {
  if (cause === "auth") return adviceOnAuth(error, about);
  if (cause === "server") return orAdvice(error, "Try again later, or read the server's own log.");
  const { connection } = about.target;
  if (connection.kind === "stdio") return orAdvice(error, "Check the command.");
  if (error.facts["error"] === "ECONNREFUSED")
    return `Start the server, or check the host and port of ${connection.url}.`;
  return `Check ${connection.url}: most servers use a path such as /mcp, older ones /sse.`;
}

function orAdvice({ nextSteps }: DiscoveryError, advice: string): Hint {
  return nextSteps.length > 0 ? nextSteps : advice;
}

function adviceOnAuth({ facts }: DiscoveryError, { target, missing }: About): Hint {
  const { name, needs, connection, known } = target;
  const challenge = facts["challenge"] as { readonly hasMetadata?: boolean; readonly scheme?: string } | undefined;
  const login: Hint = [
    { action: "edit-config", key: `servers.${name}` },
    { action: "sign-in", server: name, command: commandLine(["anygpt", "mcp", "auth", "login", name]) },
    "Then discover the server again.",
  ];
  if (missing.length > 0) {
    const files = [".ai/.env"];
    const set = missing.flatMap(({ name: variable, description }): (string | NextStep)[] => [
      `The server needs ${variable} (${description}).`,
      { action: "set-variable", name: variable, files },
    ]);
    return [...set, { action: "retry" }];
  }
  if (needs.length > 0) {
    const sent = needs.map((need) => need.name).join(" and ");
    return `The server did not accept the value of ${sent}. Check the value and the name of the header.`;
  }
  if (known?.signsIn === true || challenge?.hasMetadata === true)
    return ["The server requires an OAuth sign-in.", ...login];
  if (connection.kind === "stdio") return "Use --auth-env to name the environment variable that the program needs.";
  const isBearer = challenge?.scheme === "bearer";
  const header = isBearer || challenge === undefined ? "Authorization" : "NAME-OF-ITS-HEADER";
  const words = ["anygpt", "mcp", "discover", "--url", connection.url, "--name", name, "--auth-header", header];
  const again = commandLine([...words, "--auth-env", variableFor(name, header)]);
  const variable = variableFor(name, header);
  return [
    isBearer ? "The server requires a bearer token." : "Find out which header the server requires.",
    { action: "set-variable", name: variable },
    { action: "run-command", command: again },
    ...(facts["signIn"] === undefined ? [] : ["If the server requires an OAuth sign-in:", ...login]),
  ];
}
