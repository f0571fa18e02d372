import { expect, it } from "vitest";
import { findViolations } from "./history.js";
import type { FaultHome } from "./home.js";
import type { Entry } from "./ledger.js";

const ID = "one";

function homeWith(attempts: readonly number[], isMarked: boolean): FaultHome {
  const entries = attempts.map(
    (attempt): Entry => ({ kind: "effect", id: ID, tool: "effect", server: "s", attempt, pid: 1 }),
  );
  const ledger = {
    entries: () => entries,
    of: (_id: string, kind: Entry["kind"]) => (kind === "effect" ? entries : []),
    isMarked: () => isMarked,
  };
  return { ledger } as unknown as FaultHome;
}

it.each([
  ["no, and nothing ran", "no", [], false, 0],
  ["no, although it ran", "no", [7], false, 1],
  ["no, and another call of the key ran", "no", [6], false, 0],
  ["yes, and it ran", "yes", [7], false, 0],
  ["yes, and another call of the key ran", "yes", [6], false, 0],
  ["yes, although nothing ran", "yes", [], false, 1],
  ["yes, of an idempotent tool that ran before", "yes", [], true, 0],
  ["unknown, and nothing ran", "unknown", [], false, 0],
] as const)("judges a failure that states executed: %s", (_, executed, effects, isIdempotent, violations) => {
  const error = { code: "TOOL_EXECUTION_ERROR", request_id: "r" };
  const outcome = { kind: "error", code: "TOOL_EXECUTION_ERROR", executed, error } as const;
  const found = findViolations({
    home: homeWith(effects, isIdempotent),
    attempts: [{ number: 7, id: ID, isIdempotent, outcome }],
    audit: [{ kind: "outcome", request_id: "r" }],
  });
  expect(found).toHaveLength(violations);
});
