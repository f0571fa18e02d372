/** Whether HTTP defines the method as safe (RFC 9110). */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
