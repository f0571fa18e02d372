import type { Config } from "./config/options.js";
import { createInheritance, type InheritanceParts } from "./inheritance.js";
import type { Place } from "./place.js";
import { createSecretReader } from "./secrets/create-secret-reader.js";
import type { TargetVariables } from "./targets.js";

/** What connections get beside their variables, as the configuration and the place say. */
export function targetParts({
  config,
  place: { env, home, elapsed },
  origins,
}: {
  readonly config: Config;
  readonly place: Place;
  readonly origins: InheritanceParts["origins"];
}): Omit<TargetVariables, "variables" | "filed"> {
  return {
    isStrict: config.policy.preset === "strict",
    inheritance: createInheritance({ env, inheritEnv: config.upstreams.inheritEnv, origins }),
    secrets: createSecretReader({ env, cwd: home, platform: process.platform, elapsed }),
  };
}
