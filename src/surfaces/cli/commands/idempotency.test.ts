import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";
import { recordsIn } from "../../../../test/support/records.js";
import type { KeyRecord, KeyState } from "../../../store/key-records.js";
import { render } from "../../../terminal/render.js";
import { keysLines } from "./idempotency.js";

let place: CliPlace;
beforeAll(() => {
  place = createCliPlace({ servers: [{ name: "echo", ...testServer("echo.mjs") }] });
});
afterAll(() => place.remove());

const call = (tool: string, key: string, ...flags: string[]) =>
  place.run("mcp", "execute", "echo", tool, "--idempotency-key", key, ...flags);
const keys = (...argv: string[]) => place.run("mcp", "idempotency", ...argv);
const listed = async (...argv: string[]) =>
  ((await keys("list", ...argv, "--json")).json() as { keys: { id: number; key: string; state: string }[] }).keys;

describe("a key", () => {
  it("returns the result of the first call again, with a note", async () => {
    const first = await call("pid", "once");
    const again = await call("pid", "once");
    expect(again.stdout).toBe(first.stdout);
    expect(first.stderr).not.toContain("The tool did not run again");
    expect(again.stderr).toContain(
      "The tool did not run again: this is the result of the first call with the same idempotency key.\n",
    );
    expect((await call("pid", "once", "--json")).json()).toMatchObject({ success: true, replayed: true });
  });

  it("returns a tool error again too", async () => {
    expect((await call("fail", "failing")).stderr).not.toContain("The tool did not run again");
    const again = await call("fail", "failing");
    expect(again.exit).toBe(3);
    expect(again.stderr).toContain("The tool did not run again");
  });

  it("for other arguments is refused", async () => {
    const ran = await call("pid", "once", "--args", '{"other":1}', "--json");
    expect(ran.exit).toBe(3);
    expect(ran.json()).toMatchObject({ error: { code: "IDEMPOTENCY_CONFLICT" } });
  });

  it.each([
    [
      "known",
      "once",
      "The call would return the stored result of the first call with this key, without running the tool again.\n",
    ],
    ["new", "fresh", "The call would run.\n"],
  ])("that is %s is reported by --dry-run", async (state, key, would) => {
    await call("pid", "once");
    const ran = await call("pid", key, "--dry-run");
    expect(ran.stderr).toContain("Dry run: echo:pid\n");
    expect(ran.stdout.startsWith(would)).toBe(true);
    expect(ran.stdout).toContain(`\nRisk: low (the description says "return")\nIdempotency key: ${state}\n`);
    expect(await listed("--key", "fresh")).toEqual([]);
  });

  it("that is no key is refused", async () => {
    expect(await call("pid", "two words")).toMatchObject({ exit: 1 });
  });
});

describe("a call with an unknown outcome", () => {
  it("is listed first, settled by its key, and then never run again", async () => {
    await call("pid", "before");
    await call("crash", "lost");
    await call("pid", "after");
    const [first] = await listed();
    expect(first).toMatchObject({ key: "lost", state: "unknown" });
    const text = (await keys("list")).stdout;
    expect(text).toContain(`! The outcome of call ${first?.id} is unknown. Find out`);
    expect(text).toContain(`\n    anygpt mcp idempotency resolve ${first?.id} --not-committed\n`);

    expect(await keys("resolve", "lost", "--committed")).toMatchObject({
      exit: 0,
      stdout: `✓ Call ${first?.id} of echo:crash is recorded as committed.\n  The call does not run again: repeating it with the same key returns an error.\n`,
    });
    const note = { kind: "note", action: "resolve_key_committed", by: userInfo().username };
    expect(await recordsIn(join(place.folder, "state/store.db"))).toContainEqual(expect.objectContaining(note));
    expect((await call("crash", "lost", "--json")).json()).toMatchObject({
      error: { code: "IDEMPOTENCY_OUTCOME_UNKNOWN", executed: "yes" },
    });
    expect(await keys("resolve", "lost", "--committed")).toMatchObject({
      exit: 1,
      stderr: `✗ The call ${first?.id} of echo:crash has been answered.\n  No action is needed. Only calls whose outcome is unknown can be resolved.\n`,
    });
  });

  it("is settled by its number, and its key is free again", async () => {
    await call("crash", "free");
    const [{ id } = { id: 0 }] = await listed("--key", "free");
    const ran = await keys("resolve", String(id), "--not-committed", "--json");
    expect(ran.json()).toMatchObject({ id, key: "free", state: "resolved", resolved_as: "not_committed" });
    expect(await listed("--key", "free")).toEqual([]);
    expect((await call("crash", "free", "--json")).json()).toMatchObject({ error: { code: "TOOL_EXECUTION_ERROR" } });
    expect((await keys("resolve", "free", "--not-committed")).stdout).toContain("is recorded as not committed.");
  });

  it("is resolved by its number although another key looks the same", async () => {
    await call("crash", "numbered");
    const [{ id } = { id: 0 }] = await listed("--key", "numbered");
    await call("crash", String(id));
    const ran = await keys("resolve", String(id), "--not-committed", "--json");
    expect(ran.json()).toMatchObject({ id, key: "numbered", state: "resolved" });
    expect(await listed("--key", String(id))).toMatchObject([{ state: "unknown" }]);
  });

  it("is not settled by a key that is the number of another call", async () => {
    await call("pid", "answered");
    const [{ id } = { id: 0 }] = await listed("--key", "answered");
    await call("crash", String(id));
    const ran = await keys("resolve", String(id), "--not-committed");
    expect(ran).toMatchObject({ exit: 1 });
    expect(ran.stderr).toContain(`The call ${id} of echo:pid has been answered.`);
    expect(await listed("--key", String(id))).toMatchObject([{ state: "unknown" }]);
  });

  it("is not guessed if several calls have the key", async () => {
    await call("crash", "twin");
    const other = createCliPlace({ servers: [{ name: "twin", ...testServer("echo.mjs") }] });
    const config = join(other.folder, ".anygpt/mcp-discovery.config.json");
    const argv = ["execute", "twin", "crash", "--idempotency-key", "twin", "--config", config];
    const ran = await place.run("mcp", ...argv);
    other.remove();
    expect(ran.exit).toBe(3);
    const both = await keys("resolve", "twin", "--committed");
    expect(both.exit).toBe(1);
    expect(both.stderr).toMatch(
      /^✗ The idempotency key "twin" belongs to 2 calls of unknown outcome: \d+ \(twin:crash\), \d+ \(echo:crash\)\.\n {2}Pass the number/,
    );
  });
});

describe("idempotency", () => {
  it.each([
    [["resolve", "x"], "✗ Neither --committed nor --not-committed was passed.\n"],
    [
      ["resolve", "x", "--committed", "--not-committed"],
      "✗ --committed and --not-committed cannot be used together.\n",
    ],
    [["resolve", "nobody", "--committed"], '✗ No call has the number or idempotency key "nobody".\n'],
    [["list", "--state", "lost"], "✗ 'lost' is not a valid value for --state <state>: use one of reserved"],
  ])("%j is refused", async (argv, message) => {
    const { exit, stderr } = await keys(...argv);
    expect(exit).toBe(1);
    expect(stderr).toContain(message);
  });

  it("lists only matching keys", async () => {
    await call("pid", "narrow");
    expect((await listed("--state", "completed")).every(({ state }) => state === "completed")).toBe(true);
    expect(await listed("--key", "narrow", "--state", "failed")).toEqual([]);
    expect((await keys("list", "--key", "no-such")).stdout).toBe(
      "No matching idempotency key is stored. Keys are deleted when they expire.\n",
    );
  });

  const record = (id: number, state: KeyState): KeyRecord => ({
    id,
    scope: { tenant: "", actor: "local", tool: "bank:pay", key: "k 1" },
    fingerprint: "",
    state,
    requestId: "r-1",
    reservedAt: 1_000_000,
    changedAt: 1_000_000,
    expiresAt: 87_400_000,
  });

  it("prints the state of each call, and a hint for several unknown outcomes", () => {
    const states: KeyState[] = ["unknown", "unknown", "reserved", "dispatched", "completed", "failed"];
    const text = render(
      keysLines(
        states.map((state, index) => record(index + 1, state)),
        1_090_000,
      ),
      { columns: 200, color: false },
    );
    expect(text).toContain("! The outcomes of 2 calls are unknown. Find out");
    expect(text).toContain("    anygpt mcp idempotency resolve ID --committed\n");
    expect(text).toContain(
      '… 4 bank:pay, key "k\\u00201"\n  is running; started 1 min 30 s ago, key expires in 24 h\n  request r-1 of local\n',
    );
    for (const words of ["is about to be sent", "has been answered", "ended with an error of the tool"]) {
      expect(text).toContain(`  ${words}; started`);
    }
  });
});
