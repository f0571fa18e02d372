/**
 * Returns the required scopes that no granted scope covers. `*` covers all, `a:*` covers `a:b` and `a:b:c`, but not
 * `a`.
 */
export function missingScopes(required: readonly string[], granted: readonly string[]): string[] {
  return required.filter((scope) => !granted.some((grant) => covers(grant, scope)));
}

function covers(grant: string, scope: string): boolean {
  if (grant === "*" || grant === scope) return true;
  return grant.endsWith(":*") && scope.length >= grant.length && scope.startsWith(grant.slice(0, -1));
}
