import { expect, it } from "vitest";
import { STEPS } from "../../test/support/every-step.js";
import { describeLibraryStep } from "./next-steps.js";

it("renders every action as complete sentences", () => {
  expect(STEPS.map(describeLibraryStep)).toMatchInlineSnapshot(`
    [
      "Pass smaller arguments.",
      "Call listServers() to see all servers.",
      "Call listTools("shop") to see all tools of shop.",
      "Call searchTools(query) to find tools by what they do.",
      "Call searchTools("send money") to find tools by what they do.",
      "Call searchTools("send money", {"server":"shop"}) to find tools by what they do.",
      "Call getToolDetails("shop", "create/refund") to read the tool's parameters.",
      "Call executeTool("…", "…", args) to run the tool.",
      "Call executeTool("shop", "refund", args) to run the tool.",
      "Call again.",
      "Call again in 5 s.",
      "Allow the call more time with the option \`timeoutMs\`.",
      "Pass the option \`idempotencyKey\` with a new value, and the same value again when you repeat this call.",
      "If the user agrees, repeat the same call unchanged with the option \`confirmed: true\`.",
      "Run \`anygpt mcp approve ap_1\` in a terminal to decide about the call, then repeat the same call unchanged.",
      "Run \`anygpt mcp auth login shop\` in a terminal to sign in to shop.",
      "Run \`anygpt mcp keys list\` in a terminal.",
      "Run \`anygpt mcp keys list\` in a terminal to see all keys.",
      "Set \`toolFiles.enabled\` to true in the configuration.",
      "Add shop:refund to \`policy.risk\` in the configuration.",
      "Correct \`servers.shop.url\` in the configuration.",
      "Remove \`servers.shop\` from the configuration.",
      "Set the environment variable SHOP_TOKEN.",
      "Set the environment variable NO_PROXY to shop.example.com, or set it in .env, .ai/.env or ~/.ai/.env.",
      "Read /tmp/a.",
      "Remove /tmp/a.",
      "Correct /tmp/a.",
      "Correct the permissions of /tmp/a and its folder.",
    ]
  `);
});
