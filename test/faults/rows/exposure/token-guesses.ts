// Tokens that are guessed: how long a refusal takes tells nothing of the right one, and from one place few are looked at.
import { createIdentify } from "../../../../src/surfaces/http/identity.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { median, rankTest } from "../../support/rank-test.js";
import { describeAnswer, openRaw, type RawConnection, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";

const LIMIT_MS = 20_000;
const CONNECTIONS = 4;
/** Below this it is no chance any more. */
const CERTAIN = 1e-6;
const FREE = 10;
const BLOCK = 20;
const TOKEN = tokenOf("ann");
/** How a text was put together shows in how long it takes to read it for the first time: these are in one piece. */
const whole = (text: string): string => Buffer.from(text).toString("latin1");
/** Wrong from the first letter, and right up to the last; of the same kind of letters, which the form of a token may depend on. */
const FAR = whole(`y${TOKEN.slice(1)}`);
const NEAR = whole(`${TOKEN.slice(0, -1)}y`);

/** `count`: how many guesses come from one place; a fifth as many are timed. */
export async function tokenGuesses({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const tokens = [tokenEntry("ann"), tokenEntry("bob")];
    home.configure({ one: home.stdio("one") }, { http: { tokens, proxies: ["127.0.0.1"] } });
    const { port } = await openServedGateway(home, { dist });
    const random = createRandom(seed);
    const timing = await timeGuesses(await openRaw(port), Math.ceil(count / 5), random);
    const inside = await timeInside(createLook(), random);
    const leaky = await timeInside(leakyLook, random);
    const force = await guess(port, count);
    const violations = [...force.violations];
    for (const [where, { p, ratio }] of [["over HTTP", timing] as const, ["in process", inside] as const])
      if (p < CERTAIN) violations.push(`a near guess takes ${ratio} times as long ${where} (p = ${p})`);
    if (leaky.p > CERTAIN) violations.push(`the measure does not see a comparison that stops early (p = ${leaky.p})`);
    return {
      title: "tokens that are guessed",
      n: count + timing.n,
      injected: count + timing.n,
      violations,
      figures: {
        "p over HTTP": toText(timing.p),
        "near to far over HTTP": timing.ratio,
        "p in process": toText(inside.p),
        "near to far in process": inside.ratio,
        "p of a comparison that stops early": toText(leaky.p),
        "guesses per minute": force.perMinute,
        "looked at": force.looked,
        "let in": force.letIn,
      },
    };
  });
}

const toText = (p: number): string => p.toPrecision(2);

interface Timing {
  readonly n: number;
  readonly p: number;
  /** Of the medians. */
  readonly ratio: number;
}

function compare(near: readonly number[], far: readonly number[]): Timing {
  return {
    n: near.length + far.length,
    p: rankTest(near, far),
    ratio: Number((median(near) / median(far)).toFixed(3)),
  };
}

const toGuess = (token: string, source: string): Buffer =>
  toRequest({
    method: "GET",
    target: "/api/adapters",
    headers: { Host: "localhost", Authorization: `Bearer ${token}`, "X-Forwarded-For": source },
  });

/** Each from a place of its own, so that each is looked at, in an order of chance. */
async function timeGuesses(connection: RawConnection, each: number, random: Random): Promise<Timing> {
  const times = { near: [] as number[], far: [] as number[] };
  const order = random.shuffle([...Array<"near">(each).fill("near"), ...Array<"far">(each).fill("far")]);
  for (const [index, kind] of order.entries()) {
    const source = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
    const bytes = toGuess(kind === "near" ? NEAR : FAR, source);
    const from = performance.now();
    connection.write(bytes);
    const answer = await connection.next(LIMIT_MS);
    if (typeof answer === "string" || answer.status !== 401) throw new Error(`A guess got ${describeAnswer(answer)}.`);
    if (index >= each / 10) times[kind].push(performance.now() - from);
  }
  connection.end();
  return compare(times.near, times.far);
}

/** Takes what a request would carry. */
type Look = (authorization: string) => Promise<unknown>;

function createLook(): Look {
  const failures = { waitMs: () => 0, failed: () => undefined, succeeded: () => undefined };
  const identify = createIdentify({
    token: TOKEN,
    options: () => ({ tokens: [] }),
    verify: () => undefined,
    failures,
    now: () => 0,
  });
  return (authorization) => identify({ authorization, source: "10.0.0.1", isLocal: true });
}

/** As nobody should do it: letter by letter, up to the first that differs. */
const leakyLook: Look = (authorization) => {
  const right = `Bearer ${TOKEN}`;
  let same = 0;
  while (same < right.length && authorization.charCodeAt(same) === right.charCodeAt(same)) same += 1;
  return Promise.resolve(same === right.length);
};

async function timeInside(look: Look, random: Random): Promise<Timing> {
  const times = { near: [] as number[], far: [] as number[] };
  const given = { near: whole(`Bearer ${NEAR}`), far: whole(`Bearer ${FAR}`) };
  for (let round = 0; round < 4000; round += 1) {
    const kind = random.chance(0.5) ? "near" : "far";
    const authorization = given[kind];
    const from = process.hrtime.bigint();
    for (let index = 0; index < BLOCK; index += 1) await look(authorization);
    const ns = Number(process.hrtime.bigint() - from);
    if (round >= 500) times[kind].push(ns);
  }
  return compare(times.near, times.far);
}

/** All from one place, as fast as they are answered; whoever was right before goes on meanwhile. */
async function guess(port: number, count: number) {
  const violations: string[] = [];
  const statuses = new Map<number, number>();
  const source = "203.0.113.9";
  let sent = 0;
  const from = performance.now();
  const askOnce = async (token: string): Promise<string> => {
    const connection = await openRaw(port);
    connection.write(toGuess(token, source));
    const answer = await connection.next(LIMIT_MS);
    connection.end();
    return describeAnswer(answer);
  };
  const askKnown = async (): Promise<void> => {
    const told = await askOnce(TOKEN);
    if (!told.startsWith("200 ")) violations.push(`who was right before was told ${told}`);
  };
  await askKnown();
  const lane = async (_: unknown, number: number): Promise<void> => {
    const connection = await openRaw(port);
    for (let index = sent++; index < count; index = sent++) {
      connection.write(toGuess(`guess-${number}-${index}`.padEnd(40, "y"), source));
      const answer = await connection.next(LIMIT_MS);
      const status = typeof answer === "string" ? 0 : answer.status;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (number === 0 && index % 100 === 0) await askKnown();
    }
    connection.end();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const seconds = (performance.now() - from) / 1000;
  // The first right token that comes from there is not looked at either.
  const late = await askOnce(tokenOf("bob"));
  if (!late.startsWith("429 ")) violations.push(`a right guess among wrong ones was told ${late}`);
  const looked = statuses.get(401) ?? 0;
  const letIn = [...statuses].filter(([status]) => status < 400).reduce((sum, [, times]) => sum + times, 0);
  // The wait doubles with each one that is looked at, from a second on; those under way at once are looked at together.
  const most = FREE + Math.ceil(Math.log2(seconds + 1)) + 1 + CONNECTIONS;
  if (looked > most) violations.push(`${looked} guesses were looked at in ${seconds.toFixed(1)} s, for ${most}`);
  if (letIn > 0) violations.push(`${letIn} guesses were let in`);
  const others = [...statuses.keys()].filter((status) => status !== 401 && status !== 429);
  if (others.length > 0) violations.push(`guesses were told ${others.join()}`);
  return { violations, looked, letIn, perMinute: Math.round((count / seconds) * 60) };
}
