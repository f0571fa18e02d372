import { isSamePath, pathsOf, type System } from "./system.js";

const MAX_DEPTH = 3;
const SETTINGS_FOLDERS = new Set(
  "vscode cursor roo gemini codex zed continue junie opencode amazonq kiro warp github"
    .split(" ")
    .map((name) => `.${name}`),
);

/**
 * The project folder of a file: the folder that contains `.vscode`, `.cursor` or similar. For a file in the user's own
 * settings it is the current project.
 */
export function workspaceOf(file: string, system: System): string {
  const { basename, dirname } = pathsOf(system);
  let folder = dirname(file);
  if (basename(file) === ".mcp.json" && !SETTINGS_FOLDERS.has(basename(folder))) return folder;
  for (let level = 0; level < MAX_DEPTH; level += 1) {
    const parent = dirname(folder);
    if (SETTINGS_FOLDERS.has(basename(folder))) return isSamePath(system, parent, system.home) ? system.cwd : parent;
    folder = parent;
  }
  return system.cwd;
}
