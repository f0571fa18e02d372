import { homedir } from "node:os";
import { absolutePath } from "./home-path.js";

type Environment = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Environment): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

/** The folder for persistent data: `ANYGPT_HOME`, otherwise `~/.anygpt`. */
export function stateFolderOf(env: Environment, cwd: string): string {
  return absolutePath(env["ANYGPT_HOME"] || "~/.anygpt", { home: homeOf(env), baseDir: cwd });
}
