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
const EXPECTED = `Did you mean search_tools? mirror has these tools: ${NAMES.join(", ")}.`;

const place = createCliPlace();
closings.push(() => place.remove());
const servers = {
  mirror: toolServer(place, "mirror", { tools: NAMES.map((name) => ({ name, inputSchema: { type: "object" } })) }),
};

async function mcpHint(config: object, name: string, args: object): Promise<unknown> {
  const home = createHome({ servers, ...config });
  closings.push(() => home.remove());
  const gateway = await connectGateway(home);
  closings.push(() => gateway.close());
  const { error } = (await gateway.call(name, args)).json() as { error: { hint: string } };
  return error.hint;
}

describe("a tool that is named like a meta-tool keeps its name in a hint", () => {
  it("over MCP with the profile discovery", async () => {
    expect(await mcpHint({}, "execute_tool", { ...TYPO, arguments: {} })).toBe(EXPECTED);
  });

  it("over MCP with the profile gateway", async () => {
    const args = { tool_id: `${TYPO.server}:${TYPO.tool}`, params: {} };
    expect(await mcpHint({ profile: "gateway" }, "gateway.execute", args)).toBe(EXPECTED);
  });

  it("on the command line", async () => {
    const cli = createCliPlace({ servers });
    closings.push(() => cli.remove());
    const shown = await cli.run("mcp", "execute", TYPO.server, TYPO.tool);
    expect(shown.stderr.replace(/\s+/g, " ")).toContain(EXPECTED);
    const asJson = await cli.run("mcp", "inspect", TYPO.server, TYPO.tool, "--json");
    expect(asJson.json()).toMatchObject({ error: { hint: EXPECTED } });
  });

  it("over REST", async () => {
    const rest = await openRest({ servers });
    closings.push(() => rest.close());
    const reply = await rest.ask(`/api/adapters/${TYPO.server}/tools/${TYPO.tool}`);
    expect(reply.json).toMatchObject({ code: "TOOL_NOT_FOUND", hint: EXPECTED });
    const executed = await rest.engine.executeTool(TYPO.server, TYPO.tool, {});
    expect(executed).toMatchObject({ error: { hint: EXPECTED } });
  });
});
