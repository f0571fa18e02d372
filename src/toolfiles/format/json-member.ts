type Context = { addIssue(issue: { code: "custom"; path: (string | number)[]; message: string }): void };

/** Reports numbers that YAML has but JSON does not, such as infinity: they cannot be hashed and compared. */
export function checkJsonMember(value: unknown, context: Context): void {
  const open: { value: unknown; path: (string | number)[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: here, path } = next;
    if (typeof here === "number" && !Number.isFinite(here)) {
      context.addIssue({ code: "custom", path, message: "is a number that JSON cannot represent" });
    }
    if (typeof here !== "object" || here === null) continue;
    const isList = Array.isArray(here);
    for (const [key, member] of Object.entries(here)) {
      open.push({ value: member, path: [...path, isList ? Number(key) : key] });
    }
  }
}
