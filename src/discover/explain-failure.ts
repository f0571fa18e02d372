import { DiscoveryError } from "../errors.js";
import type { EnvNeed } from "../toolfiles/format/tool-file.js";
import { commandLine } from "../util/command-line.js";
import { type DiscoveryTarget, variableFor } from "./target.js";

export type LikelyCause = "address" | "auth" | "server";

/** Network codes, and statuses, that speak of the wrong place more than of the server there. */
const WRONG_PLACE = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ENOENT",
  "EACCES",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);

/** Why a server's tools could not be read, with the likely cause and what to do about it. */
export function explainFailure(error: unknown, target: DiscoveryTarget, missing: readonly EnvNeed[]): unknown {
  if (!(error instanceof DiscoveryError) || error.code === "CANCELLED") return error;
  const cause = likelyCause(error, missing);
  return new DiscoveryError(error.code, messageOf(error, target), {
    hint: `The likely cause is ${WORDS[cause]}. ${adviceFor(cause, error, { target, missing })}`,
    facts: { ...error.facts, likely_cause: cause },
    server: target.name,
    cause: error,
  });
}

function messageOf({ message, facts }: DiscoveryError, { name, connection }: DiscoveryTarget): string {
  if (facts["error"] !== "ECONNREFUSED" || connection.kind === "stdio") return message;
  return `${name} cannot be reached: nothing answers at ${new URL(connection.url).origin}.`;
}

const WORDS: Readonly<Record<LikelyCause, string>> = {
  address: "the address",
  auth: "the authentication",
  server: "the server itself",
};

function likelyCause({ code, facts }: DiscoveryError, missing: readonly EnvNeed[]): LikelyCause {
  if (code === "UPSTREAM_UNAUTHORIZED") return "auth";
  const { status, error } = facts;
  if (typeof error === "string" && WRONG_PLACE.has(error)) return "address";
  if (typeof status === "number" && (status < 400 || status === 404 || status === 405 || status === 410))
    return "address";
  // A program that ends because a variable is missing says so in its own words, which nobody here can read.
  const isLacking = "exitCode" in facts && missing.some(({ required }) => required);
  return isLacking ? "auth" : "server";
}

interface About {
  readonly target: DiscoveryTarget;
  readonly missing: readonly EnvNeed[];
}

function adviceFor(cause: LikelyCause, error: DiscoveryError, about: About): string {
  if (cause === "auth") return adviceOnAuth(error, about);
  if (cause === "server") return error.hint ?? "Try again later, or look at the server's own log.";
  const { connection } = about.target;
  if (connection.kind === "stdio") return error.hint ?? "Check the command.";
  if (error.facts["error"] === "ECONNREFUSED") return `Start the server, or check host and port of ${connection.url}.`;
  return `Check ${connection.url}: most servers answer at a path such as /mcp, and old ones at /sse.`;
}

function adviceOnAuth({ facts }: DiscoveryError, { target, missing }: About): string {
  const { name, needs, connection, known } = target;
  const challenge = facts["challenge"] as { readonly hasMetadata?: boolean; readonly scheme?: string } | undefined;
  const login = `put it into the configuration as "${name}", sign in with \`anygpt mcp auth login ${name}\`, and discover it again`;
  if (missing.length > 0) {
    const what = missing.map((need) => `${need.name} (${need.description})`).join(" and ");
    return `Set ${what} in .ai/.env or in the environment, and run the same command again.`;
  }
  if (needs.length > 0) {
    return `It was sent ${needs.map((need) => need.name).join(" and ")} and did not accept it: check the value and the name of the header.`;
  }
  if (known?.signsIn === true || challenge?.hasMetadata === true) return `It signs in with OAuth: ${login}.`;
  if (connection.kind === "stdio") return "Name the variable that the program needs with --auth-env.";
  const isBearer = challenge?.scheme === "bearer";
  const header = isBearer || challenge === undefined ? "Authorization" : "NAME-OF-ITS-HEADER";
  const words = ["anygpt", "mcp", "discover", "--url", connection.url, "--name", name, "--auth-header", header];
  const again = commandLine([...words, "--auth-env", variableFor(name, header)]);
  const orLogin = facts["signIn"] === undefined ? "" : ` If it signs in with OAuth, ${login}.`;
  return `${isBearer ? "It wants a bearer token" : "Find out which header it wants"}: set the variable, and run \`${again}\`.${orLogin}`;
}
