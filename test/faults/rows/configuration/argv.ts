// Server arguments with shell metacharacters: each argument arrives exactly as written, and no other program is started.
import { existsSync } from "node:fs";
import { openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, givenOf, plainTool, scripted } from "../../support/scripted.js";

const WORDS_PER_SERVER = 20;

/** `count`: the number of arguments. */
export async function argv({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const trap = home.path("trap");
    const all = Array.from({ length: count }, (_, n) => hostileWord(random, { trap, n }));
    const groups = Array.from({ length: Math.ceil(count / WORDS_PER_SERVER) }, (_, n) =>
      all.slice(n * WORDS_PER_SERVER, (n + 1) * WORDS_PER_SERVER),
    );
    // A configuration replaces `${` by design; two dollar signs stand for one.
    const toConfig = (word: string): string => word.split("${").join("$${");
    const servers = groups.map((words, n): [string, object] => [
      `s${n}`,
      scripted(home, `s${n}`, { tools: [plainTool("given")], words: words.map(toConfig) }),
    ]);
    home.configure(Object.fromEntries(servers));
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    for (const [n, words] of groups.entries()) {
      const outcome = await gateway.execute({ server: `s${n}`, tool: "given", arguments: {} });
      const arrived = givenOf(outcome)?.words ?? [];
      if (outcome.kind !== "answer") violations.push(`s${n} ends in ${endingOf(outcome)}`);
      words.forEach((word, place) => {
        if (arrived[place] !== word)
          violations.push(`${JSON.stringify(word)} arrives as ${JSON.stringify(arrived[place])}`);
      });
    }
    if (existsSync(trap)) violations.push("an argument was executed");
    await gateway.close();
    return {
      title: "server arguments with shell metacharacters",
      n: count,
      injected: count,
      violations,
      figures: {
        servers: groups.length,
        "different arguments": new Set(all).size,
        "arguments that were executed": existsSync(trap) ? 1 : 0,
      },
    };
  });
}

const PIECES = [
  "'",
  '"',
  "\\",
  "%PATH%",
  "^",
  "$HOME",
  "${HOME}",
  "*",
  "?",
  "~",
  "!",
  "#",
  " ",
  "\t",
  "\n",
  "=",
  "é😀",
  "--",
];

/** Every kind in turn, with random text around it. */
function hostileWord(random: Random, { trap, n }: { trap: string; n: number }): string {
  const kinds = [
    `; touch ${trap}`,
    `&& touch ${trap}`,
    `| touch ${trap}`,
    `$(touch ${trap})`,
    `\`touch ${trap}\``,
    `> ${trap}`,
    `\n touch ${trap}\n`,
    `--eval=touch ${trap}`,
    "%COMSPEC% /c",
    "../../relative.cmd",
    "",
  ];
  const kind = kinds[n % kinds.length] ?? "";
  const around = (): string => Array.from({ length: random.between(0, 4) }, () => random.pick(PIECES)).join("");
  return `${around()}${kind}${around()}`;
}
