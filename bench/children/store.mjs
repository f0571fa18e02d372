// One of several processes that share a store: repeats an operation and sends the duration of each.
process.once("message", async ({ address, file, operation, rounds, width, name }) => {
  const { createStore } = await import(address);
  const store = createStore({ file });
  const act = createOperation(store, operation, name);
  await store.prepare();
  for (let round = 0; round < 20; round += 1) await act(-1 - round);
  const started = performance.now();
  const times = [];
  let next = 0;
  const worker = async () => {
    while (next < rounds) {
      const from = performance.now();
      await act(next++);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  const wall = performance.now() - started;
  await store.close();
  process.send({ times, wall }, () => process.disconnect());
});

function createOperation(store, operation, name) {
  const record = (kind, round) => ({
    kind,
    request_id: `${name}-${round}`,
    timestamp: new Date().toISOString(),
    actor_id: "local",
    surface: "mcp",
    tool_id: "server:tool",
    params_hash: "0".repeat(64),
    decision: "allowed",
    outcome: "ok",
    duration_ms: 1.234,
  });
  const scope = (round) => ({ actor: "local", tool: "server:tool", key: `${name}-${round}` });
  const reserve = (round) =>
    store.keys.reserve(scope(round), {
      fingerprint: "f",
      requestId: `${name}-${round}`,
      now: Date.now(),
      ttlMs: 86_400_000,
    });
  const answer = new Uint8Array(500);
  const operations = {
    "audit record": (round) => store.audit.append([record("outcome", round)]),
    "rate take": () => store.rates.take({ bucket: "b", actor: name, limit: 1e9, windowMs: 60_000, now: Date.now() }),
    "key look-up": (round) => store.keys.find(scope(round), Date.now()),
    "key reserved": (round) => reserve(round),
    "guarded call": async (round) => {
      const { claim } = await reserve(round);
      await Promise.all([store.keys.dispatch(claim, Date.now()), store.audit.append([record("intent", round)])]);
      await Promise.all([
        store.keys.finish(claim, { kind: "completed", answer }, Date.now()),
        store.audit.append([record("outcome", round)]),
      ]);
    },
  };
  return operations[operation];
}
