// The validation worker thread. It evaluates schemas from servers, so that a slow schema cannot block the gateway.
import { parentPort } from "node:worker_threads";
import { compileCheck, type ValueCheck, type ArgumentViolation } from "./check-value.js";
import { LinearRegExp } from "./linear-regexp.js";

export interface CheckRequest {
  readonly key: string;
  /** The schema as JSON. Omitted if the worker already has the schema with this `key`. */
  readonly schema?: string;
  readonly value: string;
}

export type CheckReply =
  | { readonly kind: "ready" }
  | { readonly kind: "checked"; readonly violations: readonly ArgumentViolation[] }
  | { readonly kind: "unusable"; readonly reason: string };

const checks = new Map<string, ValueCheck>();

Object.defineProperty(globalThis, "RegExp", { value: LinearRegExp });

function reply(message: CheckReply): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", ({ key, schema, value }: CheckRequest) => {
  try {
    if (schema !== undefined) checks.set(key, compileCheck(JSON.parse(schema)));
    const violations = checks.get(key)?.(JSON.parse(value)) ?? [];
    reply({ kind: "checked", violations });
  } catch (error) {
    checks.delete(key);
    reply({ kind: "unusable", reason: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error) });
  }
});

reply({ kind: "ready" });
