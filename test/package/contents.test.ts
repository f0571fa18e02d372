import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { type InstalledPackage, installPackage } from "../support/installed-package.js";

const run = promisify(execFile);
const PROGRAMS = ["cli", "daemon-start", "document-worker", "index", "reaper", "store-worker", "validation-worker"];
/** Pages about building and measuring the project, which only the repository has. */
const PAGES_FOR_CONTRIBUTORS = [
  "architecture.md",
  "conformance.md",
  "decisions.md",
  "model.md",
  "newcomer.md",
  "performance.md",
  "reliability.md",
];

/** Named in a message of the MCP SDK, about the SDK's own documentation. */
const FOREIGN_PAGES = ["docs/migration/upgrade-to-v2.md"];

const USE = `import { DiscoveryEngine, defineConfig, type DiscoveryConfig } from "@anygpt/discovery";
const config: DiscoveryConfig = defineConfig({ servers: { a: { command: "x" } } });
const engine = new DiscoveryEngine(config);
export const names: Promise<string[]> = engine.listServers().then((all) => all.map(({ name }) => name));
// @ts-expect-error -- a misspelt key must not pass
defineConfig({ serverz: {} });
// @ts-expect-error -- and nothing may have fallen back to any
new DiscoveryEngine({ cache: { ttl: "1h" } });
// @ts-expect-error -- internal members are not declared
engine.stages;
// @ts-expect-error -- nor are internal options
new DiscoveryEngine(config, { load: () => Promise.reject(new Error()) });
`;

let packed: InstalledPackage;
beforeAll(async () => void (packed = await installPackage()));
afterAll(() => packed.remove());

describe("the files of the package", () => {
  it("are exactly those that a user needs", () => {
    const others = packed.files.filter((path) => !path.startsWith("dist/chunks/") && !path.startsWith("docs/"));
    expect(others).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "NOTICE",
        "README.md",
        "bin/anygpt.js",
        "bin/discovery.js",
        "bin/package.json",
        "directory/servers.json.gz",
        "dist/THIRD_PARTY_LICENSES.txt",
        "dist/config.schema.json",
        "dist/index.d.ts",
        "dist/main.cjs",
        "dist/main.cjs.map",
        "dist/sbom.cdx.json",
        "dist/tool-file.schema.json",
        "model/tools.bin",
        "package.json",
        ...PROGRAMS.flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]),
      ].sort(),
    );
  });

  it("have a source map for every chunk, without the sources", () => {
    const chunks = packed.files.filter((path) => /^dist\/chunks\/[\w-]+\.js$/.test(path));
    const expected = chunks.flatMap((path) => [path, `${path}.map`]).sort();
    expect(packed.files.filter((path) => path.startsWith("dist/chunks/"))).toEqual(expected);
    for (const path of packed.files.filter((name) => name.endsWith(".map"))) {
      const map = JSON.parse(readFileSync(join(packed.installed, path), "utf8")) as Record<string, unknown>;
      expect(map["sourcesContent"] ?? []).toEqual([]);
    }
  });

  it("include every page for users and no report", () => {
    const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
      .map((path) => `docs/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".md") && !path.startsWith("docs/reports/"))
      .filter((path) => !PAGES_FOR_CONTRIBUTORS.includes(basename(path)));
    expect(packed.files.filter((path) => path.startsWith("docs/"))).toEqual(pages.sort());
  });

  it("include every page that a message of the program names", () => {
    const programs = packed.files.filter((path) => /^dist\/.*js$/.test(path));
    const named = programs.flatMap(
      (path) => readFileSync(join(packed.installed, path), "utf8").match(/(?<![\w/])docs\/[\w/-]+\.md\b/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((path) => !packed.files.includes(path))).toEqual(FOREIGN_PAGES);
  });

  it("are at most 9.8 MB packed", () => {
    expect(packed.packedBytes).toBeLessThan(9_800_000);
  });

  it("name the repository and no file that is missing", () => {
    const manifest = JSON.parse(readFileSync(join(packed.installed, "package.json"), "utf8")) as {
      repository: { url: string };
      homepage: string;
      bugs: { url: string };
      bin: Record<string, string>;
      exports: Record<string, string | Record<string, string>>;
    };
    const repository = /^git\+(https:\/\/.+)\.git$/.exec(manifest.repository.url)?.[1];
    expect(repository).toBeDefined();
    expect(manifest.homepage).toBe(`${repository}#readme`);
    expect(manifest.bugs.url).toBe(`${repository}/issues`);
    const exported = Object.values(manifest.exports).flatMap((target) => Object.values([target].flat()));
    const targets = exported.flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));
    for (const target of [...targets, ...Object.values(manifest.bin)])
      expect(packed.files).toContain(target.replace(/^\.\//, ""));
  });
});

describe("the source maps", () => {
  it("give stack traces the files and lines of src/", async () => {
    const script = join(packed.folder, "fail.mjs");
    writeFileSync(
      script,
      `import { DiscoveryEngine } from "@anygpt/discovery";
       try { new DiscoveryEngine({ cache: { ttl: "1h" } }); } catch (error) { console.log(error.stack); }`,
    );
    const { stdout } = await run(process.execPath, ["--enable-source-maps", script], packed);
    const frames = [...stdout.matchAll(/discovery[\\/](src[\\/][\w\\/-]+\.ts):(\d+):\d+/g)];
    const lineOf = ([, path = "", line = ""]: RegExpMatchArray): string =>
      readFileSync(join(ROOT, path), "utf8").split("\n")[Number(line) - 1] ?? "";
    expect(frames.length).toBeGreaterThanOrEqual(2);
    expect(lineOf(frames[0] as RegExpMatchArray)).toContain("new DiscoveryError(");
  });
});

describe("the library in a bundle", () => {
  it("keeps the messages of its configuration check, although unused modules are dropped", async () => {
    const entry = join(packed.folder, "bundled.mjs");
    writeFileSync(
      entry,
      `import { DiscoveryEngine } from "@anygpt/discovery";
       try { new DiscoveryEngine({ cache: { ttl: "1h" } }); } catch (error) { console.log(error.message); }`,
    );
    const outfile = join(packed.folder, "bundle/out.mjs");
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["jiti", "@photostructure/sqlite"],
      logLevel: "silent",
    });
    const [plain, bundled] = await Promise.all(
      [entry, outfile].map((path) => run(process.execPath, [path], { cwd: packed.folder, env: packed.env })),
    );
    expect(plain?.stdout).toContain("cache.ttl");
    expect(bundled?.stdout).toBe(plain?.stdout);
  });
});

/** The output of `tsc --strict`, with all declaration files checked. */
async function compile(...resolution: string[]): Promise<string> {
  writeFileSync(join(packed.folder, "use.mts"), USE);
  const flags = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "false",
    "--target",
    "es2022",
  ];
  const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), ...flags, ...resolution, "use.mts"];
  const complaints = await run(process.execPath, tsc, { cwd: packed.folder }).catch(
    (error: { stdout: string }) => error,
  );
  return complaints.stdout;
}

describe("the declarations of the library", () => {
  it.each([
    ["node16", ["--module", "node16", "--moduleResolution", "node16"]],
    ["nodenext", ["--module", "nodenext"]],
    ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("compile in strict mode without any other package installed (%s)", async (_, resolution) => {
    expect(await compile(...resolution)).toBe("");
  });

  it("are one file without imports and without internal members", () => {
    expect(packed.files.filter((path) => /\.d\.[cm]?ts$/.test(path))).toEqual(["dist/index.d.ts"]);
    const text = readFileSync(join(packed.installed, "dist/index.d.ts"), "utf8");
    expect(text).not.toMatch(/^import |\bfrom "(?!its )|import\(/m);
    expect(text).not.toContain("@internal");
  });
});
