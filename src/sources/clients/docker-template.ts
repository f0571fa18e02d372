import { isJsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";

const WHOLE = /^\{\{\s*([^{}|]+?)\s*((?:\|[\w-]+\s*)*)\}\}$/;
const PART = /\{\{\s*([^{}|]+?)\s*((?:\|[\w-]+\s*)*)\}\}/g;

/**
 * Replaces `{{server.key|filter}}` with the user's values. A list value yields several strings; a string with an
 * unknown value is dropped.
 */
export function fillTemplates(templates: readonly unknown[], values: unknown): string[] {
  return templates.flatMap((template) => {
    if (typeof template !== "string") return [];
    const [, path, filters = ""] = WHOLE.exec(template) ?? [];
    const value = path === undefined ? undefined : templateValue(values, path.split("."));
    if (path !== undefined && Array.isArray(value)) return value.map((item) => applyFilters(String(item), filters));
    const filled = fillTemplate(template, values);
    return filled === undefined || filled === "" ? [] : [filled];
  });
}

/** Returns the string with every template replaced; undefined if a template has no value. */
export function fillTemplate(template: string, values: unknown): string | undefined {
  let isComplete = true;
  const text = template.replace(PART, (_written, path: string, filters: string) => {
    const value = templateValue(values, path.split("."));
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return applyFilters(String(value), filters);
    }
    isComplete = false;
    return "";
  });
  return isComplete ? text : undefined;
}

function applyFilters(value: string, filters: string): string {
  const [source = value, target = source] = splitVolume(value);
  if (/\|volume-target\b/.test(filters)) return target;
  return /\|volume\b(?!-)/.test(filters) ? `${source}:${target}` : value;
}

/** Splits `source:target` of a Docker volume; the colon of a Windows drive letter is not the separator. */
function splitVolume(value: string): string[] {
  const [, source = value, target] = /^([A-Za-z]:[\\/][^:]*|[^:]+)(?::([^:]+))?/.exec(value) ?? [];
  return target === undefined ? [source] : [source, target];
}

export function templateValue(root: unknown, path: Path): unknown {
  let found = root;
  for (const key of path) found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}
