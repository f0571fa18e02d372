// Runs the official MCP conformance suite against the built gateway, prints one table and writes the results to a JSON file.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./children.mjs";
import { CLIENT_LEG, runClientLeg } from "./client-leg.mjs";
import { toRows, toTable, violationsOf } from "./report.mjs";
import { runServerLeg, SERVER_LEGS } from "./server-legs.mjs";
import { openSuite, REVISIONS, SUITE_VERSION } from "./suite.mjs";

const LEGS = [...SERVER_LEGS.map(({ name }) => name), CLIENT_LEG];

const HELP = `Usage: npm run conformance -- [options]

Runs the scenarios of @modelcontextprotocol/conformance ${SUITE_VERSION}. Server scenarios run against a test
server directly (leg "direct") and through the gateway in front of it. Client scenarios run against the
gateway as a client. The suite is installed into the temporary folder of the system.

  --only SCENARIO  run only this scenario; may be repeated
  --leg LEG        run only this leg; may be repeated: ${LEGS.join("; ")}
  --revision DATE  run only this protocol revision: ${REVISIONS.join(" or ")}
  --from FOLDER    a folder in which the suite is already installed
  --dist FOLDER    the build to test (default dist)
  --report FILE    the JSON file for the results (default conformance-report.json)
  --verbose        show the output of the started programs
  --help           print this help

Exit code: 0 if every applicable scenario passed, otherwise 1.`;

const options = readOptions();
if (options.help) console.log(HELP);
else process.exitCode = await run();

function readOptions() {
  const text = { type: "string" };
  const flag = { type: "boolean", default: false };
  const known = {
    only: { ...text, multiple: true },
    leg: { ...text, multiple: true, default: LEGS },
    revision: { ...text, multiple: true, default: REVISIONS },
    from: text,
    dist: { ...text, default: "dist" },
    report: { ...text, default: "conformance-report.json" },
    verbose: flag,
    help: flag,
  };
  try {
    const { values } = parseArgs({ options: known });
    const unknown =
      values.leg.find((name) => !LEGS.includes(name)) ?? values.revision.find((name) => !REVISIONS.includes(name));
    if (unknown !== undefined) throw new Error(`No leg or revision is named "${unknown}".`);
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(1);
  }
}

async function run() {
  if (!existsSync(join(ROOT, options.dist, "main.cjs"))) {
    throw new Error(`${options.dist} contains no build. Run \`npm run build\` first.`);
  }
  const suite = await openSuite(options.from);
  const found = {};
  for (const name of options.leg) {
    console.error(`${name} …`);
    const leg = SERVER_LEGS.find((one) => one.name === name);
    const parts = { ...options, suite };
    found[name] =
      leg === undefined
        ? await runClientLeg(options.revision, parts)
        : await runServerLeg(leg, options.revision, parts);
  }
  const rows = toRows(found, { suite, ...options });
  console.log(toTable(rows, options.leg));
  const violations = violationsOf(rows);
  for (const violation of violations) console.log(violation);
  writeFileSync(options.report, `${JSON.stringify({ suite: SUITE_VERSION, rows }, null, 2)}\n`);
  console.log(`\n${summary(rows)} Written to ${options.report}.`);
  return violations.length === 0 ? 0 : 1;
}

function summary(rows) {
  const cells = rows.flatMap(({ cells }) => Object.values(cells)).filter(({ applies }) => applies);
  const passed = cells.filter(({ verdict }) => verdict === "pass").length;
  return `${passed} of ${cells.length} applicable runs passed.`;
}
