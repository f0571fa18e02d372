import { expect, it } from "vitest";
import * as api from "../src/index.js";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "DiscoveryEngine",
    "DiscoveryError",
    "ERRORS",
    "VERSION",
    "addServer",
    "checkServers",
    "compareRegistry",
    "config",
    "configJsonSchema",
    "defineConfig",
    "describeConfiguration",
    "evaluateSearch",
    "exportToolFiles",
    "findServers",
    "importServers",
    "inspectAdapter",
    "installToolFiles",
    "listAdapters",
    "openAudit",
    "openEngine",
    "openPins",
    "readEvalSet",
    "removeServer",
    "setServerEnabled",
    "signToolFiles",
    "testAdapter",
    "toolFileJsonSchema",
    "undoImport",
    "undoLast",
    "validateConfiguration",
    "verifyToolFiles",
    "writeRegistry",
  ]);
});

it("gives the engine exactly these public methods", () => {
  const internal = ["stages", "known", "watch", "applyFileChanges", "onCatalogChange"];
  const methods = Object.getOwnPropertyNames(api.DiscoveryEngine.prototype).filter((name) => !internal.includes(name));
  expect(methods.sort()).toEqual([
    "close",
    "connect",
    "constructor",
    "disconnect",
    "executeStream",
    "executeTool",
    "getConfig",
    "getToolDetails",
    "isConnected",
    "listServers",
    "listTools",
    "ready",
    "reload",
    "search",
    "searchTools",
    "validate",
  ]);
});
