import type { Stages } from "../../compose.js";
import { createOperations, type Operations } from "../../metatools/gateway/operations.js";
import { absolutePath } from "../../util/home-path.js";
import type { Input } from "./command.js";
import type { Context } from "./context.js";
import { openWholeCatalog, withEngine } from "./session.js";

/** The live catalog as a registry sees it, and the file that is to hold it. */
export interface RegistryDesk {
  readonly stages: Stages;
  readonly operations: Operations;
  readonly file: string;
  /** Adapters and servers of which nothing is known now. */
  readonly unknown: readonly string[];
}

const DEFAULT_FILE = "operations.json";

export async function withRegistry<T>(
  input: Input,
  context: Context,
  use: (desk: RegistryDesk) => Promise<T>,
): Promise<T> {
  return await withEngine(context, async (engine) => {
    const stages = await openWholeCatalog(engine, context);
    const named = input.text("file") ?? stages.config.gateway.registry ?? DEFAULT_FILE;
    const unknown = [...stages.snapshot().servers.values()]
      .filter(({ record, tools }) => record === undefined && tools.length === 0)
      .map(({ definition }) => definition.name);
    return await use({
      stages,
      operations: createOperations(stages.policy),
      file: absolutePath(named, { home: stages.place.home, baseDir: context.io.cwd }),
      unknown,
    });
  });
}
