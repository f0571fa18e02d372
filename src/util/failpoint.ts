declare const __FAILPOINTS__: boolean | undefined;

const IS_ARMED = typeof __FAILPOINTS__ !== "undefined" && __FAILPOINTS__;

/**
 * A named point at which the fault tests kill this process. It has an effect only in builds by `scripts/build.mjs
 * --failpoints`; every other build removes the call.
 */
export function failpoint(name: string): void {
  if (IS_ARMED) hit(name);
}

const hits = new Map<string, number>();

/**
 * Kills the process if the environment asks for it: `FAILPOINT=name:kill` at the first hit, `name:kill@3` at the third.
 * Nothing is flushed or reported.
 */
function hit(name: string): void {
  const [wanted, action = ""] = (process.env["FAILPOINT"] ?? "").split(":");
  if (wanted !== name) return;
  const count = (hits.get(name) ?? 0) + 1;
  hits.set(name, count);
  const [kind, at = "1"] = action.split("@");
  if (kind === "kill" && count === Number(at)) process.kill(process.pid, "SIGKILL");
}
