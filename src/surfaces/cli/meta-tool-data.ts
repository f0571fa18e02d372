import type { Stages } from "../../compose.js";
import { localActor } from "../../model/actor.js";
import type { JsonObject } from "../../model/json.js";

/** What the meta-tool of that name answers: `--json` prints the same object that an agent gets. */
export async function metaToolData(stages: Stages, name: string, args: JsonObject): Promise<JsonObject> {
  const metaTool = stages.metaTools.find((one) => one.name === name);
  if (metaTool === undefined) throw new TypeError(`There is no meta-tool ${name}.`);
  const answer = await metaTool.run(args, { actor: localActor("cli") });
  return answer.kind === "data" ? answer.data : { ...answer.result };
}
