import type { ClientId } from "../options.js";
import { amazonQ } from "./amazon-q.js";
import { antigravity } from "./antigravity.js";
import { claudeCode } from "./claude-code.js";
import { claudeDesktop } from "./claude-desktop.js";
import type { Client } from "./client.js";
import { cline } from "./cline.js";
import { codex } from "./codex.js";
import { continueDev } from "./continue.js";
import { copilotCli } from "./copilot-cli.js";
import { cursor } from "./cursor.js";
import { dockerMcp } from "./docker-mcp.js";
import { geminiCli } from "./gemini-cli.js";
import { goose } from "./goose.js";
import { junie } from "./junie.js";
import { kiro } from "./kiro.js";
import { lmStudio } from "./lm-studio.js";
import { opencode } from "./opencode.js";
import { roo } from "./roo.js";
import { vscode } from "./vscode.js";
import { warp } from "./warp.js";
import { windsurf } from "./windsurf.js";
import { zed } from "./zed.js";

/** All supported programs. If two of them use the same server name, the earlier one keeps it. */
export const CLIENTS: Readonly<Record<ClientId, Client>> = {
  "claude-desktop": claudeDesktop,
  "claude-code": claudeCode,
  cursor,
  windsurf,
  vscode,
  cline,
  roo,
  "gemini-cli": geminiCli,
  codex,
  zed,
  continue: continueDev,
  goose,
  junie,
  "lm-studio": lmStudio,
  opencode,
  "copilot-cli": copilotCli,
  "amazon-q": amazonQ,
  kiro,
  warp,
  antigravity,
  "docker-mcp": dockerMcp,
};
