import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiscoveryEngine } from "../../src/engine.js";
import {
  type Asked,
  legacyClient,
  modernClient,
  overPipes,
  type Round,
  rawRounds,
  saidBy,
} from "../support/asking-clients.js";
import { testServer } from "../support/gateway.js";

let folder: string;
let engine: DiscoveryEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "anygpt-asking-"));
  engine = new DiscoveryEngine(
    {
      servers: { legacy: testServer("asking-legacy.mjs"), modern: testServer("asking-modern.mjs") },
      policy: { risk: [{ tools: ["*:twice"], risk: "destructive" }] },
    },
    { stateFolder: folder, env: { PATH: process.env["PATH"], HOME: folder } },
  );
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const accepted = (value: string) => ({ action: "accept", content: { value } });
const textOf = ({ result }: Round): string => result?.content?.[0]?.text ?? "";

/** Gives the same answer to all input requests of a round. */
function answering({ result }: Round, value: string): object {
  const keys = Object.keys(result?.inputRequests ?? {});
  const inputResponses = Object.fromEntries(keys.map((key) => [key, accepted(value)]));
  return { inputResponses, requestState: result?.requestState };
}

/** Executions of the tool, without replayed answers. */
async function executions(tool: string): Promise<object[]> {
  const { persistence } = await engine.stages();
  const entries = (await persistence.store.audit.read({})).map(
    ({ body }) => JSON.parse(body) as Record<string, unknown>,
  );
  return entries.filter(
    (one) =>
      one["kind"] === "outcome" && one["tool_id"] === tool && one["outcome"] === "ok" && !("replayed_from" in one),
  );
}

describe.each(["legacy", "modern"])(
  "a call of a modern client that takes several requests, to a %s server",
  (server) => {
    it("is one execution under its key: in progress while it waits, replayed afterwards", async () => {
      const client = rawRounds(engine);
      const call = { server, tool: "ask", arguments: { question: "q" }, options: { idempotency_key: `key-${server}` } };
      const asked = await client.call(call);
      expect(asked.result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) as unknown });
      expect(Object.values(asked.result?.inputRequests ?? {})).toMatchObject([
        { method: "elicitation/create", params: { mode: "form", message: expect.stringMatching(/\n│ q$/) } },
      ]);
      expect(JSON.parse(textOf(await client.call(call)))).toMatchObject({ error: { code: "IDEMPOTENCY_IN_PROGRESS" } });
      const answered = await client.call(call, answering(asked, "yes"));
      expect(JSON.parse(textOf(answered))).toEqual(accepted("yes"));
      const again = await client.call(call);
      expect(JSON.parse(textOf(again))).toEqual(accepted("yes"));
      expect(again.result?.["_meta"]).toMatchObject({ "anygpt/replayed": {} });
      const counts = await client.call({ server, tool: "counts", arguments: {} });
      expect(JSON.parse(textOf(counts))).toMatchObject({ ran: 1 });
      expect(await executions(`${server}:ask`)).toHaveLength(1);
      await client.close();
    });

    it.each<[string, (round: Round) => { call?: object; more: object }]>([
      [
        "a request state that was never issued",
        (round) => ({ more: { ...answering(round, "x"), requestState: "call.forged" } }),
      ],
      [
        "a request state with one changed letter",
        (round) => ({
          more: { ...answering(round, "x"), requestState: round.result?.requestState?.replace(/.$/, "!") },
        }),
      ],
      ["other arguments", (round) => ({ call: { arguments: { question: "other" } }, more: answering(round, "x") })],
      ["another tool", (round) => ({ call: { tool: "page", arguments: {} }, more: answering(round, "x") })],
    ])("rejects %s and stays open for the valid answer", async (_, forge) => {
      const client = rawRounds(engine);
      const call = { server, tool: "ask", arguments: { question: "q" } };
      const asked = await client.call(call);
      const { call: changed = {}, more } = forge(asked);
      const refused = await client.call({ ...call, ...changed }, more);
      expect(refused.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
      expect(JSON.parse(textOf(await client.call(call, answering(asked, "real"))))).toEqual(accepted("real"));
      await client.close();
    });

    it("asks again only for missing answers and rejects a repeated answer", async () => {
      const client = rawRounds(engine);
      const call = { server, tool: "together", arguments: {} };
      const first = await client.call(call);
      const [one = "", ...rest] = Object.keys(first.result?.inputRequests ?? {});
      const partly = { inputResponses: { [one]: accepted("1") }, requestState: first.result?.requestState };
      const second = await client.call(call, partly);
      expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(rest.length > 0 ? rest : ["question-2"]);
      const replayed = await client.call(call, partly);
      expect(replayed.error?.code).toBe(-32602);
      const last = await client.call(call, answering(second, "2"));
      expect(JSON.parse(textOf(last))).toEqual([accepted("1"), accepted("2")]);
      await client.close();
    });
  },
);

describe("the confirmation request of the gateway", () => {
  const answer = ({ params }: Asked): object =>
    String(params["message"]).startsWith("The gateway asks: ")
      ? { action: "accept", content: { confirm: true } }
      : accepted(saidBy(params));

  it.each([
    ["legacy", legacyClient],
    ["modern", modernClient],
  ] as const)("comes before the requests of the server, for a %s client", async (_, open) => {
    for (const server of ["legacy", "modern"]) {
      const client = await open(overPipes(engine), { answer });
      expect((await client.execute(server, "twice")).json).toEqual(["first", "second after first"]);
      expect(client.asked.map(({ params }) => String(params["message"]).split("\n")[0])).toEqual([
        `The gateway asks: run ${server}:twice?`,
        expect.stringMatching(`^The server "${server}" asks, `),
        expect.stringMatching(`^The server "${server}" asks, `),
      ]);
      await client.close();
    }
  });
});
