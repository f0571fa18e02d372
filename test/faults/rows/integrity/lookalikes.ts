// Servers with names that look like the name of another server: no server answers for another one, and none is dropped
// without a message.
import { BUILT_IN_SERVER } from "../../../../src/model/built-in.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { quickServer } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const NAME = "github";
const LOOKALIKES: Readonly<Record<string, string>> = {
  "another case": "GitHub",
  "a letter of another script": "g\u0456thub",
  "full width": "\uff47\uff49thub",
  "zero width": "git\u200bhub",
  "a joiner": "git\u200dhub",
  "right to left": "\u202egithub",
  "a soft hyphen": "git\u00adhub",
  "a space": "github ",
  "a separator": "github:",
  "the gateway's own": "anygpt",
  "a member of every object": "__proto__",
};

/** `count`: how many of the names are tried, each next to the real one. */
export async function lookalikes({ count, dist }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  const figures: Record<string, string> = {};
  const chosen = Object.entries(LOOKALIKES).slice(0, count);
  for (const [kind, name] of chosen) {
    const found = await inHome((home) => tryBoth(home, dist, name));
    figures[kind] = found.ending;
    violations.push(...found.violations.map((one) => `${kind}: ${one}`));
  }
  const n = chosen.length;
  return { title: "servers with similar names", n, injected: n, violations, figures };
}

async function tryBoth(home: FaultHome, dist: string, name: string) {
  home.configure(
    Object.fromEntries([
      [NAME, quickServer(home, "real")],
      [name, quickServer(home, "double")],
    ]),
  );
  const gateway = await openGateway(home, { dist }).catch(() => undefined);
  if (gateway === undefined) return { ending: "the configuration is rejected", violations: [] };
  const listed = await listNames(gateway);
  // No configured server may answer for the built-in server, which has no such tool.
  const builtIn = await gateway.execute({ server: BUILT_IN_SERVER, tool: "who", arguments: {} });
  const answers = new Map<string, string>();
  const violations: string[] = [];
  if (!describe(builtIn).startsWith("TOOL_NOT_FOUND"))
    violations.push(`a call of the built-in server ended in ${describe(builtIn)}`);
  const names = listed.filter((one) => one !== BUILT_IN_SERVER);
  for (const server of names) {
    const outcome = await gateway.execute({ server, tool: "who", arguments: {} });
    if (outcome.kind === "answer")
      answers.set(server, (outcome.result["content"] as { text: string }[])[0]!.text.split(" ")[0]!);
    else violations.push(`a call of ${JSON.stringify(server)} ended in ${describe(outcome)}`);
  }
  if (answers.get(NAME) !== "real") violations.push(`${NAME} is answered by ${answers.get(NAME) ?? "no server"}`);
  for (const [server, who] of answers)
    if (server !== NAME && who === "real") violations.push(`${JSON.stringify(server)} is answered by the real server`);
  await gateway.close();
  return { ending: `served as ${names.map((one) => JSON.stringify(one)).join(" and ")}`, violations };
}

async function listNames(gateway: Gateway): Promise<string[]> {
  const outcome = await gateway.request("tools/call", { name: "list_mcp_servers", arguments: {} });
  if (outcome.kind !== "answer") return [];
  const [{ text }] = outcome.result["content"] as [{ text: string }];
  return (JSON.parse(text) as { servers: { name: string }[] }).servers.map(({ name }) => name);
}
