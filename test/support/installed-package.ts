import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./gateway.js";

const run = promisify(execFile);

export interface InstalledPackage {
  /** An otherwise empty folder, which is also the home folder in `env`. */
  readonly folder: string;
  /** The package's folder in its `node_modules`. */
  readonly installed: string;
  readonly env: Record<string, string>;
  /** The paths in the packed file, sorted. */
  readonly files: readonly string[];
  readonly packedBytes: number;
  remove(): void;
}

/** What `npm install @anygpt/discovery` leaves in an empty folder: the packed files and the production dependencies. */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-package-"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ANYGPT_DAEMON: "0" };
  const npm = { cwd: ROOT, env: { ...env, npm_config_cache: join(folder, "npm-cache") } };
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], npm);
  const [{ filename, files, size }] = JSON.parse(stdout) as [
    { filename: string; files: { path: string }[]; size: number },
  ];
  await run("tar", ["-xzf", join(folder, filename), "-C", folder]);
  const scope = join(folder, "node_modules/@anygpt");
  mkdirSync(scope, { recursive: true });
  const installed = join(scope, "discovery");
  cpSync(join(folder, "package"), installed, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  return {
    folder,
    installed,
    env,
    files: files.map(({ path }) => path).sort(),
    packedBytes: size,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
