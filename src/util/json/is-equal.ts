/**
 * Whether two JSON values are equal. The order of members is ignored, and an undefined member counts as absent. Values
 * that only other formats have are compared too (NaN, and dates by their JSON text). Neither deep nesting nor a value
 * that contains itself exhausts the stack.
 */
export function isEqualJson(one: unknown, other: unknown): boolean {
  const pending: [unknown, unknown][] = [[one, other]];
  const compared = new Map<object, Set<object>>();
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    if (left === right || Object.is(left, right)) continue;
    if (!isObject(left) || !isObject(right)) return false;
    const known = compared.get(left);
    if (known?.has(right) === true) continue;
    if (known === undefined) compared.set(left, new Set([right]));
    else known.add(right);
    if (!addMembers(left, right, pending)) return false;
  }
  return true;
}

/**
 * Adds the pairs of members that remain to be compared. Returns false if the two objects or arrays differ in their keys
 * or length.
 */
function addMembers(left: object, right: object, pending: [unknown, unknown][]): boolean {
  if (left instanceof Date || right instanceof Date) {
    return left instanceof Date && right instanceof Date && left.toJSON() === right.toJSON();
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index += 1) {
      if (left[index] !== right[index]) pending.push([left[index], right[index]]);
    }
    return true;
  }
  const [mine, others] = [left as Readonly<Record<string, unknown>>, right as Readonly<Record<string, unknown>>];
  let count = 0;
  for (const name of Object.keys(mine)) {
    if (mine[name] === undefined) continue;
    if (!Object.hasOwn(others, name) || others[name] === undefined) return false;
    if (mine[name] !== others[name]) pending.push([mine[name], others[name]]);
    count += 1;
  }
  for (const name of Object.keys(others)) if (others[name] !== undefined) count -= 1;
  return count === 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
