import { expect, it } from "vitest";
import { STEPS } from "../../../test/support/every-step.js";
import { describeRestStep } from "./next-steps.js";

it("renders every action as complete sentences", () => {
  expect(STEPS.map(describeRestStep)).toMatchInlineSnapshot(`
    [
      "Pass smaller arguments.",
      "Send GET /api/adapters to see all adapters.",
      "Send GET /api/adapters/shop/tools to see all its tools.",
      "Send GET /api/search?q=QUERY to find tools by what they do.",
      "Send GET /api/search?q=send%20money to find tools by what they do.",
      "Send GET /api/search?q=send%20money&server=shop to find tools by what they do.",
      "Send GET /api/adapters/shop/tools/create%2Frefund to read the parameters.",
      "Send POST /api/adapters/ADAPTER/tools/TOOL with the arguments as the body to run a tool.",
      "Send POST /api/adapters/shop/tools/refund with the arguments as the body to run a tool.",
      "Send the request again.",
      "Send the request again after 5 s.",
      "Allow the call more time with the header X-AnyGPT-Timeout.",
      "Send the header Idempotency-Key with a new value, and the same value again when you repeat this request.",
      "If the user agrees, repeat the same request unchanged with the header X-AnyGPT-Confirmed: true.",
      "Run \`anygpt mcp approve ap_1\` on the gateway's machine to decide about the call, then repeat the same request unchanged.",
      "Run \`anygpt mcp auth login shop\` on the gateway's machine to sign in to shop.",
      "Run \`anygpt mcp keys list\` on the gateway's machine.",
      "Run \`anygpt mcp keys list\` on the gateway's machine to see all keys.",
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
