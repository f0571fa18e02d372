// Two actors use one server that stores state per session: neither sees the state of the other, and a cancellation by
// one does not affect the other.
import { ACCEPT, askModern, type McpCaller, modern } from "../../../support/mcp-http.js";
import { waitFor } from "../../support/deadline.js";
import type { RemoteCall } from "../../support/remote-server.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { inServedScene, type ServedScene } from "../../support/served-scene.js";

const ACTORS = ["anna", "bert"] as const;
const SERVERS = ["json", "events"] as const;
const CALLS_A_ROUND = 5;

/** `count`: the number of rounds; in each round both count, then the first cancels a call while the second waits. */
export async function twoActors({ count, dist }: RowOptions): Promise<RowResult> {
  const held: RemoteCall[] = [];
  const onCall = (call: RemoteCall): boolean => {
    const isHeld = String(call.args["id"]).startsWith("hold");
    if (isHeld) held.push(call);
    return isHeld;
  };
  return await inServedScene({ dist, actors: ACTORS, remote: { onCall } }, async (scene) => {
    const violations: string[] = [];
    const counted = new Map<string, number>();
    let calls = 0;
    for (let round = 0; round < count; round += 1) {
      for (const server of SERVERS) {
        const counts = ACTORS.flatMap((actor) => Array.from({ length: CALLS_A_ROUND }, () => actor));
        for (const [index, actor] of counts.entries()) {
          const key = `${actor} at ${server}`;
          const wanted = (counted.get(key) ?? 0) + 1;
          counted.set(key, wanted);
          const reported = await call(scene.caller(actor), { server, tool: "count", id: `count-${round}-${index}` });
          calls += 1;
          if (reported !== String(wanted)) violations.push(`${key} has counted ${wanted} but got ${reported}`);
        }
        violations.push(...(await cancelOne(scene, held, { server, round })));
        calls += 2;
      }
    }
    const sessions = scene.remote.initialized();
    return {
      title: "two actors on one server",
      n: calls,
      injected: count * SERVERS.length,
      violations,
      figures: {
        "cancelled calls": count * SERVERS.length,
        "sessions at the server": sessions,
        "shared states": violations.length,
      },
    };
  });
}

interface Asked {
  readonly server: string;
  readonly tool: string;
  readonly id: string;
}

const toParams = ({ server, tool, id }: Asked) => ({
  name: "execute_tool",
  arguments: { server, tool, arguments: { id } },
});

async function call(caller: McpCaller, asked: Asked): Promise<string> {
  const { answer } = await askModern(caller, "tools/call", toParams(asked));
  return answer.result?.content?.[0]?.text ?? JSON.stringify(answer);
}

/** Both wait; the first disconnects in the meantime, and the second gets its answer. */
async function cancelOne(
  scene: ServedScene,
  held: RemoteCall[],
  { server, round }: { readonly server: string; readonly round: number },
): Promise<string[]> {
  const [first, second] = ACTORS.map((actor) => ({ server, tool: "effect", id: `hold-${actor}-${server}-${round}` }));
  const giveUp = new AbortController();
  const { body, headers } = modern("tools/call", toParams(first!));
  const { url, token } = scene.caller(ACTORS[0]);
  const gone = fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: ACCEPT, ...headers },
    body: JSON.stringify(body),
    signal: giveUp.signal,
  })
    .then((response) => response.text())
    .catch(() => "gone");
  const answer = call(scene.caller(ACTORS[1]), second!);
  await waitFor(() => held.length === 2, "two calls in flight");
  giveUp.abort();
  await gone;
  const [mine, other] = [first!.id, second!.id].map((id) => held.find(({ args }) => args["id"] === id));
  // The server may or may not learn that the first call was cancelled; it does not affect the second.
  mine?.response.destroy();
  other?.finish();
  held.length = 0;
  const reported = await answer;
  return reported === `done ${second!.id}` ? [] : [`${second!.id} got ${reported}`];
}
