/** Whether asking so changes nothing, by what HTTP says of the method. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
