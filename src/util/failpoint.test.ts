import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";

const FILE = fileURLToPath(new URL("./failpoint.ts", import.meta.url));

/** A program that passes two failpoints three times each and prints it, built with or without failpoints. */
function bundle(define: Record<string, string>): string {
  const program = `
    import { failpoint } from ${JSON.stringify(FILE)};
    for (const round of [1, 2, 3]) {
      failpoint("one");
      failpoint("two");
      process.stdout.write(String(round));
    }`;
  const { outputFiles } = buildSync({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    format: "esm",
    platform: "node",
    minifySyntax: true,
    write: false,
    define,
  });
  return outputFiles[0]?.text ?? "";
}

it.each([
  ["kills the process at the first hit of the failpoint", "one:kill", "", "SIGKILL"],
  ["kills the process at the given hit", "two:kill@3", "12", "SIGKILL"],
  ["ignores failpoints with other names", "three:kill", "123", null],
  ["does nothing without FAILPOINT", "", "123", null],
])("%s", (_, FAILPOINT, stdout, signal) => {
  const code = bundle({ __FAILPOINTS__: "true" });
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    env: { FAILPOINT },
    encoding: "utf8",
  });
  expect({ stdout: ran.stdout, signal: ran.signal }).toEqual({ stdout, signal });
});

it("leaves no code in a build without failpoints", () => {
  expect(bundle({ __FAILPOINTS__: "false" })).not.toMatch(/failpoint|FAILPOINT|"one"/);
});

it("does nothing in a build without failpoints", () => {
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", bundle({})], {
    env: { FAILPOINT: "one:kill" },
    encoding: "utf8",
  });
  expect(ran.stdout).toBe("123");
});
