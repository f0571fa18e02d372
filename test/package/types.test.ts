// The declarations of the package as its users get them: compiled in strict mode, with nothing else installed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configJsonSchema } from "../../src/config/json-schema.js";
import { compile, type TypeError } from "../support/compile.js";
import { samplesOf } from "../support/config-samples.js";
import { ROOT } from "../support/gateway.js";
import { type InstalledPackage, installPackage } from "../support/installed-package.js";
import { fencesOf, readMarkdownPages } from "../support/markdown.js";

/** Installing and compiling take 15 s on an idle machine. */
const COMPILER_MS = 300_000;

const EXAMPLES = readMarkdownPages().flatMap(({ path, text }) =>
  fencesOf(text)
    .filter(({ language }) => ["ts", "typescript", "tsx", "mts"].includes(language))
    .map((fence) => ({ file: `examples/${path}-${fence.line}.ts`, text: fence.text })),
);

const SAMPLES = samplesOf(configJsonSchema());

/** A line that ends with `// error` must not compile; all others must. */
const API = `
import { DiscoveryEngine, defineConfig, ERRORS } from "@anygpt/discovery";
import type { CacheConfig, ConfigSource, DiscoveryConfig, ErrorCode, ExecutionError, MCPServerConfig, ToolRule } from "@anygpt/discovery";

const engine = new DiscoveryEngine();
interface Args { path: string; depth?: number }
const args: Args = { path: "." };
const answer = await engine.executeTool("files", "list_directory", args);
for await (const event of engine.executeStream("files", "list_directory", args)) event.kind satisfies string;
await engine.executeTool("files", "list_directory", { path: ".", nested: { any: [1] } });
await engine.executeTool("files", "list_directory", [args]); // error
await engine.executeTool("files", "list_directory", "."); // error
await engine.executeTool("files", "list_directory", new Map()); // error

if (answer.success) {
  answer.result satisfies unknown;
  answer.error satisfies undefined;
} else {
  const error: ExecutionError = answer.error;
  const code: ErrorCode = answer.error.code;
  if (answer.error.code === "RATE_LIMITED") error.retryable satisfies boolean;
  if (answer.error.code === "NO_SUCH_CODE") throw error; // error
  ERRORS[code].http satisfies number;
}
answer.error?.code satisfies ErrorCode | undefined;
answer.error.code; // error

const server: MCPServerConfig = { command: "npx", args: ["-y", "server"], env: { KEY: "value" } };
const rule: ToolRule = { pattern: ["*delete*"], server: "files", enabled: false, tags: ["dangerous"] };
const cache: CacheConfig = { enabled: true, ttl: 3600 };
const source: ConfigSource = { type: "claude-desktop", path: "~/config.json" };
const config: DiscoveryConfig = { enabled: true, servers: { files: server }, toolRules: [rule], cache, sources: [source] };
defineConfig({ discovery: config, models: { any: 1 } });
defineConfig({ discovery: { noSuchKey: 1 }, models: {} }); // error

await engine.connect("files", server, { signal: AbortSignal.timeout(1000) });
engine.isConnected("files") satisfies boolean;
(await engine.validate({ anything: 1 })).problems.map(({ path, reason }) => path + reason);
const { results, pending } = await engine.search("read a file");
(await engine.ready()).ready satisfies boolean;
results[0]?.tool satisfies string | undefined;
pending.length satisfies number;
`;

/** The types that the build writes and the types that the options have are the same. */
const SAME_CONFIG = `
import type { DiscoveryConfig as Built } from "@anygpt/discovery";
import type { DiscoveryConfig as Source } from ${JSON.stringify(join(ROOT, "src/config/discovery-config.js"))};
declare const built: Built, source: Source;
built satisfies Source;
source satisfies Built;
`;

const CONFIG_LINES = SAMPLES.map(
  ({ config, isKnown }) => `defineConfig(${JSON.stringify(config)});${isKnown ? "" : " // error"}`,
);
const SOURCES = new Map([
  ["api.ts", API],
  ["config.ts", ['import { defineConfig } from "@anygpt/discovery";', ...CONFIG_LINES].join("\n")],
  ["same-config.ts", SAME_CONFIG],
  ...EXAMPLES.map(({ file, text }): [string, string] => [file, text]),
]);

let packed: InstalledPackage;
let errors: readonly TypeError[];
beforeAll(async () => {
  packed = await installPackage();
  errors = await compile(SOURCES, packed);
}, COMPILER_MS);
afterAll(() => packed.remove());

/** Lines that compile but should not, and lines that should compile but do not. */
function mismatches(file: string): string[] {
  const lines = (SOURCES.get(file) ?? "").split("\n");
  const wrong = errors.filter((error) => error.file === file);
  const unexpected = wrong.filter(({ line }) => !lines[line - 1]?.endsWith("// error"));
  const accepted = lines.filter(
    (text, index) => text.endsWith("// error") && !wrong.some(({ line }) => line === index + 1),
  );
  return [
    ...unexpected.map(({ line, message }) => `${file}:${line}: ${lines[line - 1]}: ${message}`),
    ...accepted.map((text) => `${file}: compiles: ${text}`),
  ];
}

describe("the declarations of the package", () => {
  it("compile in strict mode, with every TypeScript example of the documentation", () => {
    expect(EXAMPLES.map(({ file }) => file.split("-")[0])).toContain("examples/README.md");
    const known = new Set(["api.ts", "config.ts", "same-config.ts"]);
    expect(errors.filter(({ file }) => !known.has(file))).toEqual([]);
  });

  it("narrow results by success, type error codes, and accept interfaces as arguments", () => {
    expect(mismatches("api.ts")).toEqual([]);
  });

  it("accept every key of the configuration and no unknown key", () => {
    expect(mismatches("config.ts")).toEqual([]);
  });

  it("have the same configuration as the options", () => {
    expect(mismatches("same-config.ts")).toEqual([]);
  });

  it("are checked for every key that docs/reference/configuration.md lists", () => {
    const page = readFileSync(join(ROOT, "docs/reference/configuration.md"), "utf8");
    const documented = page.split(/^#{2,3} /m).flatMap((section) => {
      const [heading = ""] = section.split("\n");
      const keys = [...section.matchAll(/^\| (?:\[`(\w+)`\]\(#\w+\)|`(\w+)`) \|/gm)].map(
        ([, top, key]) => top ?? `${heading}.${key}`,
      );
      return /^[a-z]\w*(\.\w+)*$/.test(heading) || heading === "Keys" ? keys : [];
    });
    const checked = new Set(SAMPLES.map(({ path }) => path));
    expect(documented.length).toBeGreaterThan(150);
    expect(documented).toEqual(expect.arrayContaining(["http.tokens", "http.oauth", "audit.sync", "servers"]));
    expect(documented.filter((path) => !checked.has(path))).toEqual([]);
  });
});
