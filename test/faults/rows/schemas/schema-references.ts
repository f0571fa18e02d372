// Schemas with circular, missing or external references: the gateway rejects the tool, the other tools of the server
// work, and no external address is contacted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Json, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, plainTool, scripted } from "../../support/scripted.js";

const CHAIN = 5000;

const chain = (last: Json): Json => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: CHAIN }, (_, n) => [`d${n}`, n === CHAIN - 1 ? last : { $ref: `#/$defs/d${n + 1}` }]),
  ),
});

/** Each is an endless loop of references. */
const LOOPS: Readonly<Record<string, Json>> = {
  itself: { $ref: "#" },
  "a definition of itself": { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } },
  "each other": { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  "a long circle": chain({ $ref: "#/$defs/d0" }),
  "all of itself": { allOf: [{ $ref: "#" }] },
  "not itself": { not: { $ref: "#" } },
  "a dynamic anchor": { $dynamicAnchor: "x", $dynamicRef: "#x" },
  "a dynamic circle": {
    $dynamicRef: "#x",
    $defs: { a: { $dynamicAnchor: "x", $dynamicRef: "#y" }, b: { $dynamicAnchor: "y", $dynamicRef: "#x" } },
  },
  "a recursive reference": {
    $schema: "https://json-schema.org/draft/2019-09/schema",
    $recursiveAnchor: true,
    allOf: [{ $recursiveRef: "#" }],
  },
};

const externalReferences = (port: number): Readonly<Record<string, string>> => ({
  http: `http://127.0.0.1:${port}/schema.json`,
  "http with a fragment": `http://127.0.0.1:${port}/schema.json#/a`,
  https: `https://127.0.0.1:${port}/schema.json`,
  "a file": "file:///etc/passwd",
  data: 'data:application/json,{"type":"object"}',
  "metadata of the cloud": "http://169.254.169.254/latest/meta-data/",
  "a name": "https://schemas.example.invalid/x.json",
  "no scheme": `//127.0.0.1:${port}/schema.json`,
  "a path": "other.json",
  nothing: "#/$defs/missing",
});

const CLEAN_ENDINGS = ["TOOL_VALIDATION_ERROR", "TOOL_NOT_FOUND"];
/** References of this kind are not followed, so there is no loop to detect: the keywords next to them apply. */
const MAY_ANSWER = new Set(["a dynamic anchor", "a dynamic circle"]);

/** `count`: how often each tool is called. */
export async function schemaReferences({ count, dist }: RowOptions): Promise<RowResult> {
  let asked = 0;
  const listener = createServer((_, response) => {
    asked += 1;
    response.end("{}");
  }).on("connection", () => (asked += 1));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const places = externalReferences((listener.address() as AddressInfo).port);
  const remote = Object.entries(places).flatMap(([name, $ref]): [string, Json][] => [
    [`${name}, at the root`, { $ref }],
    [`${name}, inside`, { type: "object", properties: { a: { $ref } } }],
    [`${name}, as a base`, { $id: $ref, type: "object", properties: { a: { $ref: "x.json" } } }],
  ]);
  const cases = [...Object.entries(LOOPS), ...remote];
  try {
    return await inHome(async (home) => {
      const tools = cases.map(([, schema], n) => plainTool(`t${n}`, schema));
      const sibling = plainTool("sibling", { type: "object", allOf: [{ required: ["a"] }] });
      home.configure({ s: scripted(home, "s", { tools: [...tools, sibling] }) });
      const gateway = await openGateway(home, { dist });
      const violations: string[] = [];
      const endings: Record<string, number> = {};
      let alive = 0;
      for (let round = 0; round < count; round += 1) {
        for (const [n, [what]] of cases.entries()) {
          const ending = endingOf(await gateway.execute({ server: "s", tool: `t${n}`, arguments: { a: "x" } }));
          endings[ending] = (endings[ending] ?? 0) + 1;
          if (!CLEAN_ENDINGS.includes(ending) && !(ending === "answer" && MAY_ANSWER.has(what)))
            violations.push(`${what}: ${ending}`);
          const outcome = await gateway.execute({ server: "s", tool: "sibling", arguments: { a: 1 } });
          if (outcome.kind === "answer") alive += 1;
          else violations.push(`after ${what}, its sibling ends in ${endingOf(outcome)}`);
        }
      }
      await gateway.close();
      if (asked > 0) violations.push(`a schema was requested ${asked} times`);
      return {
        title: "schemas with circular, missing or external references",
        n: cases.length * count,
        injected: cases.length * count,
        violations,
        figures: {
          schemas: cases.length,
          "other tools that work": `${alive}/${cases.length * count}`,
          "external requests": asked,
          ...endings,
        },
      };
    });
  } finally {
    listener.close();
  }
}
