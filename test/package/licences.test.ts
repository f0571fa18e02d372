import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";

interface Bundled {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
}
interface Licences {
  licenceTexts(packages: readonly Bundled[], keptTexts: string): string;
}

const script = new URL("../../scripts/package/licences.mjs", import.meta.url).href;
const { licenceTexts } = (await import(script)) as Licences;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "anygpt-licences-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function addPackage(name: string, files: Readonly<Record<string, string>>): Bundled {
  const own = join(folder, "node_modules", name);
  mkdirSync(own, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(own, file), text);
  return { folder: own, name, version: "1.0.0", license: "MIT" };
}

describe("the licence texts of bundled packages", () => {
  it("include every licence and notice file of a package", () => {
    const one = addPackage("one", {
      "LICENSE-MIT": "first",
      "license.md": "second\r\n",
      NOTICE: "third",
      "a.js": "no",
    });
    expect(licenceTexts([one], folder)).toBe("one 1.0.0 (MIT)\n\nfirst\n\nthird\n\nsecond\n");
  });

  it("come from the project if a package is published without one", () => {
    writeFileSync(join(folder, "@scope__two.txt"), "kept text");
    expect(licenceTexts([addPackage("@scope/two", {})], folder)).toBe("@scope/two 1.0.0 (MIT)\n\nkept text\n");
  });

  it("fail the build when one is missing or empty, with the name of every such package", () => {
    const packages = [
      addPackage("one", { LICENSE: "text" }),
      addPackage("two", {}),
      addPackage("@scope/three", { LICENSE: " \n" }),
    ];
    expect(() => licenceTexts(packages, folder)).toThrow(
      "No licence text found for bundled packages: two 1.0.0, @scope/three 1.0.0.",
    );
  });

  it("are in the built package for every component of the bill of materials", () => {
    const read = (name: string): string => readFileSync(join(ROOT, "dist", name), "utf8");
    const { components } = JSON.parse(read("sbom.cdx.json")) as {
      components: { group?: string; name: string; version: string }[];
    };
    const texts = new Map(
      read("THIRD_PARTY_LICENSES.txt")
        .split(`\n\n${"-".repeat(72)}\n\n`)
        .map((part) => [part.slice(0, part.indexOf(" (")), part.slice(part.indexOf("\n\n"))]),
    );
    for (const { group, name, version } of components) {
      const text = texts.get(`${group === undefined ? name : `${group}/${name}`} ${version}`) ?? "";
      expect(text).toMatch(/copyright/i);
      expect(text).toMatch(/WITHOUT WARRANT|['"]AS IS['"]/i);
    }
    expect(texts.size).toBe(components.length);
  });
});
