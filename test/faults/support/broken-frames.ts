import type { Random } from "./random.js";

/** A line that is not a valid message, and the expected answers. */
export interface BrokenFrame {
  readonly kind: string;
  /** Without the line break. */
  readonly bytes: Buffer;
  /** One for each expected error: its code, and the id if it can be parsed. */
  readonly due: readonly { readonly code: number; readonly id: number | string | null }[];
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** A call that would have an effect if it were accepted as a call. */
export function callOf(id: number | string, server: string): object {
  const given = { server, tool: "effect", arguments: { id: `broken ${id}` } };
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "execute_tool", arguments: given } };
}

type Make = (id: number | string, random: Random, server: string) => Omit<BrokenFrame, "kind">;

const NO_UTF8 = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf8, 0x88, 0x80, 0x80, 0x80]];
const BAD_IDS = [{}, [], true, false, null, 1.5, [1]];
const BAD_PARAMS = [[], [1], "x", 7, true, null];
const UNKNOWN = ["nope", "tools/nope", "sampling/createMessage", "elicitation/create", "roots/list", "", "__proto__"];
const NOTES = ["notifications/nope", "notifications/initialized", "tools/call", "nope", "notifications/progress"];

const frame = (value: unknown): Buffer => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const error = (code: number, id: number | string | null = null) => [{ code, id }];
const cutAt = (text: string, random: Random): number => random.between(1, text.length - 1);

const KINDS: Readonly<Record<string, Make>> = {
  truncated: (id, random, server) => {
    const text = JSON.stringify(callOf(id, server));
    return { bytes: frame(text.slice(0, cutAt(text, random))), due: error(PARSE_ERROR) };
  },
  "not UTF-8": (id, random, server) => {
    const text = JSON.stringify(callOf(id, server));
    const at = cutAt(text, random);
    const bytes = Buffer.concat([frame(text.slice(0, at)), Buffer.from(random.pick(NO_UTF8)), frame(text.slice(at))]);
    return { bytes, due: error(PARSE_ERROR) };
  },
  NUL: (id, random, server) => {
    const text = JSON.stringify(callOf(id, server));
    const at = cutAt(text, random);
    return { bytes: frame(`${text.slice(0, at)}\0${text.slice(at)}`), due: error(PARSE_ERROR) };
  },
  "a newline inside": (id, random, server) => {
    const text = JSON.stringify(callOf(id, server));
    const at = cutAt(text, random);
    const due = [...error(PARSE_ERROR), ...error(PARSE_ERROR)];
    return { bytes: frame(`${text.slice(0, at)}\n${text.slice(at)}`), due };
  },
  "random bytes": (_, random) => {
    const bytes = Buffer.from(Array.from({ length: random.between(1, 200) }, () => random.between(11, 256)));
    return { bytes: Buffer.concat([Buffer.from("%"), bytes]), due: error(PARSE_ERROR) };
  },
  "another version": (id, random, server) => {
    const jsonrpc = random.pick<unknown>(["1.0", "2", 2, null, undefined, "2.0 ", ["2.0"]]);
    return { bytes: frame({ ...callOf(id, server), jsonrpc }), due: error(INVALID_REQUEST, id) };
  },
  "a method that is not text": (id, random, server) => {
    const method = random.pick<unknown>([1, null, [], {}, ["tools/call"]]);
    return { bytes: frame({ ...callOf(id, server), method }), due: error(INVALID_REQUEST, id) };
  },
  "params that are not an object": (id, random, server) => {
    const params = random.pick<unknown>(BAD_PARAMS);
    return { bytes: frame({ ...callOf(id, server), params }), due: error(INVALID_REQUEST, id) };
  },
  "an invalid id": (id, random, server) => {
    const wrong = random.pick<unknown>(BAD_IDS);
    return { bytes: frame({ ...callOf(id, server), id: wrong }), due: error(INVALID_REQUEST) };
  },
  "an id beyond the exact number range": (id, random, server) => {
    const wrong = random.pick(["9007199254740993", "1e400", "-0", "1e-400"]);
    const text = JSON.stringify(callOf(id, server)).replace(`"id":${JSON.stringify(id)}`, `"id":${wrong}`);
    return { bytes: frame(text), due: error(INVALID_REQUEST) };
  },
  "two ids": (id, _random, server) => {
    const text = JSON.stringify(callOf(id, server)).replace('"method"', '"id":1,"method"');
    return { bytes: frame(text), due: error(INVALID_REQUEST) };
  },
  "two methods": (id, _random, server) => {
    const text = JSON.stringify(callOf(id, server)).replace('"method"', '"method":"ping","method"');
    return { bytes: frame(text), due: error(INVALID_REQUEST, id) };
  },
  "two params": (id, _random, server) => {
    const text = JSON.stringify(callOf(id, server)).replace('"params"', '"params":{},"params"');
    return { bytes: frame(text), due: error(INVALID_REQUEST, id) };
  },
  "a list of calls": (id, random, server) => {
    const calls = Array.from({ length: random.between(0, 4) }, () => callOf(id, server));
    return { bytes: frame(calls), due: error(INVALID_REQUEST) };
  },
  "a bare value": (_, random) => ({
    bytes: frame(random.pick(["42", '"tools/call"', "null", "true", "-1e5", "{}", '{"jsonrpc":"2.0"}'])),
    due: error(INVALID_REQUEST),
  }),
  "an unknown method": (id, random, server) => {
    const method = random.pick(UNKNOWN);
    return { bytes: frame({ ...callOf(id, server), method }), due: error(METHOD_NOT_FOUND, id) };
  },
  "a call without a tool": (id, random, server) => {
    const params = random.pick<object>([{}, { name: 5 }, { name: null }, { name: ["execute_tool"] }, { name: "nope" }]);
    return { bytes: frame({ ...callOf(id, server), params }), due: error(INVALID_PARAMS, id) };
  },
  "a notification": (_id, random, server) => {
    const { id: _none, ...note } = { ...(callOf(0, server) as { id?: number }), method: random.pick(NOTES) };
    return { bytes: frame(note), due: [] };
  },
  "a cancellation of an unknown request": (id, random) => {
    const requestId = random.pick<unknown>([id, 0, -1, "", "nope", null, {}, [], 1.5]);
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
    return { bytes: frame(note), due: [] };
  },
  "an empty line": (_, random) => ({ bytes: frame(random.pick(["", " ", "\t", "\r", "  \r"])), due: [] }),
};

export const BROKEN_KINDS: readonly string[] = Object.keys(KINDS);

/** `id` belongs to this frame only. */
export function breakFrame(id: number | string, random: Random, server: string): BrokenFrame {
  const kind = random.pick(BROKEN_KINDS);
  return { kind, ...KINDS[kind]!(id, random, server) };
}
