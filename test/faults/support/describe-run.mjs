import { cpus, totalmem } from "node:os";

/** When and where a report was made. */
export function describeRun() {
  const [{ model = "unknown" } = {}] = cpus();
  const machine = `${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`;
  return { at: new Date().toISOString(), node: process.version, machine };
}
