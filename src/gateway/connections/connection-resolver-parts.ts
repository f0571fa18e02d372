import type { Config } from "../../config/options.js";
import { createInheritance, type InheritanceParts } from "./inherited-environment.js";
import type { RuntimeEnvironment } from "../runtime-environment.js";
import { createSecretReader } from "../../secrets/create-secret-reader.js";
import type { ConnectionResolverParts } from "./connection-resolver.js";

/** Creates the parts of the connection resolver that depend on the configuration and the runtime environment. */
export function connectionResolverParts({
  config,
  runtime: { env, home, elapsed },
  origins,
}: {
  readonly config: Config;
  readonly runtime: RuntimeEnvironment;
  readonly origins: InheritanceParts["origins"];
}): Omit<ConnectionResolverParts, "variables" | "toolFileVariables"> {
  return {
    isStrict: config.policy.preset === "strict",
    inheritance: createInheritance({ env, inheritEnv: config.upstreams.inheritEnv, origins }),
    secrets: createSecretReader({ env, cwd: home, platform: process.platform, elapsed }),
  };
}
