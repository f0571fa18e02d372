import { expect, it } from "vitest";
import { STEPS } from "../../../test/support/every-step.js";
import { describeCliStep } from "./next-steps.js";

it("renders every action as complete sentences", () => {
  expect(STEPS.map(describeCliStep)).toMatchInlineSnapshot(`
    [
      "Pass smaller arguments.",
      "Run \`anygpt mcp list\` to see all servers.",
      "Run \`anygpt mcp tools shop\` to see all its tools.",
      "Run \`anygpt mcp search QUERY\` to find tools by what they do.",
      "Run \`anygpt mcp search "send money"\` to find tools by what they do.",
      "Run \`anygpt mcp search "send money" --server shop\` to find tools by what they do.",
      "Run \`anygpt mcp inspect shop create/refund\` to read the parameters.",
      "Run \`anygpt mcp execute SERVER TOOL\` to run a tool.",
      "Run \`anygpt mcp execute shop refund\` to run a tool.",
      "Run the command again.",
      "Run the command again in 5 s.",
      "Allow more time with --timeout SECONDS.",
      "Pass --idempotency-key KEY with a new value, and the same value again when you repeat this call.",
      "To run the call, repeat the same command with --confirmed or --yes added.",
      "Run \`anygpt mcp approve ap_1\` to decide about the call, then repeat the same command unchanged.",
      "Run \`anygpt mcp auth login shop\` to sign in to shop.",
      "Run \`anygpt mcp keys list\`.",
      "Run \`anygpt mcp keys list\` to see all keys.",
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
