// Measures tool details and reloads of the library with a warm home, in a separate process, so that no other garbage collection affects the times.
import { checkKnown, openEngine } from "../support/engine.mjs";
import { timeEach } from "../support/statistics.mjs";

const WARM_UP = 200;

process.once("message", async ({ home, names, detailsCount, reloadCount }) => {
  const engine = await openEngine(home);
  await checkKnown(engine);
  const ask = async (round) => {
    const [server, tool] = names[round % names.length];
    const details = await engine.getToolDetails(server, tool);
    if (details === null) throw new Error(`${server}:${tool} is unknown.`);
    return details;
  };
  await timeEach(WARM_UP, ask);
  const answers = [];
  const detailsMs = await timeEach(detailsCount, async (round) => answers.push(await ask(round)));
  const jsonMs = await timeEach(detailsCount, (round) => JSON.parse(JSON.stringify(answers[round])));
  const reloadMs = await timeEach(reloadCount, () => engine.reload());
  const openMs = await timeEach(reloadCount, () => openOnce(home));
  await engine.close();
  process.send({ detailsMs, jsonMs, reloadMs, openMs }, () => process.disconnect());
});

async function openOnce(home) {
  const fresh = await openEngine(home);
  await fresh.listServers();
  await fresh.close();
}
