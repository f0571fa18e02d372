// Recognizes commands that may download and install a package before they run it.
import { optionValues, type OptionSyntax, readWords } from "./words.js";
import { programOf, unwrap } from "./wrappers.js";

export interface Installer {
  /** The installing program with its subcommand: "npx", "pnpm dlx", "docker run". */
  readonly tool: string;
  /**
   * The packages as written in the command: package specs, an image or a module. Empty if the command installs the
   * dependencies of a project.
   */
  readonly packages: readonly string[];
  /** The value of `--cache`. Set for `npx` and `npm exec` only. */
  readonly npm?: { readonly cache: string | undefined };
}

type Parse = (words: readonly string[]) => Installer | undefined;

const isInstaller = (program: string): boolean => Object.hasOwn(PARSERS, program);

/**
 * The installer that a command runs, even inside shells and wrappers. Undefined for a command that installs nothing.
 */
export function installerOf(command: string, args: readonly string[]): Installer | undefined {
  for (const [program = "", ...words] of unwrap([command, ...args], isInstaller)) {
    const found = PARSERS[programOf(program)]?.(words);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The options of npx-cli.js in npm 11 that take no value. Every other option takes the next word as its value, unless
 * that word begins with a dash.
 */
const NPM_SYNTAX: OptionSyntax = {
  flags: new Set([
    "y",
    "yes",
    "q",
    "quiet",
    "s",
    "silent",
    "d",
    "dd",
    "ddd",
    "verbose",
    "f",
    "force",
    "offline",
    "prefer-offline",
    "prefer-online",
    "ignore-scripts",
    "foreground-scripts",
    "audit",
    "fund",
    "progress",
    "json",
    "global",
    "g",
    "workspaces",
    "legacy-peer-deps",
    "strict-ssl",
    "update-notifier",
    "ignore-existing",
  ]),
};

function npm(words: readonly string[], tool: "npx" | "npm exec"): Installer | undefined {
  const { options, rest } = readWords(words, NPM_SYNTAX);
  const named = optionValues(options, "p", "package");
  const packages = named.length > 0 ? named : rest.slice(0, 1);
  if (packages.length === 0) return undefined;
  return { tool, packages, npm: { cache: optionValues(options, "cache").at(-1) } };
}

/** Creates a parser for package managers that take package names from an option or, without it, from the first word. */
function runner(tool: string, syntax: OptionSyntax, ...naming: string[]): Parse {
  return (words) => {
    const { options, rest } = readWords(words, syntax);
    const named = optionValues(options, ...naming);
    const packages = named.length > 0 ? named : rest.slice(0, 1);
    return packages.length === 0 ? undefined : { tool, packages };
  };
}

/** Creates a parser that delegates to the parser of the subcommand. Options may precede the subcommand. */
function subcommands(syntax: OptionSyntax, table: Readonly<Record<string, Parse>>): Parse {
  return (words) => {
    const { rest, before } = readWords(words, syntax);
    const [name = "", ...others] = rest;
    const parse = Object.hasOwn(table, name) ? table[name] : undefined;
    return parse?.([...before, ...others]);
  };
}

/** Creates the parsers for `npm install` and similar commands, with or without package names. */
function install(tool: string, ...naming: string[]): Record<string, Parse> {
  const parse: Parse = (words) => ({
    tool: `${tool} install`,
    packages: words.filter((word) => !word.startsWith("-")),
  });
  return Object.fromEntries(["install", ...naming].map((name) => [name, parse]));
}

const COMMON_FLAGS: OptionSyntax = {
  flags: new Set(["s", "silent", "q", "quiet", "v", "verbose", "bun", "b", "yes", "y"]),
};
const UV_VALUES = new Set(
  "from with with-editable with-requirements w p python index i index-url default-index extra-index-url find-links f index-strategy keyring-provider resolution prerelease config-file directory project cache-dir color env-file group extra only-group refresh-package upgrade-package P".split(
    " ",
  ),
);
const UV: OptionSyntax = { values: UV_VALUES };
const PIPX: OptionSyntax = { values: new Set(["spec", "python", "pip-args", "index-url", "i", "with"]) };
const GO: OptionSyntax = {
  values: new Set(["mod", "modfile", "tags", "ldflags", "gcflags", "C", "exec", "p", "overlay"]),
};
const DENO: OptionSyntax = {
  values: new Set(["config", "c", "import-map", "env-file", "location", "lock", "ext", "seed"]),
};
const NIX: OptionSyntax = { values: new Set(["extra-experimental-features", "option", "override-input"]) };
const DOCKER_FLAGS: OptionSyntax = {
  flags: new Set(
    "i interactive t tty it ti d detach rm init privileged read-only P publish-all no-healthcheck oom-kill-disable sig-proxy q quiet debug D tls tlsverify use-api-socket".split(
      " ",
    ),
  ),
};

const dlx = runner("pnpm dlx", COMMON_FLAGS, "package");
const uvx = runner("uvx", UV, "from");
const bunx = runner("bunx", COMMON_FLAGS, "p", "package");
const run = runner("docker run", DOCKER_FLAGS);
const podmanRun = runner("podman run", DOCKER_FLAGS);
const container = (parse: Parse): Parse =>
  subcommands(DOCKER_FLAGS, { run: parse, container: subcommands(DOCKER_FLAGS, { run: parse }) });

const PARSERS: Readonly<Record<string, Parse>> = {
  npx: (words) => npm(words, "npx"),
  npm: subcommands(NPM_SYNTAX, {
    exec: (words) => npm(words, "npm exec"),
    x: (words) => npm(words, "npm exec"),
    ...install("npm", "i", "ci", "add"),
  }),
  pnpx: dlx,
  pnpm: subcommands(COMMON_FLAGS, { dlx, ...install("pnpm", "i", "add") }),
  yarn: subcommands(COMMON_FLAGS, { dlx: runner("yarn dlx", COMMON_FLAGS, "p", "package"), ...install("yarn", "add") }),
  bunx,
  bun: subcommands(COMMON_FLAGS, { x: bunx, ...install("bun", "i", "add") }),
  uvx,
  uv: subcommands(UV, { tool: subcommands(UV, { run: uvx }), run: runner("uv run", UV, "from") }),
  pipx: subcommands(PIPX, { run: runner("pipx run", PIPX, "spec") }),
  docker: container(run),
  podman: container(podmanRun),
  nerdctl: container(runner("nerdctl run", DOCKER_FLAGS)),
  go: subcommands(GO, { run: runner("go run", GO) }),
  deno: subcommands(DENO, { run: runner("deno run", DENO), x: runner("deno run", DENO) }),
  nix: subcommands(NIX, { run: runner("nix run", NIX) }),
  pip: subcommands(COMMON_FLAGS, install("pip")),
  pip3: subcommands(COMMON_FLAGS, install("pip")),
  dnx: runner("dnx", COMMON_FLAGS),
};
