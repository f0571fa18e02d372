/** CPU time of this process so far, in milliseconds: the time that other programs take does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
