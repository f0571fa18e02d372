/** As far as it is used here; the compiler knows it only with the types of browsers. */
interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number }) => ProgramMemory;
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (program: object, imports: object) => { readonly exports: Record<string, unknown> };
}

/** Numbers that a program works on. */
export interface ProgramMemory {
  readonly buffer: ArrayBuffer;
}

export type NumberProgram = (...places: number[]) => void;

const PAGE_BYTES = 65_536;

/** Plain memory where the system gives no room for a program's: each of them reserves gigabytes of addresses. */
export function createMemory(bytes: number): ProgramMemory {
  const { WebAssembly: api } = globalThis as { WebAssembly?: WebAssemblyApi };
  try {
    if (api !== undefined) return new api.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  } catch {
    // The plain memory below is as good, and only slower.
  }
  return { buffer: new ArrayBuffer(bytes) };
}

/** The functions of a small program, whose binary form in base 64 this is; the plain ones do the same where no program can run. */
export function openProgram<Name extends string>(
  { program, plain }: { readonly program: string; readonly plain: Readonly<Record<Name, NumberProgram>> },
  memory: ProgramMemory,
): Readonly<Record<Name, NumberProgram>> {
  const { WebAssembly: api } = globalThis as { WebAssembly?: WebAssemblyApi };
  if (api === undefined || !(memory instanceof api.Memory)) return plain;
  const { exports } = new api.Instance(new api.Module(Buffer.from(program, "base64")), { gateway: { memory } });
  return exports as Record<Name, NumberProgram>;
}
