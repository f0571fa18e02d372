import { expect, it } from "vitest";
import { STEPS } from "../../test/support/every-step.js";
import { createGatewayDescription } from "./gateway/next-steps.js";
import { describeDiscoveryStep, describeFullModeStep } from "./next-steps.js";

it("renders every action as a call of the profile discovery", () => {
  expect(STEPS.map(describeDiscoveryStep)).toMatchInlineSnapshot(`
    [
      "Pass smaller arguments.",
      "Call list_mcp_servers to see all servers.",
      "Call list_tools({"server":"shop"}) to see all its tools.",
      "Call search_tools to find tools by what they do.",
      "Call search_tools({"query":"send money"}) to find tools by what they do.",
      "Call search_tools({"query":"send money","server":"shop"}) to find tools by what they do.",
      "Call get_tool_details({"server":"shop","tool":"create/refund"}) to read the parameters.",
      "Call execute_tool to run a tool.",
      "Call execute_tool({"server":"shop","tool":"refund"}) to run a tool.",
      "Call again.",
      "Call again in 5 s.",
      "Allow the call more time with options.timeout.",
      "Pass options.idempotency_key with a new value, and the same value again when you repeat this call.",
      "If your user agrees, repeat the same call unchanged with options.confirmed: true.",
      "Ask the user to decide about the call with \`anygpt mcp approve ap_1\`, then repeat the same call unchanged.",
      "Ask the user to sign in to shop with \`anygpt mcp auth login shop\`.",
      "Ask the user to run \`anygpt mcp keys list\`.",
      "Ask the user to run \`anygpt mcp keys list\` to see all keys.",
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

it("renders every action as a call of the profile gateway", () => {
  const describe = createGatewayDescription((tool) => `gateway.${tool}`);
  expect(STEPS.map(describe)).toMatchInlineSnapshot(`
    [
      "Pass smaller arguments.",
      "Call gateway.adapters to see all adapters.",
      "Call gateway.tools({"adapter":"shop"}) to see all its tools.",
      "Call gateway.intent to find tools by what they do.",
      "Call gateway.intent({"query":"send money"}) to find tools by what they do.",
      "Call gateway.intent({"query":"send money","adapter":"shop"}) to find tools by what they do.",
      "Call gateway.intent({"query":"shop:create/refund"}) to read the parameters.",
      "Call gateway.execute to run a tool.",
      "Call gateway.execute({"tool_id":"shop:refund"}) to run a tool.",
      "Call again.",
      "Call again in 5 s.",
      "Allow the call more time with options.timeout.",
      "Pass options.idempotency_key with a new value, and the same value again when you repeat this call.",
      "If your user agrees, repeat the same call unchanged with options.confirmed: true.",
      "Ask the user to decide about the call with \`anygpt mcp approve ap_1\`, then repeat the same call unchanged.",
      "Ask the user to sign in to shop with \`anygpt mcp auth login shop\`.",
      "Ask the user to run \`anygpt mcp keys list\`.",
      "Ask the user to run \`anygpt mcp keys list\` to see all keys.",
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

it("renders every action for full mode", () => {
  expect(STEPS.map(describeFullModeStep)).toMatchInlineSnapshot(`
    [
      "Pass smaller arguments.",
      "Choose a tool from tools/list.",
      "Choose a tool of shop from tools/list.",
      "Choose a tool from tools/list.",
      "Choose a tool from tools/list.",
      "Choose a tool from tools/list.",
      "Read the input schema of create/refund in tools/list.",
      "Call the tool by its name in tools/list.",
      "Call refund by its name in tools/list.",
      "Call again.",
      "Call again in 5 s.",
      "Call again later; the configuration limits how long a call may take.",
      "The client has to send a key in _meta["anygpt/idempotencyKey"], and the same key again when it repeats this call.",
      "Ask the user to decide about the call with \`anygpt mcp approve ap_1\`, then repeat the same call unchanged.",
      "Ask the user to decide about the call with \`anygpt mcp approve ap_1\`, then repeat the same call unchanged.",
      "Ask the user to sign in to shop with \`anygpt mcp auth login shop\`.",
      "Ask the user to run \`anygpt mcp keys list\`.",
      "Ask the user to run \`anygpt mcp keys list\` to see all keys.",
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
