import { isDeepStrictEqual } from "node:util";
import { ours, oursWhole } from "../adapters/ours.mjs";
import { RESULTS_SERVER } from "../support/catalogs.mjs";
import { textOf } from "../support/connect.mjs";
import { within } from "../support/limit.mjs";
import { createHome, untilCalled, withPeer } from "../support/session.mjs";
import { RESULTS } from "../servers/result-cases.mjs";

const CALL_LIMIT_MS = 20_000;

/** Compares what the server sent with what the client received. */
export const fidelity = {
  name: "fidelity",
  about: "whether results of every kind arrive unchanged",
  seconds: { usual: 30, quick: 30 },
  async run(context) {
    const rows = [];
    for (const peer of context.peers) {
      rows.push(await runPeer(context, peer));
      if (peer.adapter === ours) rows.push(await runPeer(context, { ...peer, adapter: oursWhole }));
    }
    context.show({
      title: `Fidelity, ${RESULTS.length} results`,
      columns: [
        { key: "passed", label: `same of ${RESULTS.length}`, better: "high" },
        ...RESULTS.map(({ name }) => ({ key: name, label: name })),
      ],
      rows,
      notes: [
        "yes: deeply equal to what the server sent, except for members that a gateway adds to _meta; other: another structure or other members; failed: no answer.",
      ],
    });
  },
};

async function runPeer(context, peer) {
  const { name, notes } = peer.adapter;
  context.say(`fidelity: ${name}`);
  const home = createHome(context.folder, name);
  const servers = { results: { command: process.execPath, args: [RESULTS_SERVER] } };
  try {
    return await withPeer(peer, { servers, home }, async (gateway) => {
      await untilCalled(gateway, callEcho);
      const cells = {};
      for (const { name: tool, result } of RESULTS) cells[tool] = await compare(gateway, { tool, result });
      const passed = Object.values(cells).filter((cell) => cell === "yes").length;
      const row = notes?.fidelity === undefined ? {} : { row: notes.fidelity };
      return {
        name,
        isBaseline: name === "direct" || name === oursWhole.name,
        cells: { passed, ...cells },
        notes: row,
      };
    });
  } catch (error) {
    return {
      name,
      cells: {},
      notes: { row: `${name} was skipped after an error: ${error.message.replace(/\.$/, "")}` },
    };
  }
}

async function callEcho(gateway) {
  const text = textOf(await gateway.call("results", "echo", { text: "hello" }));
  if (!text.includes("hello")) throw new Error(`The echo came back as ${text.slice(0, 100)}`);
}

/** Gateways may add members to `_meta`; every other addition or change counts. */
function withoutAdded(got, { _meta: sent }) {
  const { _meta: received, ...members } = got;
  const kept = Object.fromEntries(
    Object.entries(received ?? {}).filter(([name]) => sent !== undefined && name in sent),
  );
  return sent === undefined ? members : { ...members, _meta: kept };
}

async function compare(gateway, { tool, result }) {
  try {
    const got = await within(CALL_LIMIT_MS, "A call", gateway.call("results", tool, {}));
    return isDeepStrictEqual(withoutAdded(got, result), result) ? "yes" : "other";
  } catch {
    return "failed";
  }
}
