/** Milliseconds that this process has computed so far: what a busy machine does to the time of day does not count. */
export function computingMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
