import { inHome, inProject } from "../system.js";
import { plainClient, withDialect } from "./plain.js";

export const cursor = withDialect(
  "prefixed",
  plainClient("cursor", "Cursor", (system) => [
    { scope: "project", path: inProject(system, ".cursor", "mcp.json") },
    { scope: "user", path: inHome(system, ".cursor", "mcp.json") },
  ]),
);
