/**
 * Runs `act` and measures how long other work of this process waits for a turn of the event loop.
 * @returns {Promise<{ ms: number, turns: number[] }>} the duration, and the milliseconds of each turn
 */
export async function measureTurns(act) {
  const turns = [];
  let isRunning = true;
  let last = performance.now();
  const note = () => {
    const now = performance.now();
    turns.push(now - last);
    last = now;
    if (isRunning) setImmediate(note);
  };
  setImmediate(note);
  const started = performance.now();
  await act();
  const ms = performance.now() - started;
  isRunning = false;
  await new Promise((resolve) => setImmediate(resolve));
  return { ms, turns };
}

/**
 * Runs `act` and meanwhile sends pings to a server, one after the other.
 * @returns {Promise<{ answer: unknown, ms: number, pings: number[] }>} the milliseconds of the call and of each ping
 */
export async function measurePings(server, act) {
  const pings = [];
  const call = { isRunning: true };
  const sendPings = async () => {
    while (call.isRunning) {
      const sent = performance.now();
      await server.request("ping");
      pings.push(performance.now() - sent);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const pinging = sendPings();
  const started = performance.now();
  const answer = await act();
  const ms = performance.now() - started;
  call.isRunning = false;
  await pinging;
  return { answer, ms, pings };
}
