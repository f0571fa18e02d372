// Starts an installed server with placeholder values only and requests its tools.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listServerTools } from "./list-server-tools.mjs";
import { placeholderFor, fillArgument } from "./placeholders.mjs";
import { subcommandIn, variablesIn } from "./readme.mjs";

const START_LIMIT_MS = 20_000;

/** `{ tools, info, demanded, args }`, or `{ failure, demanded }`: `demanded` are the variables that the server requires, `args` the arguments that started it. */
export async function probe(folder, { name, args, variables }) {
  const root = join(folder, "node_modules", name);
  const program = findProgram(root, name);
  if (program === undefined) return { failure: "The package has no program.", demanded: [] };
  const home = join(folder, "homes", encodeURIComponent(name));
  mkdirSync(home, { recursive: true });
  const filled = args.map((argument) => fillArgument(argument, home));
  const values = new Map(variables.map((variable) => [variable.name, variable.value]));
  const valueOf = (variable) => values.get(variable) ?? placeholderFor(variable);
  const demanded = new Set();
  const attempt = (given, names) =>
    listServerTools({
      command: process.execPath,
      args: [program, ...given],
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        NODE_ENV: "production",
        CI: "1",
        ...Object.fromEntries(names.map((variable) => [variable, valueOf(variable)])),
      },
      limitMs: START_LIMIT_MS,
    });

  try {
    let answer = await attempt(filled, []);
    const subcommand = answer.tools === undefined && args.length === 0 ? subcommandIn(answer.stderr) : undefined;
    if (subcommand !== undefined) {
      filled.push(subcommand);
      answer = await attempt(filled, []);
    }
    // A server reports missing variables one at a time, or all at once.
    for (let round = 0; answer.tools === undefined && round < 2; round += 1) {
      const fresh = variablesIn(answer.stderr).filter((variable) => !demanded.has(variable));
      if (fresh.length === 0) break;
      for (const variable of fresh) demanded.add(variable);
      answer = await attempt(filled, [...demanded]);
    }
    const all = [...new Set([...demanded, ...variables.map((variable) => variable.name)])];
    if (answer.tools === undefined && all.length > demanded.size) answer = await attempt(filled, all);
    return answer.tools === undefined
      ? { failure: answer.stderr.slice(0, 600), demanded: [...demanded] }
      : { ...answer, demanded: [...demanded], args: subcommand === undefined ? args : [subcommand] };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The program that `npx NAME` would run. */
function findProgram(root, name) {
  const file = join(root, "package.json");
  if (!existsSync(file)) return undefined;
  const { bin } = JSON.parse(readFileSync(file, "utf8"));
  const bare = name.slice(name.indexOf("/") + 1);
  const path = typeof bin === "string" ? bin : (bin?.[bare] ?? Object.values(bin ?? {})[0]);
  return typeof path === "string" && existsSync(join(root, path)) ? join(root, path) : undefined;
}
