// Clients with elicitation that return everything except a clear acceptance of the question.
import { type Gateway, type Json, openGateway } from "./gateway.js";
import type { FaultHome } from "./home.js";
import type { Random } from "./random.js";

/** Tries once with that marker; returns the number of requests. */
export interface AskingClient {
  attack(server: string, id: string): Promise<number>;
  close(): Promise<void>;
}

const YES = { action: "accept", content: { confirm: true } };
/** None of them is an acceptance. */
const WORDS: readonly Json[] = [
  { action: "decline" },
  { action: "cancel" },
  { action: "accept" },
  { action: "accept", content: {} },
  { action: "accept", content: { confirm: false } },
  { action: "accept", content: { confirm: "true" } },
  { action: "accept", content: { confirm: 1 } },
  { action: "accept", content: { confirmed: true, approved: true } },
  { action: "accept", content: [true] },
  { action: "ACCEPT", content: { confirm: true } },
  { action: ["accept"], content: { confirm: true } },
  { content: { confirm: true } },
  { confirm: true },
  {},
];
/** Invalid results by the protocol: the gateway keeps waiting after one of them. */
const NO_WORDS: readonly unknown[] = [true, "accept", null, [YES]];

const FAILURE_SHARE = 0.1;

const toArguments = (server: string, id: string): Json => ({
  server,
  tool: "destroy",
  arguments: { id, to: "alice" },
  options: { confirmed: true },
});

/** Revisions with a handshake: the client is asked while its call waits. */
export async function openAskedClient(home: FaultHome, dist: string, random: Random): Promise<AskingClient> {
  const onRequest = (): unknown => {
    if (random.chance(FAILURE_SHARE)) throw new Error("The client cannot show the form.");
    return random.pick(WORDS);
  };
  const gateway = await openGateway(home, { dist, capabilities: { elicitation: {} }, onRequest });
  return {
    async attack(server, id) {
      await gateway.request("tools/call", { name: "execute_tool", arguments: toArguments(server, id) });
      return 1;
    },
    close: () => gateway.close(),
  };
}

const ENVELOPE = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Revision 2026-07-28: the question is a result, and the answer comes with the next round of the request. */
export async function openRoundsClient(home: FaultHome, dist: string, random: Random): Promise<AskingClient> {
  const [gateway, other] = await Promise.all([
    openGateway(home, { dist, isModern: true }),
    openGateway(home, { dist, isModern: true }),
  ]);
  const round = async (through: Gateway, args: Json, more: Json = {}, capabilities: Json = { elicitation: {} }) => {
    const _meta = { ...ENVELOPE, [CAPABILITIES]: capabilities };
    const outcome = await through.request("tools/call", { name: "execute_tool", arguments: args, _meta, ...more });
    return outcome.kind === "answer" ? outcome.result : {};
  };
  return {
    async attack(server, id) {
      const args = toArguments(server, id);
      const otherCall = toArguments(server, `${id}-other`);
      const state = String((await round(gateway, args))["requestState"]);
      const stateOfOther = String((await round(gateway, otherCall))["requestState"]);
      const stateOfProcess = String((await round(other, args))["requestState"]);
      const inputResponses = { confirmation: YES };
      const forgeries: readonly (readonly [Json, Json?])[] = [
        [{ inputResponses }],
        [{ inputResponses, requestState: stateOfOther }],
        [{ inputResponses, requestState: stateOfProcess }],
        [{ inputResponses, requestState: `${state.slice(0, -2)}AA` }],
        [{ inputResponses, requestState: state.split(".")[0] }],
        [{ inputResponses, requestState: [state] }],
        [{ inputResponses: { confirmation: random.pick(WORDS) }, requestState: state }],
        [{ inputResponses: { confirmation: random.pick(NO_WORDS) }, requestState: state }],
        [{ inputResponses: { confirm: YES, elicitation: YES }, requestState: state }],
        [{ inputResponses: [YES], requestState: state }],
        [{ inputResponses, requestState: state }, {}],
      ];
      for (const [more, capabilities] of forgeries) await round(gateway, args, more, capabilities);
      return forgeries.length + 3;
    },
    async close() {
      await Promise.all([gateway.close(), other.close()]);
    },
  };
}
