import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a configuration unless the file exists: some gateways treat a newer modification time as a change. */
export function writeConfig(file, config) {
  const text = JSON.stringify(config);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
