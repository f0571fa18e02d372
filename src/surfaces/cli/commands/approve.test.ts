import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran, type RunOptions, toolServer } from "../../../../test/support/cli.js";
import { recordsIn } from "../../../../test/support/records.js";
import type { Confirmation } from "../../../executor/confirmations.js";
import { createStore } from "../../../store/create-store.js";
import { answered } from "../../../operations/calls/confirmations.js";
import { render } from "../../../terminal/render.js";
import { approvalsLines } from "./approvals.js";

let place: CliPlace;
beforeEach(() => {
  place = createCliPlace();
});
afterEach(() => place.remove());

const WIPE = {
  name: "wipe",
  inputSchema: { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] },
  annotations: { destructiveHint: true },
};

/** One server with a destructive tool. */
function configure(mode: "auto" | "human"): void {
  const answer = { content: [{ type: "text", text: "wiped" }] };
  place.write(".anygpt/mcp-discovery.config.json", {
    servers: [{ name: "disks", ...toolServer(place, "disks", { tools: [WIPE], answer }) }],
    policy: { confirmation: { mode } },
  });
}

const AT_TERMINAL: RunOptions = { isTerminal: true, columns: 200, env: { NO_COLOR: "1" } };
const wipe = (disk: string, ...flags: string[]) => [
  "mcp",
  "execute",
  "disks",
  "wipe",
  "--args",
  JSON.stringify({ disk }),
  ...flags,
];

async function ask(disk: string): Promise<string> {
  const ran = await place.run(...wipe(disk, "--json"));
  expect(ran.exit).toBe(4);
  return (ran.json() as { error: { approval_id: string } }).error.approval_id;
}

const told = (ran: Ran) => ran.stderr.split("\n").filter((row) => /^(Code|Message|Approval|✓|✗)/.test(row));
const recorded = async () => await recordsIn(join(place.folder, "state/store.db"));

describe("execute of a call that needs a confirmation", () => {
  it("without a terminal is repeated with --confirmed in mode auto, and never confirmed at first", async () => {
    configure("auto");
    const first = await place.run(...wipe("a", "--confirmed"));
    expect(first.exit).toBe(4);
    expect(told(first)).toEqual([
      "✗ Error",
      "Code: CONFIRMATION_REQUIRED",
      "Message: The risk of disks:wipe is destructive, and the call has to be confirmed.",
      expect.stringMatching(/^Approval: ap_\w{26} \(expires in 5 min\)$/),
    ]);
    expect(first.stderr).toContain("\nTo run the call, repeat the same command with --confirmed or --yes added.\n");
    expect(await place.run(...wipe("b", "--confirmed"))).toMatchObject({ exit: 4 });
    expect(await place.run(...wipe("a", "--confirmed"))).toMatchObject({
      exit: 0,
      stdout: "wiped\n",
    });
    expect(await place.run(...wipe("a", "--confirmed"))).toMatchObject({ exit: 4 });
  });

  it("without a terminal explains how a user approves it in mode human, also with --confirmed", async () => {
    configure("human");
    const id = await ask("a");
    const again = await place.run(...wipe("a", "--confirmed"));
    expect(again.exit).toBe(4);
    expect(again.stderr).toContain(`\nRun \`anygpt mcp approve ${id}\` to decide about the call, then repeat`);
  });

  it.each([
    ["y\n", 0, "✓ Success"],
    ["YES\n", 0, "✓ Success"],
    ["n\n", 4, "Code: POLICY_DENIED"],
    ["\n", 4, "Code: POLICY_DENIED"],
    ["yesterday\n", 4, "Code: POLICY_DENIED"],
    ["", 4, "Code: CONFIRMATION_REQUIRED"],
  ])("at a terminal asks the user, and %j leads to exit code %i", async (stdin, exit, outcome) => {
    configure("human");
    const ran = await place.runWith({ ...AT_TERMINAL, stdin }, ...wipe("/dev/sda"));
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).toContain(outcome);
    expect(ran.stderr).toContain(`! This call needs a confirmation before it runs:
  Tool: disks:wipe
  Risk: destructive (the server says destructiveHint: true)
  Arguments:
  │ {
  │   "disk": "/dev/sda"
  │ }

Run this call? [y/N] `);
  });

  it("at a terminal asks again after the user said no, and stays denied for a caller without a terminal", async () => {
    configure("human");
    const answered = async (stdin: string, ...flags: string[]) =>
      (await place.runWith({ ...AT_TERMINAL, stdin }, ...wipe("a", ...flags))).exit;
    expect(await answered("n\n")).toBe(4);
    expect((await place.run(...wipe("a", "--json"))).json()).toMatchObject({ error: { code: "POLICY_DENIED" } });
    expect((await place.run(...wipe("a", "--yes", "--json"))).json()).toMatchObject({
      error: { code: "POLICY_DENIED" },
    });
    expect(await answered("y\n")).toBe(0);
    expect(await answered("n\n")).toBe(4);
    expect(await answered("", "--yes")).toBe(0);
  });

  it("at a terminal can be interrupted, and stays pending", async () => {
    configure("human");
    const stop = new AbortController();
    const { Readable } = await import("node:stream");
    const stdin = new Readable({ read: () => undefined });
    const onOutput = (text: string): unknown => text.includes("[y/N]") && stop.abort();
    const ran = await place.runWith({ ...AT_TERMINAL, stdin, signal: stop.signal, onOutput }, ...wipe("a"));
    expect(ran.exit).toBe(130);
    expect(ran.stderr).toContain("Code: CANCELLED\nMessage: The command was interrupted.\n");
    const { approvals } = (await place.run("mcp", "approvals", "--json")).json() as { approvals: unknown[] };
    expect(approvals).toHaveLength(1);
  });

  it("runs with --confirmed after its question was interrupted in mode auto", async () => {
    configure("auto");
    const stop = new AbortController();
    const { Readable } = await import("node:stream");
    const stdin = new Readable({ read: () => undefined });
    const onOutput = (text: string): unknown => text.includes("[y/N]") && stop.abort();
    await place.runWith({ ...AT_TERMINAL, stdin, signal: stop.signal, onOutput }, ...wipe("a"));
    const ran = await place.runWith(AT_TERMINAL, ...wipe("a", "--confirmed"));
    expect(ran).toMatchObject({ exit: 0, stdout: "wiped\n" });
    expect(ran.stderr).not.toContain("[y/N]");
  });

  it.each([
    ["auto", false, 0],
    ["auto", true, 0],
    ["human", true, 0],
    ["human", false, 4],
  ] as const)("with --yes in mode %s (at a terminal: %s) exits with %i", async (mode, isTerminal, exit) => {
    configure(mode);
    const ran = await place.runWith({ ...AT_TERMINAL, isTerminal }, ...wipe("a", "--yes"));
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).not.toContain("[y/N]");
    const acts = (await recorded()).filter((record) => record["action"] === "approve");
    expect(acts).toMatchObject(exit === 0 ? [{ by: "--yes", tool_id: "disks:wipe" }] : []);
  });

  it.each([
    ["for JSON", ["--json"], "y\n"],
    ["when the arguments came over standard input", ["--args-file", "-"], '{"disk":"a"}'],
  ])("asks no question %s", async (_name, flags, stdin) => {
    configure("human");
    const argv = flags.includes("-") ? ["mcp", "execute", "disks", "wipe", ...flags] : wipe("a", ...flags);
    const ran = await place.runWith({ ...AT_TERMINAL, stdin }, ...argv);
    expect(ran.exit).toBe(4);
    expect(ran.stderr).not.toContain("[y/N]");
  });

  it("is only reported by --dry-run, without a question", async () => {
    configure("human");
    const ran = await place.runWith(AT_TERMINAL, ...wipe("a", "--dry-run"));
    expect(ran).toMatchObject({ exit: 0, stderr: "Dry run: disks:wipe\n\n" });
    expect(ran.stdout).toBe(`The call would wait for a confirmation before it runs.

Risk: destructive (the server says destructiveHint: true)
Nothing was sent: approvals, idempotency keys and rate limits are unchanged.
`);
    expect((await place.run(...wipe("a", "--dry-run", "--json"))).json()).toMatchObject({
      success: true,
      result: { dry_run: true, would: "ask_for_confirmation", risk: "destructive" },
    });
    expect((await place.run("mcp", "approvals")).stdout).toBe("No call is waiting for approval.\n");
  });
});

describe("approve", () => {
  it("shows the complete call, asks, and allows the same call once", async () => {
    configure("human");
    const id = await ask("/dev/sda");
    const ran = await place.runWith({ ...AT_TERMINAL, stdin: "y\n" }, "mcp", "approve", id.slice(0, 8));
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toMatch(
      /^! local requests this call \(the request expires in (4 min 5\d s|5 min)\):\n {2}Tool: disks:wipe\n {2}Risk: destructive \(the server says destructiveHint: true\)\n {2}Arguments:\n {2}│ \{\n {2}│ {3}"disk": "\/dev\/sda"\n {2}│ \}\n\nAllow disks:wipe to run once with exactly these arguments\? \[y\/N\] $/,
    );
    expect(ran.stdout).toBe(
      "✓ Approved. disks:wipe may run once, with exactly these arguments, within 5 min.\n  The call does not start automatically: the caller has to repeat it unchanged.\n",
    );
    const note = { kind: "note", action: "approve", subject: id, by: userInfo().username };
    expect(await recorded()).toContainEqual(expect.objectContaining(note));
    expect(await place.run("mcp", "approve", id)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`✗ ${id} was already approved by ${userInfo().username}.\n`) as string,
    });
    expect((await place.run(...wipe("/dev/sdb"))).exit).toBe(4);
    expect((await place.run(...wipe("/dev/sda"))).exit).toBe(0);
    expect((await place.run(...wipe("/dev/sda"))).exit).toBe(4);
    expect((await place.run("mcp", "deny", id)).stderr).toBe(
      `✗ ${id} was already used for its call.\n  The gateway asks for approval again at the next call.\n`,
    );
  });

  it("needs a terminal, and explains why", async () => {
    configure("human");
    const id = await ask("a");
    for (const stdin of ["y\n", "yes\n", ""]) {
      expect(await place.runWith({ stdin }, "mcp", "approve", id)).toMatchObject({
        exit: 4,
        stderr: `✗ Approving a call needs a terminal, and this command has none.\n  A user has to review the call, so there is no option that approves it. Open a terminal. Run \`anygpt mcp approve ${id}\` to review and approve it there.\n`,
      });
    }
    expect((await place.run(...wipe("a"))).exit).toBe(4);
  });

  it.each([
    ["n\n", "denied", "✗ Denied. The call of disks:wipe will not run.\n", "POLICY_DENIED"],
    ["", "pending", "Nothing was decided: ", "CONFIRMATION_REQUIRED"],
  ])("that is answered by %j leaves it %s", async (stdin, state, words, code) => {
    configure("human");
    const id = await ask("a");
    const ran = await place.runWith({ ...AT_TERMINAL, stdin }, "mcp", "approve", id);
    expect(ran.exit).toBe(4);
    expect(ran.stdout).toContain(words);
    const { approvals } = (await place.run("mcp", "approvals", "--all", "--json")).json() as { approvals: unknown[] };
    expect(approvals).toMatchObject([{ id, state, tool: "disks:wipe", arguments: { disk: "a" } }]);
    expect((await place.run(...wipe("a", "--json"))).json()).toMatchObject({ error: { code } });
  });

  it("prints the outcome as JSON, with the question on standard error", async () => {
    configure("human");
    const id = await ask("a");
    const ran = await place.runWith({ ...AT_TERMINAL, stdin: "y\n" }, "mcp", "approve", id, "--json");
    expect(ran.json()).toMatchObject({ id, state: "approved", decided_by: userInfo().username });
    expect(ran.stderr).toContain("[y/N]");
  });

  it("lets nothing in the arguments act on the terminal, hide, or pass for a line of ours", async () => {
    configure("human");
    const id = await ask(`x\n  Risk: low\u001b[2J\u200b${" ".repeat(60)}Really run? [y/N]`);
    const ran = await place.runWith({ ...AT_TERMINAL, columns: 50, stdin: "n\n" }, "mcp", "approve", id);
    for (const character of ["\u001b", "\u200b"]) expect(ran.stderr).not.toContain(character);
    expect(ran.stderr).toContain("\\u001b[2J\\u200b");
    const rows = ran.stderr.split("\n");
    expect(rows.filter((row) => /^\s*Risk: low|^\s*Really/.test(row))).toEqual([]);
    expect(rows.filter((row) => row.length > 50)).toEqual([]);
  });

  it("of a call that cannot be decrypted is rejected; it can be denied", async () => {
    configure("human");
    const id = await plant({ id: "ap_unreadable", expiresAt: Date.now() + 60_000 });
    const ran = await place.runWith({ ...AT_TERMINAL, stdin: "y\n" }, "mcp", "approve", id);
    expect(ran.exit).toBe(4);
    expect(ran.stderr).toContain(`✗ The call of the approval request ${id} cannot be shown`);
    expect((await place.run("mcp", "approvals")).stdout).toContain("cannot be decrypted with this machine's key");
    expect((await place.run("mcp", "deny", id)).exit).toBe(0);
  });
});

/** An approval whose call was encrypted with another key. */
async function plant({ id, expiresAt }: { id: string; expiresAt: number }): Promise<string> {
  const store = createStore({ file: join(place.folder, "state/store.db"), inline: true });
  const ttlMs = 60_000;
  const subject = { actor: "local", tool: "disks:wipe", binding: id };
  await store.approvals.ask({ ...subject, id, shown: "", selfService: false, now: expiresAt - ttlMs, ttlMs });
  await store.close();
  return id;
}

describe("deny", () => {
  it("needs no terminal, is audited, and the caller gets an error", async () => {
    configure("human");
    const id = await ask("a");
    expect(await place.run("mcp", "deny", id.slice(0, 10))).toMatchObject({
      exit: 0,
      stdout:
        "✗ Denied. The call of disks:wipe will not run.\n  If the caller repeats the call, the error says that a user denied it.\n",
    });
    expect(await recorded()).toContainEqual(expect.objectContaining({ kind: "note", action: "deny", subject: id }));
    expect((await place.run(...wipe("a", "--json"))).json()).toMatchObject({ error: { code: "POLICY_DENIED" } });
    expect(await place.run("mcp", "deny", id)).toMatchObject({ exit: 1 });
  });

  it.each([
    [
      "an id that nobody has",
      "ap_nothing",
      '✗ No approval request has the id "ap_nothing".\n  Run `anygpt mcp approvals` to see all pending approval requests.',
    ],
    [
      "too little of an id",
      "ap_doub",
      '✗ No approval request has the id "ap_doub".\n  Type at least 8 characters of the id.',
    ],
    [
      "what several begin with",
      "ap_double",
      "✗ The ids of 2 approval requests start with ap_double.\n  Type more of the id.\n",
    ],
  ])("refuses %s", async (_name, id, message) => {
    configure("human");
    await plant({ id: "ap_double1", expiresAt: Date.now() + 60_000 });
    await plant({ id: "ap_double2", expiresAt: Date.now() + 60_000 });
    const ran = await place.run("mcp", "deny", id);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain(message);
  });

  it("shows how long ago an approval has expired", async () => {
    configure("human");
    const id = await plant({ id: "ap_too_late", expiresAt: Date.now() - 3 * 3_600_000 });
    expect(await place.run("mcp", "deny", id)).toMatchObject({
      exit: 4,
      stderr: `✗ ${id} expired 3 h ago.\n  Repeat the call of disks:wipe; the gateway then asks for approval again.\n`,
    });
  });
});

describe("approvals", () => {
  const waiting: Confirmation = {
    id: "ap_1",
    actor: "local",
    tool: "disks:wipe",
    binding: "",
    state: "pending",
    selfService: true,
    askedAt: 1_000_000,
    expiresAt: 1_300_000,
    call: { risk: "destructive", riskOrigin: "policy.risk, entry 1", arguments: { disk: "x".repeat(300) } },
  };
  const lines = (found: Confirmation[], isAll = false, now = 1_020_000) =>
    render(approvalsLines(found, now, isAll), { columns: 400, color: false });

  it("shows caller, tool, age and expiry, with shortened arguments", () => {
    expect(lines([waiting])).toBe(`1 call is waiting for approval:

ap_1
  disks:wipe, risk destructive (policy.risk, entry 1)
  requested by local 20 s ago; expires in 4 min 40 s
  arguments: {"disk":"${"x".repeat(150)}…
  The caller may also confirm this call itself.

\`anygpt mcp approve ID\` shows the complete call and asks whether it may run; \`anygpt mcp deny ID\` denies it. The first 8 characters of the id are enough.
`);
  });

  it.each([
    ["approved", { decidedBy: "ann" }, "approved by ann, not used yet, expires in 4 min 40 s"],
    ["denied", { decidedBy: "ann" }, "denied by ann"],
    ["redeemed", {}, "used"],
    ["expired", { expiresAt: 1_010_000 }, "expired 10 s ago"],
  ] as const)("reports with --all the outcome of one that is %s", (state, more, fate) => {
    const text = lines([{ ...waiting, state, ...more }], true);
    expect(text).toContain("1 approval, 0 waiting:\n");
    expect(text).toContain(`  requested by local 20 s ago; ${fate}\n`);
    expect(text).not.toContain("anygpt mcp approve");
    expect(answered({ ...waiting, state, ...more }, 1_020_000).message).not.toContain("undefined");
  });

  it("reports that there is none", () => {
    expect(lines([])).toBe("No call is waiting for approval.\n");
    expect(lines([], true)).toBe("No approvals are stored. Old approvals are deleted automatically.\n");
  });

  it("offers pending ids as completions", async () => {
    configure("human");
    const id = await ask("a");
    expect((await place.run("__complete", "--", "mcp", "approve", "ap")).stdout).toBe(`${id}\n`);
  });
});
