// Output of commands at three widths, with 22 servers. After an intended change run `npx vitest run
// src/surfaces/cli/golden -u` and review the diff.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";
import { ROOT } from "../../../../test/support/gateway.js";

const NAMES =
  "github gitlab jira confluence slack notion postgres redis filesystem calendar mail weather maps payments ledger library search metrics".split(
    " ",
  );
const LONG = "a-very-long-server-name-for-the-internal-billing-platform";

function toolsOf(server: string): object[] {
  const id = { type: "string", description: "The identifier as the web page shows it, without the leading hash sign" };
  const inputSchema = {
    type: "object",
    properties: {
      id,
      limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      state: { enum: ["open", "closed"] },
    },
    required: ["id"],
  };
  const more = "with its labels, comments, attachments, watchers and whatever else was configured for it. Asks nobody.";
  return [
    {
      name: `get_${server}_item`,
      description: `Gets an item of ${server}, ${more}`,
      inputSchema,
      annotations: { readOnlyHint: true },
    },
    {
      name: `delete_${server}_item`,
      description: `Deletes an item of ${server}.`,
      inputSchema,
      annotations: { destructiveHint: true },
    },
  ];
}

let place: CliPlace;
beforeAll(async () => {
  place = createCliPlace();
  const answer = {
    content: [
      { type: "text", text: "An item, with a text that is longer than the narrowest of the three terminals is wide." },
    ],
  };
  const good = [...NAMES, LONG].map((name) => [
    name,
    toolServer(place, name, { tools: toolsOf(name.slice(0, 12)), answer }),
  ]);
  const faulty = { command: "node", args: [`${ROOT}/test/servers/faulty.mjs`, "exit-now"] };
  const servers = {
    ...Object.fromEntries(good),
    broken: faulty,
    "broken-too": faulty,
    remote: { url: "http://127.0.0.1:9/mcp" },
  };
  place.write(".anygpt/mcp-discovery.config.json", { servers });
  await place.run("doctor");
});
afterAll(() => place.remove());

/** Removes times, match percentages and the checks of this machine. */
function steady(text: string): string {
  return text
    .replace(/^✓ node: [^]*?\n\n/, "")
    .replace(/^ {2}Source: [^]*?\)\n/gm, "")
    .replace(/\d+ ms/g, "N ms")
    .replace(/\d+\.\d s/g, "N s")
    .replace(/\d+% match/g, "N% match")
    .replace(/ {2}It failed a moment ago[^]*?(?=\n\n)/, "  HINT");
}

describe.each([60, 80, 120])("at %i columns", (columns) => {
  it.each([
    ["list", ["list"]],
    ["list-server", ["list", LONG, "broken"]],
    ["search", ["search", "delete an item of github", "--limit", "3"]],
    ["tools", ["tools", LONG]],
    ["inspect", ["inspect", "github:get_github_item"]],
    ["execute", ["execute", "github", "get_github_item", "id=7"]],
    ["doctor", ["doctor", "github"]],
    ["help", ["help"]],
    ["help-topic", ["help", "use"]],
  ])("%s", async (name, argv) => {
    const ran = await place.runWith({ isTerminal: true, columns, env: { NO_COLOR: "1" } }, ...argv);
    const shown = steady(ran.stdout);
    await expect(shown).toMatchFileSnapshot(`${name}-${columns}.txt`);
    // The result of a tool is not wrapped.
    const torn = shown.split("\n").filter((row) => row.length > columns && name !== "execute" && !row.includes("$ "));
    expect(torn).toEqual([]);
  });
});
