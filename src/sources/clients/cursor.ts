import { inHome, inProject } from "../system.js";
import { plainClient, speaking } from "./plain.js";

export const cursor = speaking(
  "prefixed",
  plainClient("cursor", "Cursor", (system) => [
    { scope: "project", path: inProject(system, ".cursor", "mcp.json") },
    { scope: "user", path: inHome(system, ".cursor", "mcp.json") },
  ]),
);
