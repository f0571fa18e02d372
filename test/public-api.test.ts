import { expect, it } from "vitest";
import * as api from "../src/index.js";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "DiscoveryEngine",
    "DiscoveryError",
    "ERRORS",
    "VERSION",
    "config",
    "configJsonSchema",
    "defineConfig",
    "openEngine",
    "toolFileJsonSchema",
  ]);
});

it("gives the engine exactly these public methods", () => {
  const internal = ["stages", "known", "watch", "takeOver", "onCatalogChange"];
  const methods = Object.getOwnPropertyNames(api.DiscoveryEngine.prototype).filter((name) => !internal.includes(name));
  expect(methods.sort()).toEqual([
    "close",
    "constructor",
    "executeStream",
    "executeTool",
    "getConfig",
    "getToolDetails",
    "listServers",
    "listTools",
    "ready",
    "reload",
    "search",
    "searchTools",
  ]);
});
