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

/** `turn` is another server in every round, `extra-N` comes in one round and goes in the next. */
const configOf = (round: number) => ({
  upstreams: limits,
  servers: {
    first: gate("first"),
    second: gate("second"),
    turn: gate(`turn-${project.folder}-${round}`),
    ...(round % 2 === 1 ? { [`extra-${round}`]: gate(`extra-${round}`) } : {}),
  },
});

const held = async (gateway: LiveGateway, server: string) => Number((await gateway.execute(server, "held")).text);

it("replaces servers twenty times while two hundred calls are in flight, and none of them notices", async () => {
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
    await gateway.logged("The configuration was read again: servers:", round);

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
  // Those of servers that were replaced have finished where they began.
  for (const { round, call } of ofChanged) expect((await call).text).toContain(`turn-${project.folder}-${round} `);
  await eventually(() => processesWith(`turn-${project.folder}-`).length <= 1);
  expect(await gateway.execute("second", "whoami")).toEqual(before[1]);
}, 120_000);

it("lets a rule that comes hold for calls that still wait for their turn", async () => {
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

it("puts changed limits into force without touching a connection", async () => {
  const config = (concurrency: number) => ({ servers: { one: gate("one") }, upstreams: { concurrency, queue: 10 } });
  const file = project.write("config.json", config(1));
  const gateway = await project.open("--config", file);
  const { text } = await gateway.execute("one", "whoami");
  const release = project.path("release");
  const running = gateway.execute("one", "hold", { file: release });
  project.replace("config.json", config(2));
  process.kill(gateway.pid, "SIGHUP");
  await gateway.logged("sections changed: upstreams");
  // With one at a time this would wait for the call before it.
  expect((await gateway.execute("one", "whoami")).text).toBe(text);
  writeFileSync(release, "");
  expect((await running).isError).toBe(false);
});
