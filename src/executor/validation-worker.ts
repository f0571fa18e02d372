// The validation worker: schemas of upstreams are evaluated here, so that none of them can hold up the gateway.
import { parentPort } from "node:worker_threads";
import { compileCheck, type ValueCheck, type Violation } from "./check-value.js";
import { LinearRegExp } from "./linear-regexp.js";

export interface CheckRequest {
  readonly key: string;
  /** Left out when the worker has seen the key before. */
  readonly schema?: string;
  readonly value: string;
}

export type CheckReply =
  | { readonly kind: "ready" }
  | { readonly kind: "checked"; readonly violations: readonly Violation[] }
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
