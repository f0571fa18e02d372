import { afterAll, describe, expect, it } from "vitest";
import { createCliPlace, toolServer } from "../support/cli.js";
import { connectGateway, createHome } from "../support/gateway.js";
import { openRest } from "../support/rest.js";

const closings: (() => Promise<unknown> | void)[] = [];
afterAll(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

/** Tools of a server that are named like the meta-tools of the gateway. */
const NAMES = ["search_tools", "list_mcp_servers", "execute_tool", "get_tool_details", "list_tools"];
const TYPO = { server: "mirror", tool: "search_toolz" };
const EXPECTED = "Did you mean search_tools?";
/** No name is similar, so the hint lists all tools. */
const UNLIKE = { server: "mirror", tool: "zzqx" };
const EXPECTED_LIST = `mirror has these tools: ${NAMES.join(", ")}.`;

const place = createCliPlace();
closings.push(() => place.remove());
const servers = {
  mirror: toolServer(place, "mirror", { tools: NAMES.map((name) => ({ name, inputSchema: { type: "object" } })) }),
};

async function mcpHints(config: object, name: string, calls: readonly object[]): Promise<unknown[]> {
  const home = createHome({ servers, ...config });
  closings.push(() => home.remove());
  const gateway = await connectGateway(home);
  closings.push(() => gateway.close());
  const answers = await Promise.all(calls.map((args) => gateway.call(name, args)));
  return answers.map(({ error }) => error?.["hint"]);
}

describe("a tool that is named like a meta-tool keeps its name in a hint", () => {
  it("over MCP with the profile discovery", async () => {
    const calls = [TYPO, UNLIKE].map((one) => ({ ...one, arguments: {} }));
    expect(await mcpHints({}, "execute_tool", calls)).toEqual([
      EXPECTED,
      `Call search_tools to find tools by what they do. ${EXPECTED_LIST}`,
    ]);
  });

  it("over MCP with the profile gateway", async () => {
    const calls = [TYPO, UNLIKE].map(({ server, tool }) => ({ tool_id: `${server}:${tool}`, params: {} }));
    expect(await mcpHints({ profile: "gateway" }, "gateway.execute", calls)).toEqual([
      EXPECTED,
      expect.stringMatching(/^Call gateway\.intent.*\. mirror has these tools: search_tools, /),
    ]);
  });

  it.each([
    [TYPO, EXPECTED],
    [UNLIKE, EXPECTED_LIST],
  ])("on the command line, for %j", async ({ server, tool }, expected) => {
    const cli = createCliPlace({ servers });
    closings.push(() => cli.remove());
    const shown = await cli.run("mcp", "execute", server, tool);
    expect(shown.stderr.replace(/\s+/g, " ")).toContain(expected);
    const asJson = await cli.run("mcp", "inspect", server, tool, "--json");
    expect(asJson.json()).toMatchObject({ error: { hint: expect.stringContaining(expected) as string } });
  });

  it.each([
    [TYPO, EXPECTED],
    [UNLIKE, EXPECTED_LIST],
  ])("over REST, for %j", async ({ server, tool }, expected) => {
    const hint = expect.stringContaining(expected) as string;
    const rest = await openRest({ servers });
    closings.push(() => rest.close());
    const reply = await rest.ask(`/api/adapters/${server}/tools/${tool}`);
    expect(reply.json).toMatchObject({ code: "TOOL_NOT_FOUND", hint });
    expect(await rest.engine.executeTool(server, tool, {})).toMatchObject({ error: { hint } });
  });
});
