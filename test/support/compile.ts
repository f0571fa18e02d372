import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./gateway.js";
import type { InstalledPackage } from "./installed-package.js";

export interface TypeError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const OPTIONS = {
  target: "ES2022",
  module: "NodeNext",
  moduleDetection: "force",
  lib: ["ES2023", "ES2024.String"],
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

/** Compiles sources, by file name, as a program that has installed the package would, and returns all errors. */
export async function compile(sources: ReadonlyMap<string, string>, packed: InstalledPackage): Promise<TypeError[]> {
  const { folder } = packed;
  symlinkSync(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"));
  for (const [file, text] of sources) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: OPTIONS, files: [...sources.keys()] }),
  );
  const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, tsc, { cwd: folder }, (_failed, stdout, stderr) => resolve(stdout + stderr));
  });
  return output
    .split("\n")
    .filter((text) => /\berror TS\d+/.test(text))
    .map((text) => {
      const [, file = "", line = "0", message = text] = /^(.+?)\((\d+),\d+\): (.*)$/.exec(text) ?? [];
      return { file, line: Number(line), message };
    });
}
