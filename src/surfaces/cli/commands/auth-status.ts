import { DiscoveryError } from "../../../errors.js";
import type { ServerDefinition } from "../../../model/server.js";
import type { StoredCredential } from "../../../store/credentials.js";
import { isEnding } from "../../../upstreams/oauth/credential.js";
import { loginCommand } from "../../../upstreams/oauth/failures.js";
import { addressKey, hasOwnAuthorization } from "../../../upstreams/oauth/settings.js";
import { type AuthDesk, assertKnown, withAuth } from "../auth/desk.js";
import type { Handler } from "../command.js";
import { BAD, bold, dim, GOOD, line, type Line, type Styled, WAITING, WARNING } from "../lines.js";
import { describeSpan } from "../time-words.js";

type State = "signed_in" | "expired" | "refused" | "unreadable" | "none" | "header" | "unusable";

export interface SignInStatus {
  readonly server: string;
  readonly state: State;
  readonly actor?: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly expires_at?: string;
  readonly renews?: boolean;
  readonly reason?: string;
}

export const authStatus: Handler = (input, context) =>
  withAuth(context, async (desk) => {
    const { collected, place } = desk.stages;
    const only = input.argument("server");
    if (only !== "") await assertKnown(only, desk.stages);
    const remote = collected.servers.filter(
      ({ name, connection }) =>
        (connection.kind === "http" || connection.kind === "sse") && (only === "" || name === only),
    );
    const found = (await Promise.all(remote.map((server) => statusesOf(server, desk)))).flat();
    if (context.isJson) context.json({ servers: found });
    else if (found.length > 0) context.show(found.flatMap((each) => statusLines(each, place.now())));
    else context.show([line(0, only === "" ? "No remote server is configured." : `Nobody signs in to ${only}.`)]);
    return 0;
  });

/** One for each actor that signed in; nothing is asked of the server. */
async function statusesOf({ name: server }: ServerDefinition, desk: AuthDesk): Promise<SignInStatus[]> {
  try {
    const connection = desk.stages.target(server).written();
    if (connection.kind !== "http" && connection.kind !== "sse") return [];
    if (hasOwnAuthorization(connection)) return [{ server, state: "header" }];
    const address = addressKey(connection);
    const stored = (await desk.credentials.list(server)).filter((each) => each.connection === address);
    if (stored.length === 0) return [{ server, state: "none" }];
    return await Promise.all(stored.map((each) => toStatus(each, desk)));
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return [{ server, state: "unusable", reason: error.message }];
  }
}

async function toStatus(stored: StoredCredential, { vault, stages }: AuthDesk): Promise<SignInStatus> {
  const { server, actor, issuer } = stored;
  const opened = await vault.open(stored);
  if (opened === undefined) return { server, actor, issuer, state: "unreadable" };
  const { scope, expiresAt, refreshToken } = opened.credential;
  const isOver = refreshToken === undefined && isEnding(opened.credential, stages.place.now(), stored.savedAt);
  return {
    server,
    actor,
    state: stored.isRefused ? "refused" : isOver ? "expired" : "signed_in",
    issuer,
    scopes: scope?.split(" ") ?? [],
    ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    renews: refreshToken !== undefined && !stored.isRefused,
  };
}

const MARKS: Readonly<Record<State, readonly [Styled, string]>> = {
  signed_in: [GOOD, "signed in"],
  expired: [BAD, "the sign-in has ended"],
  refused: [BAD, "the sign-in is not taken any more"],
  unreadable: [BAD, "the sign-in cannot be read with the key of this machine"],
  none: [WAITING, "nobody is signed in"],
  header: [GOOD, "given an Authorization header by the configuration"],
  unusable: [WARNING, "cannot be used"],
};

function statusLines(status: SignInStatus, now: number): Line[] {
  const { server, state, actor, issuer, scopes = [], expires_at: until, renews, reason } = status;
  const [mark, words] = MARKS[state];
  const left = until === undefined ? undefined : Date.parse(until) - now;
  const life =
    renews === true ? "renewed by itself" : left !== undefined && left > 0 ? `${describeSpan(left)} left` : "";
  const details = [
    ...(actor === undefined || actor === "local" ? [] : [`for ${actor}`]),
    ...(issuer === undefined ? [] : [`at ${issuer}`]),
    ...(scopes.length === 0 ? [] : [`scopes ${scopes.join(" ")}`]),
    ...(life === "" ? [] : [life]),
    ...(reason === undefined ? [] : [reason]),
  ];
  const isMissing = state !== "signed_in" && state !== "header" && state !== "unusable";
  return [
    line(0, mark, " ", bold(server), `: ${words}`),
    ...(details.length === 0 ? [] : [line(2, dim(details.join(", ")))]),
    ...(isMissing
      ? [line(2, dim(`\`${loginCommand({ server, ...(actor === undefined ? {} : { actor }) })}\` signs in.`))]
      : []),
  ];
}
