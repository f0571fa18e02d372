import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../../../errors.js";
import { displayWidth } from "../../../util/terminal.js";
import type { CliIo } from "../io.js";
import { render } from "../../../terminal/render.js";
import { showLive } from "./live.js";
import { toTopPage } from "./page.js";
import type { TopReading, ServerReading } from "../../../operations/top/reading.js";

const server = (name: string, more: Partial<ServerReading> = {}): ServerReading => ({
  name,
  calls: 10,
  errors: 0,
  perSecond: 0.5,
  p50Ms: 12,
  p95Ms: 2400,
  ...more,
});
const READING: TopReading = {
  at: Date.UTC(2026, 0, 1),
  origin: "http://127.0.0.1:7332",
  covers: "up 12 min",
  servers: [
    server("idle", { calls: 0, perSecond: 0, p50Ms: undefined, p95Ms: undefined, state: "closed", tools: 3 }),
    server("github", { state: "open", tools: 35, inFlight: 2, waiting: 0, errors: 1 }),
    server("a name that is very much longer than any column for it", { state: "failed", perSecond: 9 }),
  ],
  total: { calls: 1234, errors: 1, perSecond: 9.5, p50Ms: 12, p95Ms: 2400 },
  gateway: { inFlight: 2, searches: 88, tokens: { answers: 1000, listings: 400_000 } },
};
const textOf = (reading: TopReading, columns: number, rows = 24, problem?: string): string =>
  render(toTopPage(reading, { columns, rows }, problem), { columns: Infinity, color: false });

describe("a page", () => {
  it("lists the servers with the most activity first", () => {
    const text = textOf(READING, 120);
    expect(text).toContain("anygpt mcp top  http://127.0.0.1:7332, up 12 min");
    expect(text).toContain("1,234 calls · 9.5/s · p50 12 ms · p95 2.4 s · 1 error · 2 in progress");
    expect(text).toContain("88 searches · 1,000 tokens instead of 400,000: 99.8 % saved");
    const names = text
      .split("\n")
      .slice(5, 8)
      .map((line) => line.split(" ")[0]);
    expect(names).toEqual(["a", "github", "idle"]);
    expect(text).toMatch(/github +open +35 +2 +0 +10 +0\.5 +12 ms +2\.4 s +1\n/);
  });

  it.each([30, 40, 60, 80, 100, 200])("fits a window of %s columns", (columns) => {
    const widths = textOf(READING, columns).split("\n").map(displayWidth);
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    const narrow = { ...READING, servers: [server("github", { errors: 7 })] };
    expect(textOf(narrow, columns)).toMatch(columns < 40 ? /github/ : /ERRORS\n.* 7\n/);
  });

  it.each([5, 8, 24])("fits a window of %s rows, and shows the number of hidden servers", (rows) => {
    const many = { ...READING, servers: Array.from({ length: 50 }, (_, index) => server(`s${index}`)) };
    const lines = textOf(many, 80, rows).trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 7));
    expect(lines.at(-1)).toMatch(/^… and \d+ more$/);
  });

  it("lets no name act on the terminal, break a line or be wider than its column", () => {
    const hostile = { ...READING, servers: [server("\u001b[2J\u202ex\ny\t漢字漢字漢字漢字漢字漢字")] };
    const text = textOf(hostile, 60);
    expect(text).not.toContain("\u001b");
    expect(text.trimEnd().split("\n")).toHaveLength(6);
    expect(Math.max(...text.split("\n").map(displayWidth))).toBeLessThanOrEqual(60);
  });

  it("shows why the reading is not newer, and a note when there are no calls", () => {
    expect(textOf(READING, 80, 24, "The gateway is gone.")).toContain("\nThe gateway is gone.\n");
    const { gateway: _none, ...record } = READING;
    expect(textOf({ ...record, servers: [], covers: "the last 15 min" }, 80)).toContain("No call in the last 15 min.");
  });
});

describe("the live view", () => {
  const terminal = () => {
    const written: string[] = [];
    const stdout = Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
          written.push(String(chunk));
          done();
        },
      }),
      { columns: 70, rows: 10 },
    );
    const raw: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void raw.push(isRaw) });
    const io = { stdin, stdout, columns: 80, signal: new AbortController().signal } as unknown as CliIo;
    return { io, stdin, stdout, written, raw };
  };
  const source = (read: () => Promise<TopReading>) => ({ read, close: async () => undefined });

  it.each(["q", "\u0003", "\u001b"])("stops on %j and restores the terminal", async (key) => {
    const { io, stdin, written, raw } = terminal();
    const showing = showLive({
      source: source(async () => READING),
      io,
      intervalMs: 60_000,
      color: false,
      first: READING,
    });
    stdin.write("\u001b[A");
    await expect.poll(() => written.length).toBe(2);
    stdin.write(key);
    await showing;
    expect(written[0]).toBe("\u001b[?1049h\u001b[?25l\u001b[?7l");
    expect(written[1]).toContain("github");
    expect(written.at(-1)).toBe("\u001b[?7h\u001b[?25h\u001b[?1049l");
    expect(raw).toEqual([true, false]);
  });

  it("redraws in place, and again after the window is resized", async () => {
    const { io, stdin, stdout, written } = terminal();
    const showing = showLive({
      source: source(async () => READING),
      io,
      intervalMs: 60_000,
      color: false,
      first: READING,
    });
    await expect.poll(() => written.length).toBe(2);
    stdout.columns = 40;
    stdout.emit("resize");
    expect(written).toHaveLength(3);
    for (const frame of written.slice(1)) {
      expect(frame.startsWith("\u001b[?2026h\u001b[H")).toBe(true);
      expect(frame).not.toContain("\u001b[2J");
      expect(frame.split("\r\n").length).toBeLessThanOrEqual(10);
    }
    stdin.write("q");
    await showing;
  });

  it("keeps showing the last numbers when no newer ones arrive", async () => {
    const { io, stdin, written } = terminal();
    const failing = source(async () => {
      throw new DiscoveryError("SERVER_CONNECTION_ERROR", "The gateway is gone.");
    });
    const showing = showLive({ source: failing, io, intervalMs: 1, color: false, first: READING });
    const isTold = (frame: string): boolean => frame.includes("The gateway is gone.") && frame.includes("github");
    await expect.poll(() => written.some(isTold)).toBe(true);
    stdin.write("q");
    await showing;
  });
});
