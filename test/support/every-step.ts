import type { NextStep } from "../../src/model/next-steps.js";

/** One step of each action, and of each form that renderers treat differently. A new action fails to compile here. */
const EVERY_STEP = {
  advice: [{ action: "advice", text: "Pass smaller arguments." }],
  "list-servers": [{ action: "list-servers" }],
  "list-tools": [{ action: "list-tools", server: "shop" }],
  search: [
    { action: "search" },
    { action: "search", query: "send money" },
    { action: "search", query: "send money", server: "shop" },
  ],
  inspect: [{ action: "inspect", server: "shop", tool: "create/refund" }],
  execute: [{ action: "execute" }, { action: "execute", server: "shop", tool: "refund" }],
  retry: [{ action: "retry" }, { action: "retry", afterSeconds: 5 }],
  "raise-timeout": [{ action: "raise-timeout" }],
  "pass-key": [{ action: "pass-key" }],
  confirm: [{ action: "confirm", id: "ap_1" }],
  approve: [{ action: "approve", id: "ap_1" }],
  "sign-in": [{ action: "sign-in", server: "shop", command: "anygpt mcp auth login shop" }],
  "run-command": [
    { action: "run-command", command: "anygpt mcp keys list" },
    { action: "run-command", command: "anygpt mcp keys list", purpose: "see all keys" },
  ],
  "edit-config": [
    { action: "edit-config", key: "toolFiles.enabled", value: "true" },
    { action: "edit-config", key: "policy.risk", change: "add", value: "shop:refund" },
    { action: "edit-config", key: "servers.shop.url", change: "correct" },
    { action: "edit-config", key: "servers.shop", change: "remove" },
  ],
  "set-variable": [
    { action: "set-variable", name: "SHOP_TOKEN" },
    { action: "set-variable", name: "NO_PROXY", value: "shop.example.com", files: [".env", ".ai/.env", "~/.ai/.env"] },
  ],
  "edit-file": [
    { action: "edit-file", path: "/tmp/a", change: "read" },
    { action: "edit-file", path: "/tmp/a", change: "remove" },
    { action: "edit-file", path: "/tmp/a", change: "correct" },
    { action: "edit-file", path: "/tmp/a", change: "permissions" },
  ],
} satisfies { [Action in NextStep["action"]]: readonly Extract<NextStep, { action: Action }>[] };

export const STEPS: readonly NextStep[] = Object.values(EVERY_STEP).flat();
