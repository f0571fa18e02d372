import { DiscoveryError } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import { commandLine } from "../../util/command-line.js";

const LOCAL = localActor("library").id;

/** Who is to sign in, and for what. */
export interface LoginWish {
  readonly server: string;
  readonly actor?: string;
  readonly scope?: string | undefined;
}

/** What a person types to sign in. */
export function loginCommand({ server, actor = LOCAL, scope }: LoginWish): string {
  const forWhom = actor === LOCAL ? [] : ["--actor", actor];
  const forWhat = scope === undefined ? [] : ["--scope", scope];
  return commandLine(["anygpt", "mcp", "auth", "login", server, ...forWhom, ...forWhat]);
}

/** The server wants somebody who signed in, and what we have does not count or is nothing. */
export function signInRequired(wish: LoginWish, hadToken: boolean): DiscoveryError {
  const { server } = wish;
  const message = hadToken
    ? `${server} does not take the sign-in any more (HTTP 401).`
    : `${server} wants you to sign in first (HTTP 401).`;
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", message, {
    hint: `Run \`${loginCommand(wish)}\`.`,
    facts: { status: 401, signIn: "required" },
    server,
  });
}

/** The characters of RFC 6749, less those that mean something to a shell or end our own quotes. */
const SCOPE = /^[\w.:/@+*=~,-]{1,200}(?: [\w.:/@+*=~,-]{1,200}){0,30}$/;

/** What a server says a call needs, as long as it can be shown and typed. */
export function scopeIn(text: string | undefined): string | undefined {
  return text !== undefined && SCOPE.test(text) ? text : undefined;
}

export function scopeRequired(wish: LoginWish): DiscoveryError {
  const { server, scope } = wish;
  const what = scope === undefined ? "more than the sign-in allows" : `the scope ${scope}`;
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `${server} wants ${what} for this call (HTTP 403).`, {
    hint: `Run \`${loginCommand(wish)}\`.`,
    facts: { status: 403, signIn: "scope", ...(scope === undefined ? {} : { scope }) },
    server,
  });
}

export function notAllowed(wish: LoginWish): DiscoveryError {
  const { server } = wish;
  return new DiscoveryError(
    "UPSTREAM_UNAUTHORIZED",
    `${server} refuses this to the account that signed in (HTTP 403).`,
    {
      hint: `Choose another tool, or sign in with another account: \`${loginCommand(wish)}\`.`,
      facts: { status: 403 },
      server,
      executed: "unknown",
    },
  );
}

/** Something that the server or its authorization server says is not to be trusted or not enough. */
export function unusable(server: string, why: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `The sign-in to ${server} is not possible: ${why}.`, {
    hint: "Ask whoever runs the server, or give a token in its headers in the configuration.",
    server,
    cause,
  });
}

/** Told as a temporary matter: the credential stays, and the next call tries again. */
export function notRenewed(server: string, why: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The sign-in to ${server} could not be renewed: ${why}.`, {
    hint: "Call again in a moment.",
    server,
    cause,
  });
}
