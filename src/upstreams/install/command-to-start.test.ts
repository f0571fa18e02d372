import { expect, it } from "vitest";
import { commandToStart } from "./installations.js";

const GATEWAY = { PATH: "/bin", npm_config_registry: "https://npm.example/", npm_config__auth: "secret" };
const environmentOf = (command: string, ...args: string[]) =>
  commandToStart({ kind: "stdio", command, args, env: {} }, GATEWAY).env;

it("passes npm's registry on to npx, but no credentials", () => {
  expect(environmentOf("npx", "-y", "pkg")).toEqual({ PATH: "/bin", npm_config_registry: "https://npm.example/" });
});

it("passes no settings of npm on to other commands", () => {
  expect(environmentOf("node", "server.js")).toEqual({ PATH: "/bin" });
});
