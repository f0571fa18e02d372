import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { startWatch } from "./watch.js";

let root: string;
let stop: () => void;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "watch-"));
  stop = () => undefined;
});
afterEach(() => {
  stop();
  rmSync(root, { recursive: true, force: true });
});

const path = (name: string) => join(root, name);
const write = (name: string, text: string) => {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
};

/** The content read after each change; "-" if the file does not exist. */
function watch(file: string, options: { readAt?: () => number; settleMs?: number } = {}) {
  const seen: string[] = [];
  let checks = 0;
  const started = startWatch({
    // The second call means that the first check has read the state of the file.
    files: () => {
      checks += 1;
      return [path(file)];
    },
    readAt: () => Infinity,
    intervalMs: 10,
    settleMs: 10,
    ...options,
    onChange: async () => {
      try {
        seen.push(readFileSync(path(file), "utf8"));
      } catch {
        seen.push("-");
      }
    },
  });
  stop = started.stop;
  return { seen, ready: () => eventually(() => checks > 1) };
}

/** Waits for several checks of another watch, because there is no event for the absence of a change. */
const waitForChecks = async () => {
  let checks = 0;
  const { stop: end } = startWatch({
    files: () => (checks++, []),
    readAt: () => 0,
    onChange: async () => undefined,
    intervalMs: 10,
  });
  await eventually(() => checks > 5);
  end();
};

describe("a watched file", () => {
  it.each<[string, () => void, () => void, string]>([
    ["is written in place", () => write("f", "1"), () => write("f", "2"), "2"],
    [
      "is replaced by a rename",
      () => write("f", "1"),
      () => (write("f.tmp", "2"), renameSync(path("f.tmp"), path("f"))),
      "2",
    ],
    [
      "is moved away and written again",
      () => write("f", "1"),
      () => (renameSync(path("f"), path("f~")), write("f", "2")),
      "2",
    ],
    ["is deleted and written again", () => write("f", "1"), () => (unlinkSync(path("f")), write("f", "2")), "2"],
    ["is deleted", () => write("f", "1"), () => unlinkSync(path("f")), "-"],
    ["appears", () => undefined, () => write("f", "2"), "2"],
    [
      "keeps its size and its modification time",
      () => (write("f", "1"), utimesSync(path("f"), 5, 5)),
      () => (write("f", "2"), utimesSync(path("f"), 5, 5)),
      "2",
    ],
    [
      "is a link whose target changes",
      () => (write("a", "1"), write("b", "2"), symlinkSync("a", path("f"))),
      () => (symlinkSync("b", path("f.tmp")), renameSync(path("f.tmp"), path("f"))),
      "2",
    ],
    [
      "is a link whose target is written",
      () => (write("a", "1"), symlinkSync("a", path("f"))),
      () => write("a", "2"),
      "2",
    ],
  ])("that %s is reported", async (_, before, after, expected) => {
    before();
    const { seen, ready } = watch("f");
    await ready();
    await waitForChecks();
    after();
    await eventually(() => seen.at(-1) === expected);
    expect(seen).toEqual([expected]);
  });

  it("behind a link to a folder is reported when the link changes, as in Kubernetes", async () => {
    write("v1/f", "1");
    write("v2/f", "2");
    symlinkSync("v1", path("..data"));
    symlinkSync("..data/f", path("f"));
    const { seen, ready } = watch("f");
    await ready();
    await waitForChecks();
    symlinkSync("v2", path("..data_tmp"));
    renameSync(path("..data_tmp"), path("..data"));
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(["2"]);
  });

  it("in a folder that does not exist yet is reported", async () => {
    const { seen, ready } = watch("new/folder/f");
    await ready();
    await waitForChecks();
    write("new/folder/f", "1");
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(["1"]);
  });

  it("that does not change is not reported", async () => {
    write("f", "1");
    const { seen, ready } = watch("f");
    await ready();
    await waitForChecks();
    expect(seen).toEqual([]);
  });

  it("that changed between reading and watching is reported", async () => {
    write("f", "1");
    const { seen } = watch("f", { readAt: () => 0 });
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(["1"]);
  });

  it("that becomes the target of a link after the mark is reported, even if it is old", async () => {
    write("a", "1");
    write("b", "2");
    symlinkSync("a", path("f"));
    const seen: string[] = [];
    let isRead = false;
    const started = startWatch({
      files: () => (isRead ? [path("f")] : []),
      readAt: () => Infinity,
      onChange: async () => void seen.push(readFileSync(path("f"), "utf8")),
      intervalMs: 10,
      settleMs: 10,
    });
    stop = started.stop;
    await waitForChecks();
    isRead = true;
    await started.mark();
    unlinkSync(path("f"));
    symlinkSync("b", path("f"));
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(["2"]);
  });

  it("that is being written is read when it is complete", async () => {
    write("f", "1");
    const { seen, ready } = watch("f", { settleMs: 100 });
    await ready();
    await waitForChecks();
    for (const text of ["", "2", "23", "234"]) {
      write("f", text);
      await waitForChecks();
    }
    await eventually(() => seen.at(-1) === "234");
    expect(seen.filter((text) => text === "")).toEqual([]);
  });

  it("that changes constantly is still reported", async () => {
    write("f", "0");
    const { seen, ready } = watch("f", { settleMs: 5 });
    await ready();
    let n = 0;
    await eventually(() => {
      write("f", String(++n));
      return seen.length > 2;
    });
    await eventually(() => seen.at(-1) === String(n));
    expect(seen.length).toBeLessThan(n);
  });

  it("is not checked after stop", async () => {
    write("f", "1");
    const { seen, ready } = watch("f");
    await ready();
    stop();
    write("f", "2");
    await waitForChecks();
    expect(seen).toEqual([]);
  });
});
