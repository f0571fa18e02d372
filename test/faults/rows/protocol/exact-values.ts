// Arguments that a JSON parser would silently change: each is rejected with its position, or arrives unchanged to the
// last bit.
import { isDeepStrictEqual } from "node:util";
import { modern, postMcp } from "../../../support/mcp-http.js";
import { withDeadline } from "../../support/deadline.js";
import { makeValue, type ValueText } from "../../support/exact-values.js";
import { inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { openStdioWire, toLine } from "../../support/stdio-wire.js";
import { wireServer } from "../../support/wire-notes.js";

const CALL_LIMIT_MS = 60_000;
const AT_ONCE = 16;
const HOLE = '"here"';

/** The answer of the gateway: the text of the tool or of an error. */
interface Received {
  readonly isError: boolean;
  readonly text: string;
}
type Send = (id: number, args: string) => Promise<Received>;

/** `count`: the number of calls, half of them over stdio and half over HTTP. */
export async function exactValues({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: wireServer(home, "one") }, { http: { tokens: [tokenEntry("exact")] } });
    const wire = await openStdioWire(home, { dist });
    const { url } = await openServedGateway(home, { dist });
    const overStdio: Send = async (id, args) => {
      const line = toLine({ id, ...toCall() }).replace(HOLE, args);
      const { result, error } = await withDeadline(wire.ask(id, line), CALL_LIMIT_MS, args);
      return toHeard(result, error?.message);
    };
    const overHttp: Send = async (id, args) => {
      const { body, headers } = modern("tools/call", { ...toCall().params }, id);
      const text = JSON.stringify(body).replace(HOLE, args);
      const { answer } = await postMcp({ url, token: tokenOf("exact") }, text, headers);
      return toHeard(answer.result, answer.error?.message);
    };
    const random = createRandom(seed);
    const values = Array.from({ length: count }, () => makeValue(random));
    const seen = { passed: 0, refused: 0, violations: [] as string[] };
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) {
        const value = values[index]!;
        const received = await (index % 2 === 0 ? overStdio : overHttp)(index, `{"value":${value.text}}`);
        if (received.isError) seen.refused += 1;
        else seen.passed += 1;
        seen.violations.push(...judge(value, received));
        if ((index + 1) % 1000 === 0) onProgress?.(`${index + 1} of ${count} calls`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await wire.close();
    const { passed, refused, violations } = seen;
    const odd = values.filter(({ isPlain }) => !isPlain).length;
    const figures = {
      "with unusual values": odd,
      "rejected with their position": refused,
      "arrived unchanged": passed,
    };
    return { title: "arguments that a JSON parser would change", n: count, injected: odd, violations, figures };
  });
}

const toCall = () => ({
  method: "tools/call",
  params: { name: "execute_tool", arguments: { server: "one", tool: "exact", arguments: JSON.parse(HOLE) as string } },
});

function toHeard(result: Record<string, unknown> | undefined, message = ""): Received {
  const content = result?.["content"] as { text: string }[] | undefined;
  return { isError: result === undefined || result["isError"] === true, text: content?.[0]?.text ?? message };
}

function judge({ text, isPlain }: ValueText, received: Received): string[] {
  if (received.isError) {
    if (isPlain) return [`${text} was rejected: ${received.text.slice(0, 200)}`];
    return /\/value/.test(received.text)
      ? []
      : [`${text} was rejected without its position: ${received.text.slice(0, 200)}`];
  }
  const arrived = argumentsIn(received.text);
  const isSame = isPlain && isDeepStrictEqual(JSON.parse(`{"value":${text}}`), JSON.parse(arrived));
  return isSame ? [] : [`${text} arrived as ${arrived.slice(0, 200)}`];
}

/** The text of the arguments in the line that the server read. */
function argumentsIn(line: string): string {
  const { params } = JSON.parse(line) as { params: { arguments: unknown } };
  const from = line.indexOf('"arguments":') + '"arguments":'.length;
  const plain = JSON.stringify(params.arguments);
  // Not parsed and serialized again: the exact text matters.
  return line.startsWith(plain, from) ? plain : line.slice(from);
}
