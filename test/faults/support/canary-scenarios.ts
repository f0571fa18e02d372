import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { httpServer, loginServers, stdioServer } from "./canary-place.js";
import type { CanaryPlace } from "./canary-place.js";
import type { CanaryGateway, CanaryPrograms } from "./canary-programs.js";
import type { Canaries } from "./canary-values.js";

export interface Stage {
  readonly place: CanaryPlace;
  readonly programs: CanaryPrograms;
  readonly canaries: Canaries;
}

export interface Scenario {
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

const START_FAULTS = ["exit", "stray", "refuse", "version", "unlisted", "mislisted", "leave", "mute"];
const CALL_FAULTS = ["reject", "reject_whole", "log", "progress", "crash", "flood", "hang", "odd_result"];
const HTTP_FAULTS = ["unauthorized", "broken", "redirect", "page", "garbage", "reset"];

/** Every fault, through every surface that reports it. */
export const SCENARIOS: readonly Scenario[] = [
  ...START_FAULTS.flatMap((mode): Scenario[] => [
    { name: `${mode} at a start, over MCP`, run: (stage) => withStdio(stage, mode, (one) => overMcp(one, "fine")) },
    { name: `${mode} at a start, by hand`, run: (stage) => withStdio(stage, mode, (one) => byHand(one, "fine")) },
  ]),
  ...START_FAULTS.slice(0, 5).map((mode): Scenario => {
    return { name: `${mode} at a start, examined`, run: (stage) => withStdio(stage, mode, examine) };
  }),
  ...CALL_FAULTS.flatMap((tool): Scenario[] => [
    { name: `${tool} in a call, over MCP`, run: (stage) => withStdio(stage, "serve", (one) => overMcp(one, tool)) },
    { name: `${tool} in a call, by hand`, run: (stage) => withStdio(stage, "serve", (one) => byHand(one, tool)) },
  ]),
  ...HTTP_FAULTS.map((kind, index): Scenario => {
    const way = index % 2 === 0 ? (one: Stage) => overMcp(one, "fine") : examine;
    return { name: `${kind} from an address`, run: (stage) => withHttp(stage, kind, way) };
  }),
  ...["reject", "log", "crash"].map((tool): Scenario => {
    return { name: `${tool} from an address`, run: (stage) => withHttp(stage, "serve", (one) => overMcp(one, tool)) };
  }),
  {
    name: "an address with a password that nothing listens at",
    run: async (stage) => withLogin(stage, await closedHost()),
  },
  { name: "an address with a password whose host is unknown", run: (stage) => withLogin(stage, "unknown.invalid") },
  { name: "an address with a password", run: async (stage) => withLogin(stage, await hostOf(stage)) },
  { name: "the values of another server", run: quoteAnother },
  { name: "a reload with an invalid configuration", run: reloadInvalid },
  { name: "an invalid configuration", run: readInvalid },
  { name: "invalid .env files", run: readInvalidVariables },
  { name: "invalid arguments", run: sendInvalidArguments },
  { name: "recorded arguments", run: recordArguments },
  { name: "a call that waits for the user's approval", run: waitForApproval },
  { name: "a gateway that is killed and started again", run: killAndRestart },
  { name: "a tour of the command line", run: tour },
  { name: "the servers of other programs", run: importOthers },
  { name: "a value as an argument of a program", run: passAsArgument },
];

async function withStdio(stage: Stage, mode: string, way: (stage: Stage) => Promise<void>): Promise<void> {
  stage.place.configure({ c: stdioServer(stage.canaries, mode) });
  await way(stage);
}

async function withHttp(stage: Stage, kind: string, way: (stage: Stage) => Promise<void>): Promise<void> {
  stage.place.configure({ c: httpServer(stage.canaries, await stage.programs.origin(), kind) });
  await way(stage);
}

async function withLogin(stage: Stage, host: string): Promise<void> {
  stage.place.configure(loginServers(stage.canaries, host));
  await examine(stage);
  const gateway = await open(stage);
  for (const server of ["login", "written"]) await execute(gateway, server, "fine");
  await gateway.close();
}

async function hostOf({ programs }: Stage): Promise<string> {
  return new URL(await programs.origin()).host;
}

/** An address whose server has just been closed. */
async function closedHost(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}

function open({ place, programs }: Stage): Promise<CanaryGateway> {
  return programs.gateway("--config", place.config);
}

function execute(gateway: CanaryGateway, server: string, tool: string, args: object = {}): Promise<unknown> {
  const params = { name: "execute_tool", arguments: { server, tool, arguments: args } };
  return gateway.request("tools/call", { ...params, _meta: { progressToken: `${server}-${tool}` } });
}

/** A client that reads everything available, before and after the fault. */
async function overMcp(stage: Stage, tool: string): Promise<void> {
  const gateway = await open(stage);
  await gateway.request("logging/setLevel", { level: "debug" });
  await execute(gateway, "c", tool);
  await execute(gateway, "c", tool);
  await lookAround(gateway);
  await gateway.close();
}

async function lookAround(gateway: CanaryGateway): Promise<void> {
  const call = (name: string, args: object): Promise<unknown> =>
    gateway.request("tools/call", { name, arguments: args });
  await call("list_mcp_servers", {});
  await call("search_tools", { query: "fine" });
  await call("list_tools", { server: "c" });
  await call("get_tool_details", { server: "c", tool: "fine" });
  await gateway.request("resources/list");
}

async function byHand({ place, programs }: Stage, tool: string): Promise<void> {
  const how = ["--config", place.config, "--verbose"];
  await programs.cli("execute", "c", tool, ...how);
  await programs.cli("execute", "c", tool, "--json", "--stream", ...how);
}

async function examine({ place, programs }: Stage): Promise<void> {
  await programs.cli("doctor", "--config", place.config, "--verbose");
  await programs.cli("list", "--json", "--config", place.config, "--verbose");
}

/** A program that reads the log of another one reports its content. */
async function quoteAnother(stage: Stage): Promise<void> {
  const { place, canaries } = stage;
  const file = place.write("project/found.json", [
    canaries.CANARY_ENV_TOKEN,
    canaries.CANARY_DOTENV_ODD,
    canaries.CANARY_HEADER_BEARER,
    canaries.WRITTEN_HEADER_KEY,
  ]);
  const { command, args } = stdioServer(canaries) as { command: string; args: string[] };
  place.configure({
    a: stdioServer(canaries),
    h: httpServer(canaries, `http://${await closedHost()}`, "serve"),
    c: { command, args, env: { CANARY_FILE: file } },
  });
  const gateway = await open(stage);
  for (const tool of ["reject", "log", "progress", "crash"]) await execute(gateway, "c", tool);
  await lookAround(gateway);
  await gateway.close();
}

/** The error is next to a value, or is a value itself. */
function invalidConfigurations(canaries: Canaries): string[] {
  const good = { servers: { c: stdioServer(canaries) } };
  return [
    JSON.stringify(good).slice(0, -2),
    JSON.stringify({ servers: { c: { ...stdioServer(canaries), env: canaries.WRITTEN_ENV_TOKEN } } }),
    JSON.stringify({
      servers: { c: { url: 5, headers: { Authorization: { token: canaries.WRITTEN_HEADER_BEARER } } } },
    }),
    JSON.stringify({ ...good, tokens: canaries.WRITTEN_ENV_TOKEN }),
    JSON.stringify({ servers: { c: { url: `not an address ${canaries.WRITTEN_QUERY}` } } }),
    JSON.stringify({ servers: { c: { type: canaries.WRITTEN_ENV_TOKEN, command: "x" } } }),
  ];
}

async function reloadInvalid(stage: Stage): Promise<void> {
  const { place, canaries } = stage;
  place.configure({ c: stdioServer(canaries) });
  const gateway = await open(stage);
  await execute(gateway, "c", "fine");
  for (const [index, text] of invalidConfigurations(canaries).entries()) {
    // Its second line differs each time, so that each problem is reported.
    place.write("project/gateway.json", `${"\n".repeat(index + 1)}${text}`);
    await stage.programs.cli("config", "reload", "--config", place.config);
    if (index === 0) await gateway.logged("the previous one stays in use");
    await lookAround(gateway);
  }
  await gateway.close();
}

async function readInvalid(stage: Stage): Promise<void> {
  const { place, programs, canaries } = stage;
  for (const text of invalidConfigurations(canaries)) {
    place.write("project/gateway.json", text);
    await programs.cli("config", "validate", "--config", place.config);
    await programs.cli("list", "--json", "--config", place.config, "--verbose");
  }
}

async function readInvalidVariables(stage: Stage): Promise<void> {
  const { place, programs, canaries } = stage;
  place.configure({ c: stdioServer(canaries) });
  place.write(
    "project/.env",
    `${canaries.CANARY_DOTENV_TOKEN}\nCANARY_DOTENV_ODD '${canaries.CANARY_DOTENV_ODD}\nA="${canaries.UNUSED_DOTENV}\n`,
  );
  for (const words of [["env"], ["env", "--json"], ["doctor"], ["config", "validate"]])
    await programs.cli(...words, "--config", place.config, "--verbose");
  await overMcp(stage, "fine");
}

/** A caller may know a value from another source; the gateway must not repeat it. */
async function sendInvalidArguments(stage: Stage): Promise<void> {
  const { place, programs, canaries } = stage;
  place.configure({ c: stdioServer(canaries) });
  const file = place.write("project/arguments.json", {
    count: canaries.CANARY_ENV_TOKEN,
    [canaries.WRITTEN_ENV_TOKEN]: 1,
  });
  await programs.cli("execute", "c", "fine", "--args-file", file, "--config", place.config, "--verbose");
  await programs.cli("execute", "c", "fine", "--args-file", file, "--json", "--config", place.config);
  const gateway = await open(stage);
  await execute(gateway, "c", "fine", { count: canaries.CANARY_DOTENV_TOKEN });
  await execute(gateway, "c", canaries.CANARY_ENV_JWT);
  await gateway.request("tools/call", { name: canaries.CANARY_ENV_TOKEN, arguments: {} });
  await gateway.close();
}

/** With recorded arguments enabled, the record contains them redacted. */
async function recordArguments(stage: Stage): Promise<void> {
  const { place, canaries } = stage;
  place.configure({ c: stdioServer(canaries) }, { audit: { arguments: true } });
  const gateway = await open(stage);
  await execute(gateway, "c", "fine", { text: `with ${canaries.CANARY_ENV_TOKEN} and ${canaries.WRITTEN_ENV_TOKEN}` });
  await execute(gateway, "c", "reject", { text: canaries.CANARY_DOTENV_ODD, count: 1 });
  await gateway.close();
  await stage.programs.cli("audit", "--json", "--config", place.config);
}

/** The user who decides sees exactly what would run; until then it is stored encrypted. */
async function waitForApproval(stage: Stage): Promise<void> {
  const { place, canaries } = stage;
  place.configure({ c: stdioServer(canaries) });
  const gateway = await open(stage);
  await execute(gateway, "c", "destroy", {
    text: `with ${canaries.CANARY_ENV_TOKEN} and ${canaries.WRITTEN_ENV_TOKEN}`,
  });
  await gateway.kill();
  await overMcp(stage, "destroy");
}

async function killAndRestart(stage: Stage): Promise<void> {
  stage.place.configure({ c: stdioServer(stage.canaries) });
  const first = await open(stage);
  await execute(first, "c", "log");
  const open_ = execute(first, "c", "hang");
  await first.kill();
  await open_;
  await overMcp(stage, "crash");
}

async function tour(stage: Stage): Promise<void> {
  const { place, programs, canaries } = stage;
  const origin = await programs.origin();
  place.configure({
    c: stdioServer(canaries),
    h: httpServer(canaries, origin, "serve"),
    ...loginServers(canaries, await closedHost()),
  });
  const commands = [
    ["list"],
    ["tools", "c"],
    ["inspect", "c", "fine"],
    ["search", "fine"],
    ["config", "show"],
    ["config", "show", "--json"],
    ["config", "sources"],
    ["config", "validate"],
    ["env"],
    ["env", "--json"],
    ["doctor", "--json"],
    ["execute", "nobody", "nothing"],
    ["execute", "h", "reject"],
  ];
  for (const words of commands) await programs.cli(...words, "--config", place.config, "--verbose");
}

/** Other programs write their secrets into their files in plain text. */
async function importOthers(stage: Stage): Promise<void> {
  const { place, programs, canaries } = stage;
  const { command, args } = stdioServer(canaries, "exit") as { command: string; args: string[] };
  const other = { command, args, env: { CANARY_API_KEY: canaries.OTHER_PROGRAM } };
  const remote = {
    url: `http://${await closedHost()}/?token=${canaries.WRITTEN_QUERY}`,
    headers: { Authorization: `Bearer ${canaries.WRITTEN_HEADER_BEARER}` },
  };
  place.write("home/.cursor/mcp.json", { mcpServers: { other, remote } });
  for (const words of [
    ["list"],
    ["doctor"],
    ["config", "show"],
    ["import", "--dry-run"],
    ["import", "--dry-run", "--secrets", "env", "--json"],
  ])
    await programs.cli(...words, "--verbose");
  const gateway = await programs.gateway();
  await execute(gateway, "other", "fine");
  await execute(gateway, "remote", "fine");
  await gateway.close();
}

/** The started program has it on its command line, as configured; no other process has. */
async function passAsArgument(stage: Stage): Promise<void> {
  const { command, args } = stdioServer(stage.canaries) as { command: string; args: string[] };
  const words = ["--token", "${CANARY_ENV_TOKEN}", `--api-key=${stage.canaries.WRITTEN_ENV_TOKEN}`];
  stage.place.configure({ c: { command, args: [...args, ...words] }, d: { command: "no-such-program", args: words } });
  await examine(stage);
  await overMcp(stage, "crash");
}
