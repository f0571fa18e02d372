import { awaitAnswer, toSignInJson } from "../../../operations/auth/await-answer.js";
import { beginSignIn, type OpenSignIn } from "../../../operations/auth/sign-in.js";
import { listSignIns, type SignInState, type SignInStatus } from "../../../operations/auth/sign-in-status.js";
import { signOut } from "../../../operations/auth/sign-out.js";
import {
  BAD,
  bold,
  dim,
  GOOD,
  line,
  type Line,
  type Styled,
  verbatim,
  WAITING,
  WARNING,
} from "../../../terminal/lines.js";
import type { Credential } from "../../../upstreams/oauth/credential.js";
import { loginCommand } from "../../../upstreams/oauth/failures.js";
import type { Login } from "../../../upstreams/oauth/login.js";
import { openBrowser } from "../../../upstreams/oauth/open-browser.js";
import { describeSpan } from "../../../util/time-words.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { engineCommand } from "../session.js";

const DEFAULT_SECONDS = 300;

export const authLogin = engineCommand(async (engine, input, context) => {
  const server = input.argument("server");
  const [actor, scope, port] = [input.text("actor"), input.text("scope"), input.number("port")];
  const beginning = beginSignIn(engine, server, { actor, scope, port }, context.io.signal);
  const signIn = await context.wait(beginning, () => `Preparing the sign-in to ${server}…`);
  try {
    const { elapsed } = (await engine.stages()).runtime;
    const answer = await received(signIn, { server, input, context, elapsed });
    const credential = await context.wait(signIn.finish(answer), () => `Finishing the sign-in to ${server}…`);
    await signIn.store(credential);
    context.reply(toSignInJson(server, signIn.actor, credential), () => doneLines(server, credential));
  } finally {
    signIn.close();
  }
});

interface Waiting {
  readonly server: string;
  readonly input: Input;
  readonly context: Context;
  readonly elapsed: () => number;
}

/** Opens the browser and waits for its redirect, whose URL the user may also paste. */
async function received(signIn: OpenSignIn, { server, input, context, elapsed }: Waiting): Promise<URLSearchParams> {
  const { io } = context;
  const desktop = { env: io.env, platform: process.platform };
  const isOpened = !input.isOff("browser") && (await openBrowser(signIn.login.url, desktop));
  context.note(invitation(server, signIn.login, isOpened));
  const limitMs = (input.number("timeout") ?? DEFAULT_SECONDS) * 1000;
  const startedAt = elapsed();
  const work = awaitAnswer(signIn, {
    server,
    limitMs,
    signal: io.signal,
    pasted: !isOpened || io.isTerminal.stdin === true ? io.stdin : undefined,
    onOtherLine: () => context.warn("This is not the URL that the sign-in redirects to."),
  });
  const left = (): string => describeSpan(limitMs - (elapsed() - startedAt));
  return await context.wait(work, () => `Waiting for the sign-in to ${server}, ${left()} left…`);
}

function invitation(server: string, { url, issuer, scope }: Login, isOpened: boolean): Line[] {
  const what = scope === undefined ? "" : ` for ${scope}`;
  const first = isOpened
    ? `The browser opens ${new URL(issuer).host} to sign in to ${server}${what}. If it does not, open this URL:`
    : `Open this URL in a browser to sign in to ${server} at ${new URL(issuer).host}${what}:`;
  const then = "If the browser cannot open the last page of the sign-in, paste the URL of that page here:";
  return [line(0, first), verbatim(2, url.href), ...(isOpened ? [] : [line(0, then)])];
}

function doneLines(server: string, { issuer, scope, expiresAt, refreshToken }: Credential): Line[] {
  const until = expiresAt === undefined ? "" : ` until ${new Date(expiresAt).toISOString()}`;
  const life =
    refreshToken === undefined
      ? `The sign-in is valid${until || " until it is revoked"}.`
      : "The sign-in is renewed automatically.";
  return [
    line(0, GOOD, " Signed in to ", bold(server), ` at ${issuer}.`),
    line(2, dim([life, ...(scope === undefined ? [] : [`Scopes: ${scope}.`])].join(" "))),
  ];
}

export const authLogout = engineCommand(async (engine, input, context) => {
  const server = input.argument("server");
  const work = signOut(engine, server, input.text("actor"));
  const report = await context.wait(work, () => `Signing out of ${server}…`);
  context.reply(report, () => [
    report.removed === 0 ? `There is no sign-in to ${server}.` : line(0, GOOD, " Signed out of ", bold(server), "."),
  ]);
  if (report.reason !== undefined && !context.isJson)
    context.warn(`The authorization server did not revoke the token: ${report.reason}.`);
});

export const authStatus = engineCommand(async (engine, input, context) => {
  const only = input.argument("server");
  const servers = await listSignIns(engine, only === "" ? undefined : only);
  const { now } = (await engine.stages()).runtime;
  context.reply({ servers }, () => {
    if (servers.length > 0) return servers.flatMap((each) => statusLines(each, now()));
    return [line(0, only === "" ? "No remote server is configured." : `${only} does not use a sign-in.`)];
  });
});

const MARKS: Readonly<Record<SignInState, readonly [Styled, string]>> = {
  signed_in: [GOOD, "signed in"],
  expired: [BAD, "the sign-in has expired"],
  refused: [BAD, "the server no longer accepts the sign-in"],
  unreadable: [BAD, "the sign-in cannot be decrypted with the key of this machine"],
  none: [WAITING, "not signed in"],
  header: [GOOD, "uses the Authorization header of the configuration"],
  unusable: [WARNING, "cannot be used"],
};

function statusLines(status: SignInStatus, now: number): Line[] {
  const { server, state, actor, issuer, scopes = [], expires_at: until, renews, reason } = status;
  const [mark, words] = MARKS[state];
  const left = until === undefined ? undefined : Date.parse(until) - now;
  const life =
    renews === true ? "renewed automatically" : left !== undefined && left > 0 ? `${describeSpan(left)} left` : "";
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
      ? [line(2, dim(`Sign in with \`${loginCommand({ server, ...(actor === undefined ? {} : { actor }) })}\`.`))]
      : []),
  ];
}
