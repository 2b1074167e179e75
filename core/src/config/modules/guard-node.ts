/** What Node would load for code that runs under a record of trust, past the loader that compares files with it. */
export interface Guard {
  /** In place of Node's module `module`. */
  module(): object
  /** The file to load in place of a native module's. */
  native(file: string): string
}

/** By the files that run under a record. */
const guards = new Map<string, Guard>()
let isOn = false

/** Gives a file that is about to run what its guard hands out, where it asks Node itself; other callers get Node's own. */
export function guardFile(file: string, guard: Guard): void {
  guards.set(file, guard)
  if (isOn) return
  isOn = true
  const { getBuiltinModule, dlopen } = process
  const ofCaller = (name: string): object | undefined => (isLoader(name) ? guardOfCaller()?.module() : undefined)
  process.getBuiltinModule = ((name: string) =>
    ofCaller(name) ?? getBuiltinModule(name)) as typeof process.getBuiltinModule
  process.dlopen = (module, file, ...flags) => dlopen(module, guardOfCaller()?.native(file) ?? file, ...flags)
}

/** Whether a module of Node's loads others. */
export const isLoader = (name: string): boolean => /^(?:node:)?module$/.test(name)

/** The guard of the first file on the stack; where none is there, nobody can tell who asks, and the newest guard answers. */
function guardOfCaller(): Guard | undefined {
  const [own, ...others] = filesOnStack()
  const caller = others.find((file) => file !== own && !file.startsWith('node:'))
  return caller === undefined ? [...guards.values()].at(-1) : guards.get(caller)
}

function filesOnStack(): string[] {
  const { prepareStackTrace } = Error
  try {
    Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
    const files = new Error('who asks').stack as unknown as string[]
    return files.filter((file) => file !== '')
  } finally {
    Error.prepareStackTrace = prepareStackTrace
  }
}
