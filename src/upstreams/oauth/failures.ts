import { DiscoveryError } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import { commandLine } from "../../util/command-line.js";

const LOCAL = localActor("library").id;

/** The actor to sign in, the server and the scope. */
export interface LoginRequest {
  readonly server: string;
  readonly actor?: string;
  readonly scope?: string | undefined;
}

/** The shell command that signs in. */
export function loginCommand({ server, actor = LOCAL, scope }: LoginRequest): string {
  const actorOption = actor === LOCAL ? [] : ["--actor", actor];
  const scopeOption = scope === undefined ? [] : ["--scope", scope];
  return commandLine(["anygpt", "mcp", "auth", "login", server, ...actorOption, ...scopeOption]);
}

/** The error if the server requires a sign-in and there is no token, or the server rejected the token. */
export function signInRequired(login: LoginRequest, hadToken: boolean): DiscoveryError {
  const { server } = login;
  const message = hadToken
    ? `${server} no longer accepts the sign-in (HTTP 401).`
    : `${server} requires a sign-in (HTTP 401).`;
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", message, {
    hint: { action: "sign-in", server, command: loginCommand(login) },
    facts: { status: 401, signIn: "required" },
    server,
  });
}

/** The scope characters of RFC 6749, without those that a shell would interpret or that would end a quoted string. */
const SCOPE = /^[\w.:/@+*=~,-]{1,200}(?: [\w.:/@+*=~,-]{1,200}){0,30}$/;

/** The scope that a server requires. Undefined if it is not safe to show or to type in a command. */
export function scopeIn(text: string | undefined): string | undefined {
  return text !== undefined && SCOPE.test(text) ? text : undefined;
}

export function scopeRequired(login: LoginRequest): DiscoveryError {
  const { server, scope } = login;
  const what = scope === undefined ? "more permissions than the sign-in granted" : `the scope ${scope}`;
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `${server} requires ${what} for this call (HTTP 403).`, {
    hint: { action: "sign-in", server, command: loginCommand(login) },
    facts: { status: 403, signIn: "scope", ...(scope === undefined ? {} : { scope }) },
    server,
  });
}

export function notAllowed(login: LoginRequest): DiscoveryError {
  const { server } = login;
  return new DiscoveryError(
    "UPSTREAM_UNAUTHORIZED",
    `${server} does not allow this call for the account that signed in (HTTP 403).`,
    {
      hint: [
        "Choose another tool, or sign in with another account.",
        { action: "sign-in", server, command: loginCommand(login) },
      ],
      facts: { status: 403 },
      server,
      executed: "unknown",
    },
  );
}

/** The error if metadata or a response from the server or its authorization server is untrusted or insufficient. */
export function unusable(server: string, why: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `The sign-in to ${server} is not possible: ${why}.`, {
    hint: [
      "Report this to the operator of the server, or configure a token.",
      { action: "edit-config", key: `servers.${server}.headers`, value: "the header with the token" },
    ],
    server,
    cause,
  });
}

/** The error for a temporary failure of a renewal: the credential stays stored, and the next call tries again. */
export function notRenewed(server: string, why: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The sign-in to ${server} could not be renewed: ${why}.`, {
    hint: { action: "retry" },
    server,
    cause,
  });
}
