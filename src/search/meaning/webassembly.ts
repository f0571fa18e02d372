/** As far as it is used here; the compiler knows it only with the types of browsers. */
interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (program: object, imports: object) => { readonly exports: Record<string, unknown> };
}

const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
const PAGE_BYTES = 65_536;

export type NumberProgram = (...places: number[]) => void;

/** A memory of at least so many bytes, and the one function of a small program that works on it. `program` is its binary form in base 64. */
export function openProgram(program: string, name: string, bytes: number): { memory: ArrayBuffer; run: NumberProgram } {
  const memory = new Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  const { exports } = new Instance(new Module(Buffer.from(program, "base64")), { gateway: { memory } });
  return { memory: memory.buffer, run: exports[name] as NumberProgram };
}
