/**
 * The part of the WebAssembly API that is used here. It is declared here, because TypeScript has it only in the browser
 * types.
 */
interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number }) => ProgramMemory;
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (program: object, imports: object) => { readonly exports: Record<string, unknown> };
}

/** The memory that a WebAssembly program or its fallback works on. */
export interface ProgramMemory {
  readonly buffer: ArrayBuffer;
}

export type NumberProgram = (...offsets: number[]) => void;

const PAGE_BYTES = 65_536;

/**
 * Creates WebAssembly memory. Returns a plain buffer if that fails, because each WebAssembly memory reserves gigabytes
 * of address space, which a system may refuse.
 */
export function createMemory(bytes: number): ProgramMemory {
  const { WebAssembly: api } = globalThis as { WebAssembly?: WebAssemblyApi };
  try {
    if (api !== undefined) return new api.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  } catch {
    // Use the plain buffer below: the results are the same, only slower.
  }
  return { buffer: new ArrayBuffer(bytes) };
}

/**
 * Instantiates a Base64-encoded WebAssembly program. If `memory` is not WebAssembly memory, returns the equivalent
 * JavaScript functions.
 */
export function openProgram<Name extends string>(
  { program, plain }: { readonly program: string; readonly plain: Readonly<Record<Name, NumberProgram>> },
  memory: ProgramMemory,
): Readonly<Record<Name, NumberProgram>> {
  const { WebAssembly: api } = globalThis as { WebAssembly?: WebAssemblyApi };
  if (api === undefined || !(memory instanceof api.Memory)) return plain;
  const { exports } = new api.Instance(new api.Module(Buffer.from(program, "base64")), { gateway: { memory } });
  return exports as Record<Name, NumberProgram>;
}
