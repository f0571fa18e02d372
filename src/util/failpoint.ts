declare const __FAILPOINTS__: boolean | undefined;

const IS_ARMED = typeof __FAILPOINTS__ !== "undefined" && __FAILPOINTS__;

/**
 * A named place at which the fault suite ends this process. Only `scripts/build.mjs --failpoints` makes it do anything; in
 * every other build the call is removed.
 */
export function failpoint(name: string): void {
  if (IS_ARMED) hit(name);
}

const hits = new Map<string, number>();

/** `FAILPOINT=name:kill` ends the process at the first hit, `name:kill@3` at the third. Nothing is flushed or told. */
function hit(name: string): void {
  const [wanted, action = ""] = (process.env["FAILPOINT"] ?? "").split(":");
  if (wanted !== name) return;
  const count = (hits.get(name) ?? 0) + 1;
  hits.set(name, count);
  const [kind, at = "1"] = action.split("@");
  if (kind === "kill" && count === Number(at)) process.kill(process.pid, "SIGKILL");
}
