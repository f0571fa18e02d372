// Decides which command lines the background gateway runs. Every start of the CLI loads this module, so it must stay
// tiny.
type Environment = Readonly<Record<string, string | undefined>>;

/** The hidden command that runs a daemon. */
export const DAEMON_COMMAND = "__daemon";

/** Commands that may need connections to servers. A test compares this list with `usesServers` in the command table. */
export const SERVER_COMMANDS: readonly string[] = [
  "list",
  "search",
  "tools",
  "inspect",
  "execute",
  "run",
  "adapter inspect",
  "adapter test",
  "config reload",
  "doctor",
];

/** Subcommands of `SERVER_COMMANDS` that need no connection to a server. */
export const LOCAL_SUBCOMMANDS: readonly string[] = ["tools export", "tools install"];

/** Whether the background gateway should run this command line. */
export function usesDaemon(argv: readonly string[], env: Environment): boolean {
  if (isSwitchedOff(env)) return false;
  const end = argv.indexOf("--");
  const typed = end === -1 ? argv : argv.slice(0, end);
  if (typed.some((word) => word === "--no-daemon" || word === "--help" || word === "-h")) return false;
  return serverCommand(typed) !== undefined;
}

/** The entry of `SERVER_COMMANDS` that the command line begins with. */
export function serverCommand(argv: readonly string[]): string | undefined {
  const [first = "", second = ""] = leadingWords(argv);
  const pair = `${first} ${second}`;
  if (LOCAL_SUBCOMMANDS.includes(pair)) return undefined;
  return SERVER_COMMANDS.find((name) => name === first || name === pair);
}

const OFF = new Set(["0", "false", "no", "off"]);

/** Whether the daemon is disabled: by `ANYGPT_DAEMON=0`, in a CI job, or in a gateway that another gateway started. */
function isSwitchedOff(env: Environment): boolean {
  const ci = (env["CI"] ?? "").toLowerCase();
  return (
    OFF.has((env["ANYGPT_DAEMON"] ?? "").toLowerCase()) ||
    (ci !== "" && !OFF.has(ci)) ||
    Number.parseInt(env["ANYGPT_DEPTH"] ?? "", 10) > 0
  );
}

/** The arguments that name the command, without the optional `mcp` and without options before or between them. */
function leadingWords(argv: readonly string[]): string[] {
  const words = argv.filter((word, index) => !word.startsWith("-") && argv[index - 1] !== "--config");
  return words[0] === "mcp" ? words.slice(1, 3) : words.slice(0, 2);
}

/** The value of the option `--config`. The command's own option parser validates it later. */
export function configOption(argv: readonly string[]): string | undefined {
  for (const [index, word] of argv.entries()) {
    if (word === "--") return undefined;
    if (word === "--config") return argv[index + 1];
    if (word.startsWith("--config=")) return word.slice("--config=".length);
  }
  return undefined;
}
