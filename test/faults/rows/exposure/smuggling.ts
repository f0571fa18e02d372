// HTTP request smuggling: requests whose end is ambiguous are rejected, the connection is closed, and no hidden request
// is executed.
import { inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import { openRaw, type RawAnswer, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { SMUGGLE_KINDS, smuggle } from "../../support/smuggles.js";

const LIMIT_MS = 20_000;
const AT_ONCE = 8;
const PIPELINED = 20;

/** `count`: the number of requests, each on its own connection. */
export async function smuggling({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("ann")] } });
    const { port } = await openServedGateway(home, { dist });
    const random = createRandom(seed);
    const token = tokenOf("ann");
    const attacks = Array.from({ length: count }, (_, index) => smuggle({ token, marker: `hidden ${index}`, random }));
    const violations: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let attack = attacks[next++]; attack !== undefined; attack = attacks[next++]) {
        const answers = await sendAndRead(port, attack.bytes);
        const statuses = answers.map((one) => (typeof one === "string" ? one : one.status));
        const isRefused = statuses.length === 2 && Number(statuses[0]) >= 400 && Number(statuses[0]) < 500;
        if (isRefused && statuses[1] === "closed") continue;
        const sent = JSON.stringify(attack.bytes.toString("latin1").slice(0, 400));
        violations.push(`${attack.what} was answered with ${statuses.join(", ")}: ${sent}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    violations.push(...(await pipeline(port, token)));
    const ran = home.ledger.entries().filter(({ kind }) => kind === "call");
    violations.push(...ran.map(({ id }) => `${id} ran`));
    return {
      title: "HTTP request smuggling",
      n: count + PIPELINED,
      injected: count,
      violations,
      figures: {
        kinds: SMUGGLE_KINDS.length,
        "hidden requests that ran": ran.length,
        "pipelined requests": PIPELINED,
      },
    };
  });
}

/** All answers until the connection is closed. */
async function sendAndRead(port: number, bytes: Buffer): Promise<(RawAnswer | "closed" | "nothing")[]> {
  const connection = await openRaw(port);
  connection.write(bytes);
  const answers: (RawAnswer | "closed" | "nothing")[] = [];
  do answers.push(await connection.next(LIMIT_MS));
  while (typeof answers.at(-1) !== "string");
  connection.end();
  return answers;
}

/** Pipelined valid requests on one connection: each gets its own answer, in order. */
async function pipeline(port: number, token: string): Promise<string[]> {
  const connection = await openRaw(port);
  const names = Array.from({ length: PIPELINED }, (_, index) => `nobody${index}`);
  const requests = names.map((name) =>
    toRequest({
      method: "GET",
      target: `/api/adapters/${name}/tools`,
      headers: { Host: "localhost", Authorization: `Bearer ${token}` },
    }),
  );
  connection.write(Buffer.concat(requests));
  const violations: string[] = [];
  for (const name of names) {
    const answer = await connection.next(LIMIT_MS);
    const isOwn = typeof answer === "object" && answer.status === 404 && answer.body.includes(`"${name}"`);
    if (!isOwn)
      violations.push(`${name} was answered with ${typeof answer === "object" ? answer.body.slice(0, 200) : answer}`);
  }
  connection.end();
  return violations;
}
