/** Whether the value is nested at most `limit` levels. Iterative, so that deep nesting cannot exhaust the stack. */
export function isWithinDepth(value: unknown, limit: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= limit) return false;
    for (const member of Object.values(next.value)) open.push({ value: member, depth: next.depth + 1 });
  }
  return true;
}
