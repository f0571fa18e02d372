import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { processesWith, testServer } from "../support/gateway.js";
import { createProject, type LiveGateway, type Project } from "../support/live-gateway.js";

const ROUNDS = 20;
const IN_FLIGHT = 200;

let project: Project;
beforeEach(() => void (project = createProject()));
afterEach(() => project.close());

const gate = (name: string) => testServer("gate.mjs", name);
const limits = { concurrency: IN_FLIGHT, queue: IN_FLIGHT };

/** `turn` is a different server in every round; `extra-N` is added in one round and removed in the next. */
const configOf = (round: number) => ({
  upstreams: limits,
  // The calls are held during all rounds, which take longer than the default timeout on a busy machine.
  execution: { timeoutMs: 600_000 },
  servers: {
    first: gate("first"),
    second: gate("second"),
    turn: gate(`turn-${project.folder}-${round}`),
    ...(round % 2 === 1 ? { [`extra-${round}`]: gate(`extra-${round}`) } : {}),
  },
});

const held = async (gateway: LiveGateway, server: string) => Number((await gateway.execute(server, "held")).text);

it("replaces servers twenty times while two hundred calls are in flight, without a failed call", async () => {
  const file = project.write("config.json", configOf(0));
  const gateway = await project.open("--config", file);
  const before = await Promise.all(["first", "second"].map((name) => gateway.execute(name, "whoami")));
  const release = project.path("release");
  const calls = Array.from({ length: IN_FLIGHT }, (_, n) =>
    gateway.execute(n % 2 === 0 ? "first" : "second", "hold", { file: release }),
  );
  await eventually(async () => (await held(gateway, "first")) + (await held(gateway, "second")) === IN_FLIGHT);

  const ofChanged: { round: number; call: ReturnType<LiveGateway["execute"]> }[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    ofChanged.push({ round: round - 1, call: gateway.execute("turn", "hold", { file: release }) });
    await eventually(async () => (await held(gateway, "turn")) === 1);
    project.replace("config.json", configOf(round));
    process.kill(gateway.pid, "SIGHUP");
    await gateway.logged("The configuration was reloaded: servers:", round);

    const [names, still, gone, found, turned] = await Promise.all([
      gateway.servers(),
      gateway.execute("first", "whoami"),
      gateway.execute(`extra-${round - 1}`, "whoami"),
      gateway.call("search_tools", { query: `only extra ${round - 1}`, limit: 50 }),
      gateway.execute("turn", "whoami"),
    ]);
    expect(names).toEqual(Object.keys(configOf(round).servers));
    expect(still).toEqual(before[0]);
    expect(gone.text).toContain("SERVER_NOT_FOUND");
    expect(found.text).not.toContain(`extra-${round - 1}"`);
    expect(turned.text).toContain(`turn-${project.folder}-${round} `);
  }

  writeFileSync(release, "");
  const answers = await Promise.all(calls);
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  expect(answers.map(({ text }) => text)).toEqual(
    calls.map((_, n) => before[n % 2]?.text.split(" ").slice(0, 2).join(" ")),
  );
  // Calls to replaced servers finished in the process in which they started.
  for (const { round, call } of ofChanged) expect((await call).text).toContain(`turn-${project.folder}-${round} `);
  await eventually(() => processesWith(`turn-${project.folder}-`).length <= 1);
  expect(await gateway.execute("second", "whoami")).toEqual(before[1]);
});

it("applies a new rule to calls that still wait in the queue", async () => {
  const config = (toolRules: object[]) => ({ servers: { one: gate("one") }, upstreams: { concurrency: 1 }, toolRules });
  const file = project.write("config.json", config([]));
  const gateway = await project.open("--config", file);
  const release = project.path("release");
  const running = gateway.execute("one", "hold", { file: release });
  await gateway.logged("Starting one.");
  const waiting = gateway.execute("one", "whoami");
  project.replace("config.json", config([{ pattern: "whoami", enabled: false }]));
  process.kill(gateway.pid, "SIGHUP");
  await gateway.logged("sections changed: toolRules");
  writeFileSync(release, "");
  expect((await running).isError).toBe(false);
  expect((await waiting).text).toContain("TOOL_DISABLED");
});

it("applies changed limits without closing a connection", async () => {
  const config = (concurrency: number) => ({ servers: { one: gate("one") }, upstreams: { concurrency, queue: 10 } });
  const file = project.write("config.json", config(1));
  const gateway = await project.open("--config", file);
  const { text } = await gateway.execute("one", "whoami");
  const release = project.path("release");
  const running = gateway.execute("one", "hold", { file: release });
  project.replace("config.json", config(2));
  process.kill(gateway.pid, "SIGHUP");
  await gateway.logged("sections changed: upstreams");
  // With a limit of one this call would wait for the previous one.
  expect((await gateway.execute("one", "whoami")).text).toBe(text);
  writeFileSync(release, "");
  expect((await running).isError).toBe(false);
});
