import type { DiscoveryEngine } from "../engine.js";
import type { Stages } from "../gateway/stages.js";

/** The configured servers with the tools that are stored on disk. Starts no server. */
export async function openCatalog(engine: DiscoveryEngine): Promise<Stages> {
  const stages = await engine.stages();
  await stages.load();
  return stages;
}
