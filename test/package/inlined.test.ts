import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

interface Inlined {
  inlinedPackages(
    bundleFolder: string,
    packages: readonly { readonly name: string }[],
    licenses: Readonly<Record<string, string>>,
  ): object[];
}

const script = new URL("../../scripts/package/inlined.mjs", import.meta.url).href;
const { inlinedPackages } = (await import(script)) as Inlined;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "anygpt-inlined-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const writeMap = (...sources: string[]): void => writeFileSync(join(folder, "a.js.map"), JSON.stringify({ sources }));

describe("packages inside bundled packages", () => {
  it("are found by name and version in source maps", () => {
    writeMap(
      "../src/main.ts",
      "../node_modules/zod/index.js",
      "../node_modules/.pnpm/@a+b@1.2.3_zod@4.0.0/node_modules/@a/b/index.js",
      "../node_modules/.pnpm/@a+b@1.2.3_zod@4.0.0/node_modules/@a/b/other.js",
    );
    expect(inlinedPackages(folder, [{ name: "zod" }], { "@a/b@1.2.3": "ISC" })).toEqual([
      { id: "@a/b@1.2.3", name: "@a/b", version: "1.2.3", license: "ISC", dependsOn: [] },
    ]);
  });

  it("fail the build when there are no source maps to find them in", () => {
    expect(() => inlinedPackages(folder, [], {})).toThrow("No source maps in");
  });

  it.each([
    ["another version", "../node_modules/.pnpm/one@2.0.0/node_modules/one/a.js", "one@2.0.0"],
    ["no version", "../node_modules/@a/b/node_modules/two/a.js", "two"],
  ])("fail the build when the licence is not known (%s)", (_, source, name) => {
    writeMap("../node_modules/zod/index.js", source);
    expect(() => inlinedPackages(folder, [{ name: "zod" }], { "one@1.0.0": "MIT" })).toThrow(
      `Bundled packages contain code of packages without a known licence: ${name}.`,
    );
  });
});
