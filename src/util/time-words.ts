const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Describes a time span: `42 s`, `4 min 12 s`, `25 min`, `3 h`, `2 days`. */
export function describeSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) {
    const seconds = Math.floor((span % MINUTE) / SECOND);
    const minutes = `${Math.floor(span / MINUTE)} min`;
    return span < 10 * MINUTE && seconds > 0 ? `${minutes} ${seconds} s` : minutes;
  }
  return span < 2 * DAY ? `${Math.round(span / HOUR)} h` : `${Math.round(span / DAY)} days`;
}
