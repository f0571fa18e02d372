// Reads npm settings from the environment, then from the user's `.npmrc`.
import { homedir } from "node:os";
import { join } from "node:path";
import { readRegularTextSync } from "./regular-file.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns an npm setting: the variable `npm_config_NAME`, otherwise `NAME = …` in the user's `.npmrc`. */
export function npmSetting(env: Environment, name: string): string | undefined {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  return inEnvironment(env, name) ?? inNpmrc(inEnvironment(env, "userconfig") ?? join(home, ".npmrc"), name, env);
}

function inEnvironment(env: Environment, name: string): string | undefined {
  const key = Object.keys(env).find((candidate) => candidate.toLowerCase() === `npm_config_${name}`);
  return (key === undefined ? undefined : env[key]) || undefined;
}

function inNpmrc(file: string, name: string, env: Environment): string | undefined {
  try {
    const rows = readRegularTextSync(file).split(/\r?\n/);
    const row = rows.findLast((text) => text.split("=", 1)[0]?.trim() === name);
    const value = row?.slice(row.indexOf("=") + 1).trim();
    const bare = value
      ?.replace(/^(["'])(.*)\1$/, "$2")
      .replace(/\$\{(\w+)\}/g, (all, variable: string) => env[variable] ?? all);
    return bare || undefined;
  } catch {
    return undefined;
  }
}
