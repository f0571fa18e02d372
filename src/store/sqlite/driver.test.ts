import { describe, expect, it } from "vitest";
import { loadDriver } from "./driver.js";

const withVersion = (version: string) => ({
  DatabaseSync: class {
    prepare = () => ({ get: () => ({ version }) });
    close = () => undefined;
  },
});
const missing = () => {
  throw new Error("No native build was found\nwith many\nlines");
};

describe("loadDriver", () => {
  it("loads the package, which has a binary for this platform", () => {
    const { DatabaseSync } = loadDriver();
    const database = new DatabaseSync(":memory:");
    expect(database.prepare("SELECT 1 AS one").get()).toEqual({ one: 1 });
    database.close();
  });

  it("falls back to node:sqlite when the package has no binary", () => {
    const own = withVersion("3.53.4");
    expect(loadDriver((name) => (name === "node:sqlite" ? own : missing()))).toBe(own);
  });

  it.each(["3.51.2", "3.45.1", "2.99.99"])(
    "rejects SQLite %s, which can lose writes of several processes",
    (version) => {
      expect(() => loadDriver(() => withVersion(version))).toThrow(`has SQLite ${version}`);
    },
  );

  it.each(["3.51.3", "3.52.0", "4.0.0"])("accepts SQLite %s", (version) => {
    expect(() => loadDriver(() => withVersion(version))).not.toThrow();
  });

  it("names the drivers it tried when none works", () => {
    expect(() => loadDriver(missing)).toThrow(
      /no database driver works on this platform .*@photostructure\/sqlite: No native build was found; node:sqlite: No native build/,
    );
  });
});
