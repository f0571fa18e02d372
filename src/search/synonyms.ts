import { toStem } from "./tokenize.js";

/** Words that tools and people use for the same thing. A word may be in several groups; keep them small and plain. */
const GROUPS = [
  "delete remove erase drop destroy discard",
  "create add new make insert",
  "create generate produce",
  "get fetch retrieve read obtain load",
  "list show display enumerate view",
  "search find lookup query seek",
  "update edit modify change alter patch",
  "send post submit deliver",
  "run execute invoke launch start",
  "stop cancel abort terminate kill",
  "write save store persist",
  "copy duplicate clone",
  "move rename relocate",
  "convert transform translate",
  "translate translation language",
  "check verify validate test",
  "merge combine join",
  "download fetch pull",
  "upload push",
  "schedule plan book reserve",
  "buy purchase order",
  "compute calculate evaluate",
  "summarize summary digest",
  "repo repository",
  "dir directory folder",
  "file document",
  "doc docs documentation",
  "db database",
  "config configuration setting settings",
  "auth authentication login",
  "email mail inbox",
  "message chat",
  "picture image photo",
  "movie film",
  "song music track",
  "video clip",
  "website site webpage page",
  "url link address",
  "web internet online",
  "issue ticket bug",
  "pr pull",
  "user account member person people",
  "customer client",
  "job vacancy career position",
  "price cost quote",
  "money currency dollar euro exchange",
  "stock share equity ticker",
  "weather forecast rain temperature",
  "map location place",
  "route direction directions navigation",
  "flight airline airport",
  "hotel accommodation lodging",
  "restaurant food dining",
  "event calendar appointment meeting",
  "news article headline story",
  "task todo reminder",
  "note memo",
  "remember memory memorize",
  "vm machine instance",
  "env environment",
].map((group) => group.split(" ").map(toStem));

const SYNONYMS = new Map<string, Set<string>>();
for (const group of GROUPS) {
  for (const stem of group) {
    const others = SYNONYMS.get(stem) ?? new Set<string>();
    for (const other of group) if (other !== stem) others.add(other);
    SYNONYMS.set(stem, others);
  }
}

/** Stems that mean about the same as this one. */
export function synonymsOf(stem: string): Iterable<string> {
  return SYNONYMS.get(stem) ?? [];
}
