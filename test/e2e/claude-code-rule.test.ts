import { afterEach, describe, expect, it } from "vitest";
import { connectGateway, createHome, type Gateway, type Home, testServer } from "../support/gateway.js";

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

async function connect(config: object): Promise<Gateway> {
  const home: Home = createHome({ servers: { bank: testServer("ledger.mjs") }, ...config });
  closings.push(() => home.remove());
  const gateway = await connectGateway(home);
  closings.push(() => gateway.close());
  return gateway;
}

type Tool = Awaited<ReturnType<Gateway["client"]["listTools"]>>["tools"][number];

/**
 * The rules of Claude Code (https://code.claude.com/docs/en/mcp, 2026-11): it defers a tool of an MCP server unless the
 * entry of the server or the tool itself says otherwise, and accepts a limit for results up to 500,000 characters.
 */
const isDeferred = ({ _meta }: Tool, entry: { readonly alwaysLoad?: boolean } = {}): boolean =>
  entry.alwaysLoad !== true && _meta?.["anthropic/alwaysLoad"] !== true;
const longestResult = ({ _meta }: Tool): number | undefined => {
  const given = _meta?.["anthropic/maxResultSizeChars"];
  return typeof given === "number" ? Math.min(given, 500_000) : undefined;
};

describe("Claude Code", () => {
  it.each([
    ["discovery", "execute_tool"],
    ["gateway", "gateway.execute"],
  ])(
    "loads the five tools of the profile %s at once, and takes long results only from %s",
    async (profile, execute) => {
      const { client } = await connect({ profile });
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(5);
      expect(tools.filter((tool) => isDeferred(tool))).toEqual([]);
      const long = tools.filter((tool) => longestResult(tool) !== undefined);
      expect(long.map((tool) => [tool.name, longestResult(tool)])).toEqual([[execute, 500_000]]);
    },
  );

  it("defers the tools of all servers in full mode", async () => {
    const { client } = await connect({ mode: "full" });
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(2);
    expect(tools.every((tool) => isDeferred(tool))).toBe(true);
  });
});
