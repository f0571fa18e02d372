// Token guessing: the time of a rejection reveals nothing about the right token, and only a few guesses from one address
// are checked.
import { createIdentify } from "../../../../src/surfaces/http/identity.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { median, rankTest } from "../../support/rank-test.js";
import { describeAnswer, openRaw, type RawConnection, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";

const LIMIT_MS = 20_000;
const CONNECTIONS = 4;
/** Below this probability a difference is not random. */
const CERTAIN = 1e-6;
const FREE = 10;
const BLOCK = 20;
const TOKEN = tokenOf("ann");
/** The way a string was built affects the time of its first read: these strings are flat. */
const whole = (text: string): string => Buffer.from(text).toString("latin1");
/** Wrong from the first letter on, and right up to the last one; with the same alphabet, because the token format may matter. */
const FAR = whole(`y${TOKEN.slice(1)}`);
const NEAR = whole(`${TOKEN.slice(0, -1)}y`);

/** `count`: how many guesses come from one address; a fifth as many are timed. */
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
      if (p < CERTAIN)
        violations.push(`a guess with a long common prefix takes ${ratio} times as long ${where} (p = ${p})`);
    if (leaky.p > CERTAIN)
      violations.push(`the measurement does not detect a comparison that stops early (p = ${leaky.p})`);
    return {
      title: "token guessing",
      n: count + timing.n,
      injected: count + timing.n,
      violations,
      figures: {
        "p over HTTP": toText(timing.p),
        "ratio of medians over HTTP": timing.ratio,
        "p in process": toText(inside.p),
        "ratio of medians in process": inside.ratio,
        "p of an early-exit comparison": toText(leaky.p),
        "guesses per minute": force.perMinute,
        "checked guesses": force.looked,
        "accepted guesses": force.letIn,
      },
    };
  });
}

const toText = (p: number): string => p.toPrecision(2);

interface Timing {
  readonly n: number;
  readonly p: number;
  /** Ratio of the medians. */
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

/** Each from a different address, so that none is throttled, in random order. */
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

/** Takes the headers of a request. */
type Look = (authorization: string) => Promise<unknown>;

function createLook(): Look {
  const throttle = { waitMs: () => 0, failed: () => undefined, succeeded: () => undefined };
  const identify = createIdentify({
    token: TOKEN,
    options: () => ({ tokens: [] }),
    verify: () => undefined,
    throttle,
    now: () => 0,
  });
  return (authorization) => identify({ authorization, source: "10.0.0.1", isLocal: true });
}

/** An unsafe comparison for the control: letter by letter, up to the first difference. */
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

/** All from one address, as fast as they are answered, while an authenticated caller continues to call. */
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
    const reported = await askOnce(TOKEN);
    if (!reported.startsWith("200 ")) violations.push(`the authenticated caller was answered with ${reported}`);
  };
  await askKnown();
  const worker = async (_: unknown, number: number): Promise<void> => {
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
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - from) / 1000;
  // Only failures are throttled: a right token works from the same address, even if it was never used before.
  const late = await askOnce(tokenOf("bob"));
  if (!late.startsWith("200 ")) violations.push(`the right token among wrong ones was answered with ${late}`);
  const looked = statuses.get(401) ?? 0;
  const letIn = [...statuses].filter(([status]) => status < 400).reduce((sum, [, times]) => sum + times, 0);
  // The wait doubles with each checked guess, starting at one second; concurrent guesses are checked together.
  const maxChecked = FREE + Math.ceil(Math.log2(seconds + 1)) + 1 + CONNECTIONS;
  if (looked > maxChecked)
    violations.push(`${looked} guesses were checked in ${seconds.toFixed(1)} s, at most ${maxChecked} are allowed`);
  if (letIn > 0) violations.push(`${letIn} guesses were accepted`);
  const others = [...statuses.keys()].filter((status) => status !== 401 && status !== 429);
  if (others.length > 0) violations.push(`guesses were answered with ${others.join()}`);
  return { violations, looked, letIn, perMinute: Math.round((count / seconds) * 60) };
}
