import { DiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { createAuthFetch } from "../../../upstreams/oauth/auth-fetch.js";
import type { Credential } from "../../../upstreams/oauth/credential.js";
import { loginCommand } from "../../../upstreams/oauth/failures.js";
import { beginLogin, type Login } from "../../../upstreams/oauth/login.js";
import { openBrowser } from "../../../upstreams/oauth/open-browser.js";
import { addressKey, type RemoteConnection } from "../../../upstreams/oauth/settings.js";
import { type AuthDesk, withAuth } from "../auth/desk.js";
import { readPasted } from "../auth/pasted.js";
import { openReceiver, type Receiver } from "../auth/receiver.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { bold, dim, GOOD, line, type Line, verbatim } from "../lines.js";
import { describeSpan } from "../time-words.js";

const DEFAULT_SECONDS = 300;

export const authLogin: Handler = (input, context) =>
  withAuth(context, async (desk) => {
    const server = input.argument("server");
    const actor = input.text("actor") ?? localActor("cli").id;
    const connection = await desk.remote(server);
    const credential = await signIn({ server, actor, connection }, input, { desk, context });
    const { note } = desk.stages.books;
    const by = localActor("cli").id;
    await note({ action: "sign_in", subject: `${server} at ${credential.issuer} for ${actor}`, by, surface: "cli" });
    await desk.keep(server, actor, { connection, credential });
    if (context.isJson) context.json(toJson(server, actor, credential));
    else context.show(doneLines(server, credential));
    return 0;
  });

interface Wanted {
  readonly server: string;
  readonly actor: string;
  readonly connection: RemoteConnection;
}

interface Around {
  readonly desk: AuthDesk;
  readonly context: Context;
}

async function signIn({ server, actor, connection }: Wanted, input: Input, around: Around): Promise<Credential> {
  const { context, desk } = around;
  const { now, elapsed } = desk.stages.place;
  const { signal } = context.io;
  let login: Login | undefined;
  const receiver = await openReceiver(input.number("port") ?? 0, (answer) => login?.isMine(answer) ?? false);
  const guarded = createAuthFetch({ server, connection, env: desk.stages.place.env });
  try {
    const parts = {
      server,
      connection,
      guarded,
      now,
      redirectUrl: receiver.redirectUrl,
      scope: input.text("scope"),
      grantedScope: await grantedScope({ server, actor, connection }, desk),
    };
    login = await context.wait(beginLogin(parts, signal), () => `Asking ${server} how to sign in…`);
    const answer = await received(login, { receiver, server, input, context, elapsed });
    return await context.wait(login.finish(answer, signal), () => `Finishing the sign-in to ${server}…`);
  } finally {
    receiver.close();
    guarded.close();
  }
}

async function grantedScope({ server, actor, connection }: Wanted, { credentials, vault }: AuthDesk) {
  const stored = await credentials.find({ server, actor, connection: addressKey(connection) });
  return stored && (await vault.open(stored))?.credential.scope;
}

interface Waiting {
  readonly receiver: Receiver;
  readonly server: string;
  readonly input: Input;
  readonly context: Context;
  readonly elapsed: () => number;
}

/** Sends the person to the browser, and waits for what comes back: there, or pasted. */
async function received(login: Login, waiting: Waiting): Promise<URLSearchParams> {
  const { receiver, server, input, context, elapsed } = waiting;
  const { io } = context;
  const desktop = { env: io.env, platform: process.platform };
  const isOpened = !input.isOff("browser") && (await openBrowser(login.url, desktop));
  context.note(invitation(server, login, isOpened));
  const limitMs = (input.number("timeout") ?? DEFAULT_SECONDS) * 1000;
  const over = new AbortController();
  const startedAt = elapsed();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(tooLate(server, limitMs)), limitMs);
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  const mayPaste = !isOpened || io.isTerminal.stdin === true;
  const ways = [receiver.answer, late, ...(mayPaste ? [readPasted(context, login.isMine, over.signal)] : [])];
  const left = (): string => describeSpan(limitMs - (elapsed() - startedAt));
  try {
    return await context.wait(Promise.race(ways), () => `Waiting for the sign-in to ${server}, ${left()} left…`);
  } finally {
    over.abort();
  }
}

function invitation(server: string, { url, issuer, scope }: Login, isOpened: boolean): Line[] {
  const what = scope === undefined ? "" : ` for ${scope}`;
  const first = isOpened
    ? `The browser opens ${new URL(issuer).host} to sign in to ${server}${what}. If it does not, open this address:`
    : `Open this address in a browser to sign in to ${server} at ${new URL(issuer).host}${what}:`;
  const then = "If the browser ends at a page that it cannot show, copy the address of that page, and paste it here:";
  return [line(0, first), verbatim(2, url.href), ...(isOpened ? [] : [line(0, then)])];
}

function doneLines(server: string, { issuer, scope, expiresAt, refreshToken }: Credential): Line[] {
  const until = expiresAt === undefined ? "" : ` until ${new Date(expiresAt).toISOString()}`;
  const life =
    refreshToken === undefined ? `It counts${until || " until it is taken back"}.` : "It is renewed by itself.";
  return [
    line(0, GOOD, " Signed in to ", bold(server), ` at ${issuer}.`),
    line(2, dim([life, ...(scope === undefined ? [] : [`Scopes: ${scope}.`])].join(" "))),
  ];
}

function toJson(server: string, actor: string, { issuer, scope, expiresAt, refreshToken }: Credential) {
  return {
    server,
    actor,
    state: "signed_in",
    issuer,
    scopes: scope?.split(" ") ?? [],
    ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    renews: refreshToken !== undefined,
  };
}

function tooLate(server: string, limitMs: number): DiscoveryError {
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `Nobody signed in to ${server} within ${describeSpan(limitMs)}.`, {
    hint: `Run \`${loginCommand({ server })}\` again.`,
    server,
  });
}
